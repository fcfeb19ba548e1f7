"""Who may act in the room through MCP: one bearer for each open session, while it is open."""

import hashlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Literal

import attrs
import trio

from groupx.adapters.contract import McpServer
from groupx.domain.ids import ActorId

SERVER_NAME = "groupx"
"""What programs call the room's tools by."""
BEARER_BYTES = 32

Desk = Literal["member", "operator"]
"""Which set of tools a caller is given."""
PATHS: dict[Desk, str] = {"member": "/mcp", "operator": "/mcp/operator"}


@attrs.frozen(kw_only=True, eq=False)
class Caller:
    """One binding. It is the sender of whatever comes with its bearer."""

    desk: Desk
    binding_id: str
    actor_id: ActorId
    instance_id: str | None
    """The running program of a member; None for the operator."""
    at_work: Callable[[], bool] = lambda: True
    """Whether the operator is at work on a reply; a member's running turn is in the ledger."""
    gone: trio.Event = attrs.field(factory=trio.Event)
    """Set when the session has ended: nothing of it may go on."""


class Callers:
    """Bearers, in memory only, by their hash."""

    def __init__(self, base_url: str, entropy: Callable[[int], bytes]) -> None:
        self._base_url = base_url
        self._entropy = entropy
        self._by_hash: dict[bytes, Caller] = {}

    @contextmanager
    def admitted(self, caller: Caller) -> Generator[McpServer]:
        """The way in for `caller`, valid inside the block."""
        bearer = self._entropy(BEARER_BYTES).hex()
        key = _hash(bearer)
        self._by_hash[key] = caller
        try:
            yield McpServer(
                name=SERVER_NAME, url=self._base_url + PATHS[caller.desk], bearer=bearer
            )
        finally:
            del self._by_hash[key]
            caller.gone.set()

    def find(self, bearer: str, desk: Desk) -> Caller | None:
        """Whose bearer this is; None when it opens nothing at that desk."""
        caller = self._by_hash.get(_hash(bearer))
        return caller if caller is not None and caller.desk == desk else None


def _hash(bearer: str) -> bytes:
    return hashlib.sha256(bearer.encode("utf-8", "surrogatepass")).digest()
