"""POST /api/runtime/…: stop this runtime or start it anew, and no other that has its port."""

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Entrance


async def shutdown(entrance: Entrance, call: Call) -> Answer:
    """202 and the stop begins. RUNTIME_SCOPE_MISMATCH for a runtime of another config path."""
    _refuse_another(entrance, call, "stopped")
    entrance.request_shutdown()
    return _told(entrance)


async def restart(entrance: Entrance, call: Call) -> Answer:
    """202, then an ordered stop and a new start with the config as it is now, on the same port.

    RUNTIME_SCOPE_MISMATCH as above; nothing is stopped for a config that cannot be started.
    """
    _refuse_another(entrance, call, "restarted")
    await entrance.setup.desk.check()
    entrance.request_restart()
    return _told(entrance)


def _refuse_another(entrance: Entrance, call: Call, done: str) -> None:
    own = entrance.facts.runtime_scope_key
    if call.body["runtimeScopeKey"] != own:
        raise GroupXError(
            ErrorCode.RUNTIME_SCOPE_MISMATCH,
            f"The GroupX on this port belongs to another config, so it was not {done}. "
            "Name the config it was started with.",
            runtimeScopeKey=own,
        )


def _told(entrance: Entrance) -> Answer:
    facts = entrance.facts
    keys = {"runtimeKey": facts.runtime_key, "runtimeScopeKey": facts.runtime_scope_key}
    return json_answer(keys, 202)


HANDLERS = {"shutdown": shutdown, "restart": restart}
