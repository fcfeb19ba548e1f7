"""setup_read: the room's settings, without the value of any variable."""

from groupx.domain.config_draft import written
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.wire import to_wire
from groupx.mcp.tool import MAX_RESULT_BYTES, Answer, Arguments, Call, Tool

MAX_CONFIG_BYTES = MAX_RESULT_BYTES - 8 * 1024
"""As it is written; the rest of the answer is short."""


class SetupRead(Arguments):
    """Nothing to choose."""


async def _read(call: Call, _given: SetupRead) -> Answer:
    desk = call.room.setup
    draft = await desk.read()
    if len(written(draft.config)) > MAX_CONFIG_BYTES:
        raise GroupXError(
            ErrorCode.MESSAGE_TOO_LARGE,
            "The config is too long to be read here; nothing was done. The user can edit "
            f"{draft.path}, or use the page's settings.",
        )
    return to_wire(draft) | to_wire(desk.waiting)


SETUP_READ = Tool(
    name="setup_read",
    description="Read the room's config file: which agents there are and how they are started. In "
    "each `env` the values are null, whatever they are. `pendingRestart` names the agents whose "
    "saved settings the running room does not have yet; `pendingPort`, if there, is its port from "
    "the next `groupx restart` on.",
    arguments=SetupRead,
    run=_read,
)
