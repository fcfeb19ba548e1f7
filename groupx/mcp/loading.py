"""The SDK is slow to import (a second, 65 MB): on a thread, once the daemon answers."""

import trio

from groupx.mcp.mount import OpenDesk
from groupx.mcp.room import RoomFace


async def load_desks(room: RoomFace) -> OpenDesk:
    """What opens a caller's desk."""

    def load() -> OpenDesk:
        from groupx.mcp.desks import opener  # noqa: PLC0415  heavy

        return opener(room)

    return await trio.to_thread.run_sync(load, abandon_on_cancel=True)
