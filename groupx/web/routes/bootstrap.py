"""GET /api/bootstrap: the room as one snapshot of the ledger, the agents and what runs."""

from typing import Any

import attrs

from groupx.actors.messages import Read
from groupx.domain.ids import USER_WEB
from groupx.domain.pages import Bootstrap, BootstrapQuery, LaneSnapshot
from groupx.domain.views import AgentView, TurnView
from groupx.domain.wire import to_wire
from groupx.store.queries.bootstrap import bootstrap as read_bootstrap
from groupx.web.errors import Answer, wire_answer
from groupx.web.guards import Call
from groupx.web.routes.history import page_wire
from groupx.web.services import Services

SCHEMA = "groupx.bootstrap/1"


async def bootstrap(services: Services, call: Call) -> Answer:
    """Everything a face shows first (docs/http.md). NOT_FOUND for no such room."""
    query = BootstrapQuery(room_id=call.query.get("roomId"))
    found = await services.store.ask(Read(read_bootstrap, query))
    page = await page_wire(services, call, found.page)
    return wire_answer(_wire(services, found) | page)


def _wire(services: Services, found: Bootstrap) -> dict[str, Any]:
    facts, assistant = services.facts, services.assistant.board.view
    lanes = {lane.actor_id: lane for lane in found.lanes}
    return {
        "schema": SCHEMA,
        "runtime": {
            "version": facts.version,
            "channel": facts.channel,
            "status": services.status().status.value,
            "startedAt": facts.started_at,
            "runtimeKey": facts.runtime_key,
        },
        "database": to_wire(services.database),
        "room": to_wire(found.room),
        "rooms": to_wire(found.rooms),
        "me": {"actorId": USER_WEB, "kind": "user"},
        "agents": [
            to_wire(_with_lane(view, lanes.get(view.actor_id)))
            for view in services.directory.views()
        ],
        "assistant": {"enabled": assistant.enabled, "state": assistant.state.value},
        "activeTurns": [_turn_wire(services, turn) for turn in found.turns],
        "limits": to_wire(services.limits),
        "notices": to_wire(services.notices),
        **to_wire(services.setup.desk.waiting),
    }


def _with_lane(view: AgentView, lane: LaneSnapshot | None) -> AgentView:
    return view if lane is None else attrs.evolve(view, lane=lane.lane, paused=lane.paused)


def _turn_wire(services: Services, turn: TurnView) -> dict[str, Any]:
    live = services.hub.live(turn.turn_id)
    wire: dict[str, Any] = to_wire(turn)
    return wire if live is None else wire | {"live": to_wire(live)}


HANDLERS = {"bootstrap": bootstrap}
