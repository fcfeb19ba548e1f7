"""GET /api/history: older events, page by page."""

from typing import Any

import orjson

from groupx.actors.messages import Read
from groupx.domain.pages import HistoryPage, HistoryQuery
from groupx.store.queries.history import history as read_history
from groupx.web.errors import Answer, wire_answer
from groupx.web.guards import Call
from groupx.web.services import Services

DEFAULT_LIMIT = 100


async def history(services: Services, call: Call) -> Answer:
    """The events below `beforeSeq` (or the newest), ascending. NOT_FOUND for no such room."""
    query = HistoryQuery(
        room_id=call.query.get("roomId"),
        before_seq=call.query.get("beforeSeq"),
        limit=call.query.get("limit", DEFAULT_LIMIT),
    )
    page = await services.store.ask(Read(read_history, query))
    return wire_answer(await page_wire(services, call, page))


async def page_wire(services: Services, call: Call, page: HistoryPage) -> dict[str, Any]:
    """A page's events as they were encoded once, and the way to the page before."""
    before = page.previous_before_seq
    if call.query.get("render") == "html":
        events = await services.views.page(page.events)
    else:
        events = [frame.data for frame in page.events]
    return {
        "events": [orjson.Fragment(data) for data in events],
        "previousPage": None if before is None else {"beforeSeq": before},
        "throughSeq": page.through_seq,
    }


HANDLERS = {"history": history}
