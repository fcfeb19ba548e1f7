"""Code blocks, coloured by Pygments' classes; the colours are in a stylesheet.

Lexers are regular expressions and some of the 500 need exponential time on odd input, so that
only those named here are used, and only on code of a bounded size.
"""

import functools
import re
import time
from html import escape
from typing import Any

MAX_CHARACTERS = 20_000
MAX_LINE_CHARACTERS = 1_000
MAX_SECONDS = 0.25
"""Of the processor's time; no single expression of our lexers takes much longer."""

LANGUAGES = {
    "bash": ("sh", "shell", "zsh"),
    "c": ("h",),
    "console": ("shell-session", "terminal"),
    "cpp": ("c++", "cc", "hpp", "cxx"),
    "csharp": ("cs", "c#"),
    "css": (),
    "diff": ("patch", "udiff"),
    "docker": ("dockerfile",),
    "go": ("golang",),
    "graphql": ("gql",),
    "haskell": ("hs",),
    "html": ("htm",),
    "http": (),
    "ini": ("cfg", "conf"),
    "java": (),
    "javascript": ("js", "jsx", "mjs", "cjs", "node"),
    "json": ("json5", "jsonc", "jsonl", "ndjson"),
    "kotlin": ("kt", "kts"),
    "lua": (),
    "make": ("makefile", "mk"),
    "nix": (),
    "perl": ("pl",),
    "php": (),
    "pycon": (),
    "pytb": ("traceback",),
    "python": ("py", "python3", "py3", "pyi"),
    "ruby": ("rb",),
    "rust": ("rs",),
    "scala": (),
    "scss": (),
    "sql": ("sqlite", "postgresql", "mysql"),
    "swift": (),
    "toml": (),
    "typescript": ("ts", "tsx", "mts"),
    "xml": ("svg",),
    "yaml": ("yml",),
    "zig": (),
}
"""Pygments' name of each language, and the other names it goes by."""

_BY_NAME = {alias: name for name, aliases in LANGUAGES.items() for alias in (name, *aliases)}
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9+#._-]{0,29}")


def code_html(code: str, info: str) -> str:
    """A code block; `info` is the language as the author wrote it, unknown ones stay plain."""
    label = f' data-language="{escape(info)}"' if _LABEL.fullmatch(info) else ""
    name = _BY_NAME.get(info.lower())
    inner = _highlighted(code, name) if name and _is_modest(code) else None
    if inner is None:
        inner = escape(code, quote=False)
    return f'<pre class="code"{label}><code>{inner}</code></pre>\n'


def _is_modest(code: str) -> bool:
    return len(code) <= MAX_CHARACTERS and all(
        len(line) <= MAX_LINE_CHARACTERS for line in code.split("\n")
    )


def _highlighted(code: str, name: str) -> str | None:
    # Pygments is heavy, and many rooms never show code.
    from pygments import format as formatted  # noqa: PLC0415
    from pygments.formatters.html import HtmlFormatter  # noqa: PLC0415

    tokens = _tokens(code, name)
    return None if tokens is None else formatted(tokens, HtmlFormatter(nowrap=True))


def _tokens(code: str, name: str) -> list[Any] | None:
    lexer = _lexer(name)
    latest = time.thread_time() + MAX_SECONDS
    tokens: list[Any] = []
    for token in lexer.get_tokens(code):
        if time.thread_time() > latest:
            return None
        tokens.append(token)
    return tokens


@functools.cache
def _lexer(name: str) -> Any:
    from pygments.lexers import find_lexer_class_by_name  # noqa: PLC0415

    return find_lexer_class_by_name(name)(stripnl=False, ensurenl=False)


@functools.cache
def token_classes() -> frozenset[str]:
    """Every class that a highlighted word can have."""
    from pygments.token import STANDARD_TYPES  # noqa: PLC0415

    return frozenset(STANDARD_TYPES.values()) - {""}
