"""Driver → adapter. A driver that is not here is refused, never guessed."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from groupx.adapters.acp.adapter import AcpAdapter
from groupx.adapters.acp.drivers import DRIVERS, AcpDriver
from groupx.adapters.claude.adapter import ClaudeAdapter
from groupx.adapters.codex.adapter import CodexAdapter
from groupx.adapters.contract import Adapter
from groupx.domain.errors import ErrorCode, GroupXError


def adapters_of(rows: Iterable[AcpDriver]) -> Mapping[str, Adapter]:
    """Every protocol's adapter by its driver; a program that speaks ACP is no more than a row."""
    own: tuple[Adapter, ...] = (CodexAdapter(), ClaudeAdapter())
    return MappingProxyType(
        {adapter.driver: adapter for adapter in (*own, *(AcpAdapter(row) for row in rows))}
    )


ADAPTERS = adapters_of(DRIVERS)
"""Every driver of this version."""


def adapter_for(driver: str) -> Adapter:
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
