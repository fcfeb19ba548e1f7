"""setup_update: the room's settings, saved as a whole."""

from typing import Any

from pydantic import Field

from groupx.domain.wire import to_wire
from groupx.mcp.tool import Answer, Arguments, Call, Tool


class SetupUpdate(Arguments):
    """The whole document."""

    revision: str = Field(description="As `setup_read` gave it.")
    config: dict[str, Any] = Field(
        description="The whole document of `setup_read`, changed. A null value in an `env` keeps "
        "what is there; a text replaces it; a name that is left out is removed."
    )


async def _update(call: Call, given: SetupUpdate) -> Answer:
    return to_wire(await call.room.setup.save(given.revision, given.config))


SETUP_UPDATE = Tool(
    name="setup_update",
    description="Replace the room's config file. It is checked first, and an error names the place "
    "in the document. What runs goes on unchanged: the user's restart makes it count.",
    arguments=SetupUpdate,
    run=_update,
)
