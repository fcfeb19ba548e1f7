"""The SDK is slow to import (a second, 65 MB): a room whose agents use no tools does without."""

from groupx.actors.importing import imported
from groupx.mcp.mount import OpenDesk
from groupx.mcp.room import RoomFace


async def load_desks(room: RoomFace) -> OpenDesk:
    """What opens a caller's desk."""
    desks = await imported("groupx.mcp.desks")
    return desks.opener(room)
