"""Whatever somebody writes, the page gets allow-listed tags and attributes and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.render.markdown import plain_html, render_markdown
from groupx.render.sanitiser import sanitise
from tests.render.html_check import must_be_safe, text_of
from tests.render.xss_corpus import CORPUS, HTML, TARGETS


@pytest.mark.parametrize("text", CORPUS)
def test_the_corpus_is_harmless(text: str) -> None:
    must_be_safe(render_markdown(text))


@pytest.mark.parametrize("text", CORPUS)
def test_the_sanitiser_alone_would_do(text: str) -> None:
    """The second line holds when the first is gone."""
    html = sanitise(text)
    must_be_safe(html)
    assert "hit=1" not in html or "<script" not in html


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", ["[x]({})", "[x](<{}>)", "![x]({})", "<{}>", "[r]\n\n[r]: {}"])
def test_no_such_target_is_ever_linked(target: str, form: str) -> None:
    assert must_be_safe(render_markdown(form.format(target))).links == []


@pytest.mark.parametrize("text", [text for text in HTML if "\x00" not in text and "&" not in text])
def test_raw_html_is_shown_as_it_was_written(text: str) -> None:
    shown = text_of(render_markdown(text))
    assert shown.strip().replace("\u201d", '"') == text.replace("**", "")


MARKS = ["\n", "\n\n", " ", "    ", "\t", "> ", "- ", "1. ", "```", "```js\n", "~~", "**", "_", "`"]
MARKS += ["[", "](", ")", "<", ">", "&", "|", "|-|\n", "# ", "\\", "http://", "@", "\x00", "\ud7ff"]
FRAGMENTS = st.sampled_from([*CORPUS, *MARKS])
TEXTS = st.lists(FRAGMENTS | st.text(max_size=12), max_size=12).map("".join)


@given(text=TEXTS)
def test_no_text_gets_through(text: str) -> None:
    must_be_safe(render_markdown(text))


@given(text=st.text(max_size=300))
def test_plain_text_is_the_text(text: str) -> None:
    shown = text_of(plain_html(text))
    assert shown == text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")


@given(html=TEXTS)
def test_no_html_gets_through_the_sanitiser(html: str) -> None:
    must_be_safe(sanitise(html))
