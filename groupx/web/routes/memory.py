"""GET·POST /api/memory…: what the room and its agents remember."""

from groupx.actors.messages import Read, Remember
from groupx.domain.memory_commands import MemoryDraft, MemoryQuery
from groupx.store.queries.memories import memories_and_summary
from groupx.store.queries.rollups import DaysQuery, dated_days
from groupx.web.errors import Answer, invalid, json_answer, wire_answer
from groupx.web.guards import Call
from groupx.web.routes.agents import addressed_agent
from groupx.web.routes.records import (
    DEFAULT_LIMIT,
    READ_DEADLINE_MS,
    page_wire,
    reading,
    retracting,
    superseding,
)
from groupx.web.services import Services


async def list_memories(services: Services, call: Call) -> Answer:
    """`{records, nextBefore?}`, the newest first; above them the room's checkpoint, if it fits the
    filters. NOT_FOUND for no such room."""
    asked = call.query
    query = MemoryQuery(
        room_id=asked.get("roomId"),
        words=asked.get("q"),
        scope_type=asked.get("scopeType"),
        scope_id=asked.get("scopeId"),
        agent_memory_type=asked.get("agentMemoryType"),
        kind=asked.get("kind"),
        author=asked.get("author"),
        subject=asked.get("subject"),
        history=asked.get("show") == "history",
        before=asked.get("before"),
        limit=asked.get("limit", DEFAULT_LIMIT),
    )
    found = await services.store.ask(Read(memories_and_summary, query, READ_DEADLINE_MS))
    return wire_answer(await page_wire(services, call, found))


async def list_dated_days(services: Services, call: Call) -> Answer:
    """`{days: [{localDate, waitingTurns, record?, …}], nextBefore?}` of one agent, newest first.

    UNKNOWN_TARGET, UNKNOWN_ACTOR, NOT_FOUND for no such room.
    """
    asked = call.query
    query = DaysQuery(
        actor_id=addressed_agent(asked["agent"]),
        room_id=asked.get("roomId"),
        local_date=asked.get("localDate"),
        before=asked.get("before"),
        limit=asked.get("limit", DEFAULT_LIMIT),
    )
    found = await services.store.ask(Read(dated_days, query, READ_DEADLINE_MS))
    return json_answer(found)


async def remember_memory(services: Services, call: Call) -> Answer:
    """`{record, eventId}`: keep it for the room, an interaction or an agent (as its core)."""
    scope_type, owner = call.body["scopeType"], call.body.get("scopeId")
    if scope_type != "room" and owner is None:
        raise invalid(f"'scopeId' must say for which {scope_type} this is kept.", field="scopeId")
    draft = MemoryDraft(
        layer="core" if scope_type == "agent" else scope_type,
        owner=owner,
        kind=call.body["kind"],
        content=call.body["content"],
        subject_actor_id=call.body.get("subjectActorId"),
        source_event_id=call.body.get("sourceEventId"),
    )
    message = Remember(client_command_id=call.body["clientCommandId"], draft=draft)
    return json_answer(await services.broker.ask(message))


HANDLERS = {
    "memories": list_memories,
    "dated_days": list_dated_days,
    "read_memory": reading("memory"),
    "remember_memory": remember_memory,
    "supersede_memory": superseding("memory"),
    "retract_memory": retracting("memory"),
}
