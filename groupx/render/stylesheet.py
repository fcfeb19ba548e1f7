"""The colours of code, light and dark, as one stylesheet.

After a change here: `python -m groupx.render.stylesheet > groupx/web/static/css/highlight.css`.
"""

import sys
from collections.abc import Iterator

import attrs
from pygments.token import STANDARD_TYPES, Token

LIGHT_GROUND, DARK_GROUND = "#f3f1ee", "#131416"
"""What lies behind code (`--sunken` of base.css)."""


@attrs.frozen
class Ink:
    """How one kind of word looks."""

    light: str
    dark: str
    font: str = ""


_GREEN = Ink("#2c6e49", "#7fc29b")
_RED = Ink("#a93226", "#f0948a")
_BLUE = Ink("#2f5d8a", "#8db8e2")
_VIOLET = Ink("#7a3a8c", "#c9a0e0")
_OCHRE = Ink("#7d5109", "#e0b35c")
_RUST = Ink("#96431f", "#e8a383")
_GREY = Ink("#625f59", "#a5a6ab")

INKS: dict[object, Ink] = {
    Token.Comment: attrs.evolve(_GREY, font="italic"),
    Token.Comment.Preproc: _VIOLET,
    Token.Keyword: _VIOLET,
    Token.Keyword.Constant: _RUST,
    Token.Keyword.Type: _BLUE,
    Token.Name.Attribute: _OCHRE,
    Token.Name.Builtin: _OCHRE,
    Token.Name.Class: _BLUE,
    Token.Name.Constant: _RUST,
    Token.Name.Decorator: _OCHRE,
    Token.Name.Exception: _BLUE,
    Token.Name.Function: _BLUE,
    Token.Name.Tag: _VIOLET,
    Token.Literal: _RUST,
    Token.Literal.String: _GREEN,
    Token.Operator.Word: _VIOLET,
    Token.Generic.Deleted: _RED,
    Token.Generic.Inserted: _GREEN,
    Token.Generic.Error: _RED,
    Token.Generic.Traceback: _RED,
    Token.Generic.Heading: attrs.evolve(_BLUE, font="bold"),
    Token.Generic.Subheading: _BLUE,
    Token.Generic.Prompt: _GREY,
    Token.Generic.Output: _GREY,
}
"""A kind of word looks like the nearest of its ancestors here, else like the text around it."""


def stylesheet() -> str:
    """The whole file."""
    rules = "\n".join(_rules())
    return (
        "/* Made by `python -m groupx.render.stylesheet`: change the colours there, not here. */"
        f"\n\n{rules}\n"
    )


def _rules() -> Iterator[str]:
    classes: dict[Ink, list[str]] = {}
    for kind, name in STANDARD_TYPES.items():
        ink = _ink_of(kind)
        if name and ink is not None:
            classes.setdefault(ink, []).append(f".code .{name}")
    for ink, selectors in classes.items():
        font = {"italic": " font-style: italic;", "bold": " font-weight: 650;"}.get(ink.font, "")
        yield f"{', '.join(selectors)} {{ color: light-dark({ink.light}, {ink.dark});{font} }}"


def _ink_of(kind: object) -> Ink | None:
    while kind is not None:
        if kind in INKS:
            return INKS[kind]
        kind = getattr(kind, "parent", None)
    return None


if __name__ == "__main__":
    sys.stdout.write(stylesheet())
