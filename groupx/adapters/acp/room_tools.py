"""Whether a program has reached the MCP server that it was given, where it tells."""

import trio

from groupx.adapters.acp.quirks import Quirks
from groupx.adapters.acp.usage import count_of
from groupx.adapters.json_lines import Json
from groupx.adapters.jsonrpc import NotificationHandler


class RoomTools:
    """What one program's session tells of its MCP servers."""

    def __init__(self, quirks: Quirks) -> None:
        self._name = quirks.tells_mcp
        self._seconds = quirks.mcp_wait_seconds
        self._told = trio.Event()
        self._found: int | None = None

    @property
    def notifications(self) -> dict[str, NotificationHandler]:
        """By which it tells; nothing for a program that does not."""
        return {self._name: self._on_told} if self._name else {}

    async def reached(self) -> bool:
        """Wait until it is done, or its time is over; False only when it found no tools."""
        if self._name:
            with trio.move_on_after(self._seconds):
                await self._told.wait()
        return self._found != 0

    def _on_told(self, params: Json) -> None:
        self._found = count_of(params.get("mcpToolCount"))
        self._told.set()
