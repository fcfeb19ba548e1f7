"""GET /api/events/:id/view: one event's rendered HTML, however long it is."""

from groupx.actors.messages import Read
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.queries.event import event as read_event
from groupx.web.errors import Answer, wire_answer
from groupx.web.guards import Call
from groupx.web.services import Services


async def event_view(services: Services, call: Call) -> Answer:
    """`{eventId, html}`; NOT_FOUND for an unknown event and for one without words."""
    event_id = call.segments["event_id"]
    html = await services.views.on_demand(await services.store.ask(Read(read_event, event_id)))
    if html is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND, f"The event '{event_id}' has no words, so it has no view."
        )
    return wire_answer({"eventId": event_id, "html": html})


HANDLERS = {"event_view": event_view}
