"""SQL text with its spelling taken out, so that two definitions can be compared.

Case, white space, comments, identifier quotes and `IF NOT EXISTS` go; literals stay as they are.
"""

import functools
import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""
      (?P<skip>   \s+ | --[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<literal> [xX]?'(?:[^']|'')*' )
    | (?P<quoted> "(?:[^"]|"")*" | `(?:[^`]|``)*` | \[[^\]]*\] )
    | (?P<word>   [^\W\d][\w$]* )
    | (?P<number> \d[\w.]* )
    | (?P<sign>   <> | != | == | <= | >= | \|\| | << | >> | -> | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_SAME = {"!=": "<>", "==": "="}
_IF_NOT_EXISTS = ("if", "not", "exists")
_OPTIONS = frozenset(
    {"autoincrement", "collate", "conflict", "deferrable", "generated", "strict", "without"}
)
"""Words of a table definition that change its meaning and that introspection does not show."""

Tokens = tuple[str, ...]


@functools.lru_cache(maxsize=512)
def tokens(sql: str) -> Tokens:
    """The normalised tokens of one statement."""
    found = tuple(_scan(sql))
    for at in range(len(found) - 2):
        if found[at : at + 3] == _IF_NOT_EXISTS:
            return found[:at] + found[at + 3 :]
    return found


def normalise(sql: str) -> str:
    """One statement or expression as comparable text."""
    return " ".join(tokens(sql))


def checks(create_table: str) -> list[str]:
    """Every CHECK expression of a CREATE TABLE, normalised."""
    found = tokens(create_table)
    return [
        " ".join(_group(found, at + 1))
        for at in range(len(found) - 1)
        if found[at : at + 2] == ("check", "(")
    ]


def table_options(create_table: str) -> list[str]:
    """AUTOINCREMENT, COLLATE x, ON CONFLICT x, WITHOUT ROWID and the like, sorted."""
    found = tokens(create_table)
    options = (found[at : at + 2] for at, word in enumerate(found) if word in _OPTIONS)
    return sorted(" ".join(word for word in option if word not in ",)") for option in options)


def index_parts(create_index: str) -> tuple[str, str]:
    """The column list and the WHERE of a CREATE INDEX, normalised; "" where there is none."""
    found = tokens(create_index)
    start = found.index("(")
    columns = _group(found, start)
    rest = found[start + len(columns) + 2 :]
    return " ".join(columns), " ".join(rest[1:])


def _scan(sql: str) -> Iterator[str]:
    for match in _TOKEN.finditer(sql):
        text = match.group()
        kind = match.lastgroup
        if kind == "skip":
            continue
        if kind == "quoted":
            yield text[1:-1].replace(text[0] * 2, text[0]).lower()
        elif kind == "literal":
            yield text
        else:
            yield _SAME.get(text, text.lower())


def _group(found: Tokens, start: int) -> Tokens:
    """The tokens between the parenthesis at `start` and the one that closes it."""
    depth = 0
    for at in range(start, len(found)):
        depth += (found[at] == "(") - (found[at] == ")")
        if depth == 0:
            return found[start + 1 : at]
    return found[start + 1 :]
