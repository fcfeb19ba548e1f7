"""GitHub's Markdown, without raw HTML, remote images and inline styles."""

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from groupx.render import budget
from groupx.render.autolinks import autolinks
from groupx.render.highlighting import code_html
from groupx.render.links import Target, classify

_TASK = re.compile(r"\[([ xX])\][ \t]")
_BOX = {" ": "☐ ", "x": "☑ "}


def create_parser() -> MarkdownIt:
    """A parser; it keeps state between calls, so only one thread may use it at a time."""
    parser = MarkdownIt("gfm-like", {"html": False, "linkify": False})
    parser.validateLink = _may_be_shown  # pyright: ignore[reportAttributeAccessIssue]
    budget.install(parser)
    parser.core.ruler.push("autolinks", autolinks)
    parser.core.ruler.push("tasks", _tasks)
    parser.core.ruler.push("alignment", _alignment)
    parser.core.ruler.push("targets", _targets)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("code_block", _fence)
    return parser


def _may_be_shown(target: str) -> bool:
    return classify(target) is not Target.NOTHING


def _fence(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    words = token.info.split(maxsplit=1)
    return code_html(token.content, words[0] if words else "")


def _tasks(state: StateCore) -> None:
    """`- [ ] this` shows a box; there is nothing to click, so it is only a sign."""
    for before, paragraph, inline in zip(
        state.tokens, state.tokens[1:], state.tokens[2:], strict=False
    ):
        if before.type != "list_item_open" or paragraph.type != "paragraph_open":
            continue
        first = inline.children[0] if inline.children else None
        if first is None or first.type != "text":
            continue
        found = _TASK.match(first.content)
        if found:
            first.content = _BOX[found[1].lower()] + first.content[found.end() :]
            before.attrSet("class", "task")


def _alignment(state: StateCore) -> None:
    """Cells say their alignment by class: the page allows no inline style."""
    for token in state.tokens:
        if token.type in ("th_open", "td_open"):
            style = token.attrs.pop("style", None)
            if style:
                token.attrSet("class", f"align-{str(style).partition(':')[2]}")


def _targets(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = _shown(token.children)


def _shown(tokens: Sequence[Token]) -> list[Token]:
    """Links that lead nowhere name their target instead; images are links to themselves."""
    shown: list[Token] = []
    open_tags: list[str] = []
    for token in tokens:
        if token.type == "link_open":
            _name_or_link(token, str(token.attrs.get("href", "")))
            open_tags.append(token.tag)
        elif token.type == "link_close":
            token.tag = open_tags.pop()
        if token.type != "image":
            shown.append(token)
        elif open_tags:
            shown.append(_alternative(token))
        else:
            shown += _as_link(token)
    return shown


def _name_or_link(token: Token, target: str) -> None:
    if classify(target) is Target.LINK:
        token.attrs = {"href": target}
    else:
        token.tag, token.attrs = "span", {"class": "place", "title": target}


def _as_link(image: Token) -> list[Token]:
    opening, closing = Token("link_open", "a", 1), Token("link_close", "a", -1)
    _name_or_link(opening, str(image.attrs.get("src", "")))
    closing.tag = opening.tag
    return [opening, _alternative(image), closing]


def _alternative(image: Token) -> Token:
    text = Token("text", "", 0)
    text.content = _text_of(image) or str(image.attrs.get("src", ""))
    return text


def _text_of(token: Token) -> str:
    if not token.children:
        return token.content
    return "".join(_text_of(child) for child in token.children)
