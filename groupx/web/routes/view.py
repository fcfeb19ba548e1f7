"""GET /api/events/:id: one event, of whatever room; and its rendered HTML, however long it is."""

import orjson

from groupx.actors.messages import Read
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.queries.event import event as read_event
from groupx.web.errors import Answer, wire_answer
from groupx.web.guards import Call
from groupx.web.services import Services


async def event(services: Services, call: Call) -> Answer:
    """`{event}`, as everyone gets it; NOT_FOUND."""
    frame = await services.store.ask(Read(read_event, call.segments["event_id"]))
    return wire_answer({"event": orjson.Fragment(frame.data)})


async def event_view(services: Services, call: Call) -> Answer:
    """`{eventId, html}`; NOT_FOUND for an unknown event and for one without words."""
    event_id = call.segments["event_id"]
    html = await services.views.on_demand(await services.store.ask(Read(read_event, event_id)))
    if html is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND, f"The event '{event_id}' has no words, so it has no view."
        )
    return wire_answer({"eventId": event_id, "html": html})


HANDLERS = {"event": event, "event_view": event_view}
