"""Markdown → safe HTML: one function for the room, for search and for exports."""

import functools
import threading
from html import escape

from markdown_it import MarkdownIt

from groupx.domain.text import without_surrogates
from groupx.render.budget import TooMuchWorkError, new_budget
from groupx.render.dialect import create_parser
from groupx.render.sanitiser import sanitise

MAX_BYTES = 64 * 1024
"""A longer text is shown as it was written."""

_one_at_a_time = threading.Lock()


def is_too_long(text: str) -> bool:
    """Whether `render_markdown` will not even try, which makes it cheap."""
    return len(text) > MAX_BYTES or len(text.encode("utf-8", "replace")) > MAX_BYTES


def render_markdown(text: str) -> str:
    """HTML with allow-listed tags and attributes only; never raises, whatever the text.

    From any thread. Costs up to some tenths of a second, so keep it off the event loop.
    """
    if is_too_long(text):
        return plain_html(text)
    try:
        with _one_at_a_time:
            parser = _parser()
            environment = new_budget()
            tokens = parser.parse(without_surrogates(text), environment)
            html = parser.renderer.render(tokens, parser.options, environment)
    except TooMuchWorkError:
        return plain_html(text)
    return sanitise(html)


def plain_html(text: str) -> str:
    """The text as it was written."""
    shown = without_surrogates(text).replace("\x00", "\ufffd")
    return sanitise(f'<div class="plain">{escape(shown, quote=False)}</div>')


@functools.cache
def _parser() -> MarkdownIt:
    return create_parser()
