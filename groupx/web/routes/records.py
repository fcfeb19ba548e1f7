"""What the routes of memories and of identities share: a page of records, one of them, and one in
the place of another."""

from collections.abc import Awaitable, Callable
from typing import Any

from groupx.actors.messages import Read, Retract, Supersede
from groupx.domain.memory import Family
from groupx.domain.memory_commands import IdentityPage, MemoryPage, RecordQuery
from groupx.domain.wire import to_wire
from groupx.store.queries.memories import placed_record
from groupx.web.errors import Answer, json_answer, wire_answer
from groupx.web.guards import Call
from groupx.web.services import Services

READ_DEADLINE_MS = 1_000
DEFAULT_LIMIT = 50

Handler = Callable[[Services, Call], Awaitable[Answer]]


async def page_wire(
    services: Services, call: Call, page: MemoryPage | IdentityPage
) -> dict[str, Any]:
    """`{records, nextBefore?}`; with `render=html` each record has a `view`."""
    told: dict[str, Any] = to_wire(page)
    if call.query.get("render") == "html":
        await services.views.beside(told["records"])
    return told


def reading(family: Family) -> Handler:
    """`{record, roomId?}`, whatever its status, and of which room it is. NOT_FOUND."""

    async def read(services: Services, call: Call) -> Answer:
        query = RecordQuery(family=family, record_id=call.segments[f"{family}_id"])
        told: dict[str, Any] = to_wire(await services.store.ask(Read(placed_record, query)))
        if call.query.get("render") == "html":
            await services.views.beside([told["record"]])
        return wire_answer(told)

    return read


def superseding(family: Family) -> Handler:
    """`{record, eventId}`: the new record. NOT_FOUND, STORE_CONFLICT when it is not active."""

    async def supersede(services: Services, call: Call) -> Answer:
        message = Supersede(
            client_command_id=call.body["clientCommandId"],
            family=family,
            record_id=call.segments[f"{family}_id"],
            new_kind=call.body.get("kind"),
            content=call.body["content"],
            source_event_id=call.body.get("sourceEventId"),
        )
        return json_answer(await services.broker.ask(message))

    return supersede


def retracting(family: Family) -> Handler:
    """`{record, eventId}`: the record as it is now. NOT_FOUND, STORE_CONFLICT."""

    async def retract(services: Services, call: Call) -> Answer:
        message = Retract(
            client_command_id=call.body["clientCommandId"],
            family=family,
            record_id=call.segments[f"{family}_id"],
        )
        return json_answer(await services.broker.ask(message))

    return retract
