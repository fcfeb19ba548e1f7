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
DEADLINE_MS = 250


async def history(services: Services, call: Call) -> Answer:
    """The events below `beforeSeq` (or the newest), ascending."""
    query = HistoryQuery(
        before_seq=call.query.get("beforeSeq"), limit=call.query.get("limit", DEFAULT_LIMIT)
    )
    return wire_answer(page_wire(await services.store.ask(Read(read_history, query, DEADLINE_MS))))


def page_wire(page: HistoryPage) -> dict[str, Any]:
    """A page's events as they were encoded once, and the way to the page before."""
    before = page.previous_before_seq
    return {
        "events": [orjson.Fragment(frame.data) for frame in page.events],
        "previousPage": None if before is None else {"beforeSeq": before},
        "throughSeq": page.through_seq,
    }


HANDLERS = {"history": history}
