"""GET·POST /api/identity…: what is said about who the agents are."""

from groupx.actors.messages import Read, Remember
from groupx.domain.ids import ActorId
from groupx.domain.memory_commands import IdentityDraft, IdentityQuery
from groupx.store.queries.memories import identities
from groupx.web.errors import Answer, json_answer, wire_answer
from groupx.web.guards import Call
from groupx.web.routes.records import (
    DEFAULT_LIMIT,
    READ_DEADLINE_MS,
    page_wire,
    reading,
    retracting,
    superseding,
)
from groupx.web.services import Services


async def list_identities(services: Services, call: Call) -> Answer:
    """`{records, nextBefore?, configured?, configuredView?}`, the newest first. `configured` is
    what the config that the room runs with says of the `subject`."""
    asked = call.query
    query = IdentityQuery(
        subject=asked.get("subject"),
        author=asked.get("author"),
        kind=asked.get("kind"),
        history=asked.get("show") == "history",
        before=asked.get("before"),
        limit=asked.get("limit", DEFAULT_LIMIT),
    )
    page = await services.store.ask(Read(identities, query, READ_DEADLINE_MS))
    found = await page_wire(services, call, page)
    configured = _configured(services, query.subject)
    if configured:
        found["configured"] = configured
        if call.query.get("render") == "html":
            found["configuredView"] = await services.views.of_text(configured)
    return wire_answer(found)


def _configured(services: Services, subject: ActorId | None) -> str | None:
    running = services.setup.desk.running
    agents = () if running is None else running.agents
    return next((it.identity for it in agents if it.actor_id == subject), None)


async def remember_identity(services: Services, call: Call) -> Answer:
    """`{record, eventId}`: say what an agent is. UNKNOWN_ACTOR."""
    draft = IdentityDraft(
        subject_actor_id=call.body["subjectActorId"],
        kind=call.body["kind"],
        content=call.body["content"],
        source_event_id=call.body.get("sourceEventId"),
    )
    message = Remember(client_command_id=call.body["clientCommandId"], draft=draft)
    return json_answer(await services.broker.ask(message))


HANDLERS = {
    "identities": list_identities,
    "read_identity": reading("identity"),
    "remember_identity": remember_identity,
    "supersede_identity": superseding("identity"),
    "retract_identity": retracting("identity"),
}
