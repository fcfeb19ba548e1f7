"""GET /api/health: who listens here; and, to the user, how it stands. Only from memory."""

from typing import Any

from groupx.domain.wire import to_wire
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Entrance, Services, Status

PROTOCOL = "groupx.runtime/1"


async def health(entrance: Entrance, call: Call) -> Answer:
    """Identity and status; with the token also agents, queues, store and database."""
    state = entrance.status()
    facts = entrance.facts
    body: dict[str, Any] = {
        "service": "groupx",
        "protocol": PROTOCOL,
        **to_wire(state),
        "runtimeKey": facts.runtime_key,
        "runtimeScopeKey": facts.runtime_scope_key,
        "version": facts.version,
    }
    if call.known and isinstance(entrance, Services):
        body |= _room(entrance)
    return json_answer(body, 503 if state.status is Status.CLOSING else 200)


def _room(services: Services) -> dict[str, Any]:
    views = services.directory.views()
    return {
        "agents": {view.actor_id: view.state.value for view in views},
        "queues": {view.actor_id: view.lane.queued for view in views},
        "store": services.store_health(),
        "rollups": services.rollups_health(),
        "search": services.search_health(),
        "database": services.database,
        **to_wire(services.setup.desk.waiting),
    }


HANDLERS = {"health": health}
