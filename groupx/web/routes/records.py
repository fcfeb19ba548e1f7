"""What the routes of memories and of identities share: one record in the place of another."""

from collections.abc import Awaitable, Callable

from groupx.actors.messages import Retract, Supersede
from groupx.domain.memory import Family
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services

READ_DEADLINE_MS = 1_000
DEFAULT_LIMIT = 50

Handler = Callable[[Services, Call], Awaitable[Answer]]


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
