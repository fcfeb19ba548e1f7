"""Agents, as the operator is told of them."""

from typing import Any

from groupx.domain.text import excerpt
from groupx.domain.views import AgentView

REASON_CHARACTERS = 200


def agent_told(view: AgentView) -> dict[str, Any]:
    """What matters for running the room, in a few hundred bytes."""
    told: dict[str, Any] = {
        "agentId": view.id,
        "name": view.name,
        "driver": view.driver,
        "state": view.state.value,
        "paused": view.paused,
        "queued": view.lane.queued,
    }
    if view.lane.active_turn_id is not None:
        told["activeTurnId"] = view.lane.active_turn_id
    if view.last_error is not None:
        message = excerpt(view.last_error.message, REASON_CHARACTERS)
        told["lastError"] = {"code": view.last_error.code, "message": message}
    return told
