"""GET /api/history: what was said before, page by page in both directions."""

from typing import Any

import orjson

from groupx.actors.messages import Read
from groupx.domain.pages import HistoryPage, HistoryQuery
from groupx.store.queries.history import history as read_history
from groupx.web.errors import Answer, invalid, wire_answer
from groupx.web.guards import Call
from groupx.web.services import Services

DEFAULT_LIMIT = 100
PLACES = ("beforeSeq", "afterSeq", "around")


async def history(services: Services, call: Call) -> Answer:
    """The events below `beforeSeq`, above `afterSeq`, around one (or the newest), ascending.

    INVALID_ENVELOPE for more than one place; NOT_FOUND for no such room or event.
    """
    if sum(place in call.query for place in PLACES) > 1:
        raise invalid(f"Give only one of {', '.join(PLACES)}: a page stands at one place.")
    query = HistoryQuery(
        room_id=call.query.get("roomId"),
        before_seq=call.query.get("beforeSeq"),
        after_seq=call.query.get("afterSeq"),
        around=call.query.get("around"),
        limit=call.query.get("limit", DEFAULT_LIMIT),
    )
    page = await services.store.ask(Read(read_history, query))
    after = page.next_after_seq
    beyond = {
        "nextPage": None if after is None else {"afterSeq": after},
        "endings": [orjson.Fragment(ending.data) for ending in page.endings],
    }
    return wire_answer(await page_wire(services, call, page) | beyond)


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
