"""How agents name one another."""

from collections.abc import Iterable

from groupx.domain.ids import AGENT_PREFIX
from groupx.domain.roster import EVERYONE


def wire_names(to: Iterable[str]) -> tuple[str, ...]:
    """`agent:<id>` for `<id>`; `@all` and full names as they are."""
    return tuple(name if name == EVERYONE or ":" in name else AGENT_PREFIX + name for name in to)
