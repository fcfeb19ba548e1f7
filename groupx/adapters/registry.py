"""Driver → adapter. A driver that is not here is refused, never guessed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from groupx.adapters.acp.drivers import DRIVERS, AcpDriver
from groupx.domain.errors import ErrorCode, GroupXError

if TYPE_CHECKING:
    from groupx.adapters.contract import Adapter


class Adapters(Mapping[str, "Adapter"]):
    """By their driver; each is imported and made when it is first asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], "Adapter"]]) -> None:
        self._makers = makers
        self._made: dict[str, Adapter] = {}

    def __getitem__(self, driver: str) -> "Adapter":
        if driver not in self._made:
            self._made[driver] = self._makers[driver]()
        return self._made[driver]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def _codex() -> "Adapter":
    from groupx.adapters.codex.adapter import CodexAdapter

    return CodexAdapter()


def _claude() -> "Adapter":
    from groupx.adapters.claude.adapter import ClaudeAdapter

    return ClaudeAdapter()


def _acp(row: AcpDriver) -> "Adapter":
    from groupx.adapters.acp.adapter import AcpAdapter

    return AcpAdapter(row)


def adapters_of(rows: Iterable[AcpDriver]) -> Mapping[str, "Adapter"]:
    """Every protocol's adapter by its driver; a program that speaks ACP is no more than a row."""
    return Adapters(
        {"codex": _codex, "claude": _claude, **{row.name: partial(_acp, row) for row in rows}}
    )


ADAPTERS = adapters_of(DRIVERS)
"""Every driver of this version."""


def adapter_for(driver: str) -> "Adapter":
    """The adapter of `driver`. Raises PROVIDER_NOT_CLAIMED, naming it and the known ones."""
    adapter = ADAPTERS.get(driver)
    if adapter is None:
        raise GroupXError(
            ErrorCode.PROVIDER_NOT_CLAIMED,
            f"There is no driver '{driver}', so the agent cannot be started. "
            f"Known: {', '.join(ADAPTERS)}. For a program that speaks ACP, use driver 'acp'.",
            driver=driver,
            known=list(ADAPTERS),
        )
    return adapter
