"""GET /api/search: what was said and what is remembered, by its words."""

from groupx.actors.messages import Read
from groupx.domain.search_page import SearchQuery
from groupx.store.queries.search import search as read_search
from groupx.web.errors import Answer, invalid, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services

DEFAULT_LIMIT = 20
SEARCH_DEADLINE_MS = 100


async def search(services: Services, call: Call) -> Answer:
    """`{results[], nextCursor?, indexing?}`, the newest first; STORE_BUSY when it takes too
    long."""
    asked = call.query
    query = SearchQuery(
        text=asked.get("q", ""),
        room_id=asked.get("roomId"),
        all_rooms=asked.get("rooms") == "all",
        cursor=_cursor(asked.get("cursor")),
        limit=asked.get("limit", DEFAULT_LIMIT),
    )
    return json_answer(await services.store.ask(Read(read_search, query, SEARCH_DEADLINE_MS)))


def _cursor(given: str | None) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdigit()):
        raise invalid("'cursor' must be the 'nextCursor' of a page.", field="cursor")
    return int(given)


HANDLERS = {"search": search}
