"""An AgentView as it was remembered with a command, made a record again."""

from collections.abc import Mapping
from typing import Any

from groupx.domain.ids import ActorId
from groupx.domain.roster import AgentState
from groupx.domain.views import AgentView, ContextView, ErrorView, LaneView, ProgramView


def agent_view_from(wire: Mapping[str, Any]) -> AgentView:
    """The record whose wire form this is."""
    error, program, lane = wire.get("lastError"), wire.get("program"), wire["lane"]
    context = wire.get("context")
    return AgentView(
        actor_id=ActorId(wire["actorId"]),
        id=wire["id"],
        name=wire["name"],
        driver=wire["driver"],
        enabled=wire["enabled"],
        state=AgentState(wire["state"]),
        paused=wire["paused"],
        since=wire["since"],
        last_error=None if error is None else ErrorView(**error),
        instance_id=wire.get("instanceId"),
        cwd=wire["cwd"],
        program=None if program is None else ProgramView(**program),
        continuity=wire["continuity"],
        transport=wire["transport"],
        mcp=wire["mcp"],
        capabilities=wire["capabilities"],
        lane=LaneView(active_turn_id=lane.get("activeTurnId"), queued=lane["queued"]),
        context=None if context is None else ContextView(**context),
    )
