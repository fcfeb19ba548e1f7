"""Addresses in running text become links, as GitHub does it, in one pass over the text.

A name such as `main.rs` or `notes.md` is no address here, though both are domains somewhere.
"""

import re
from collections.abc import Iterator

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# What may stand before an address is looked at first, so that no run of text is read twice.
_ADDRESS = re.compile(
    r"(?<![\w./@+-])(?:"
    r"(?P<web>(?:https?://|www\.)[A-Za-z0-9][!#-;=?-Z^-~\\]*)"
    r"|(?P<mail>[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8})(?![\w:/@-])"
    r")",
    re.IGNORECASE | re.ASCII,
)
_TRAILING = "?!.,:;*_~'\"\\`"


def autolinks(state: StateCore) -> None:
    """A core rule for markdown-it, to run when text is in one piece again."""
    for token in state.tokens:
        if token.type == "inline" and token.children and _may_hold_one(token.content):
            token.children = list(_linked(token.children))


def _may_hold_one(text: str) -> bool:
    lowered = text.lower()
    return "://" in lowered or "www." in lowered or "@" in lowered


def _linked(tokens: list[Token]) -> Iterator[Token]:
    links = 0
    for token in tokens:
        links += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "text" and not links:
            yield from _pieces(token.content)
        else:
            yield token


def _pieces(text: str) -> Iterator[Token]:
    done = 0
    for found in _ADDRESS.finditer(text):
        address = found["mail"] or _trimmed(found["web"])
        yield from _text(text[done : found.start()])
        yield from _link(address, is_mail=found["mail"] is not None)
        done = found.start() + len(address)
    yield from _text(text[done:])


def _trimmed(address: str) -> str:
    """Without the punctuation of the sentence, and without a bracket that it did not open."""
    surplus = address.count(")") - address.count("(")
    end = len(address)
    while end:
        last = address[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
        elif last not in _TRAILING:
            break
        end -= 1
    return address[:end]


def _link(address: str, *, is_mail: bool) -> Iterator[Token]:
    prefix = "mailto:" if is_mail else "" if "://" in address else "https://"
    opening = Token("link_open", "a", 1)
    opening.attrs = {"href": prefix + address}
    yield opening
    yield from _text(address)
    yield Token("link_close", "a", -1)


def _text(content: str) -> Iterator[Token]:
    if content:
        token = Token("text", "", 0)
        token.content = content
        yield token
