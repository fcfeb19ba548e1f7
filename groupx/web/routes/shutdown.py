"""POST /api/runtime/shutdown: stop this runtime, and no other that may have its port."""

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Entrance


async def shutdown(entrance: Entrance, call: Call) -> Answer:
    """202 and the stop begins. RUNTIME_SCOPE_MISMATCH for a runtime of another config path."""
    own = entrance.facts.runtime_scope_key
    if call.body["runtimeScopeKey"] != own:
        raise GroupXError(
            ErrorCode.RUNTIME_SCOPE_MISMATCH,
            "The GroupX on this port belongs to another config, so it was not stopped. "
            "Run 'groupx stop' with the config it was started with.",
            runtimeScopeKey=own,
        )
    entrance.request_shutdown()
    return json_answer({"runtimeKey": entrance.facts.runtime_key, "runtimeScopeKey": own}, 202)


HANDLERS = {"shutdown": shutdown}
