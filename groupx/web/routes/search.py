"""/api/search: what was said and what is remembered, by its words; and its index anew."""

import attrs

from groupx.actors.messages import Read, ReindexSearch
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.search_page import SearchQuery
from groupx.domain.search_query import parse_search
from groupx.store.queries.search import search as read_search
from groupx.web.errors import Answer, invalid, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services

DEFAULT_LIMIT = 20
SEARCH_DEADLINE_MS = 100


async def search(services: Services, call: Call) -> Answer:
    """`{results[], nextCursor?, indexing?, wholeWords?}`, the newest first.

    STORE_BUSY when it takes too long, also for whole words only.
    """
    asked = call.query
    query = SearchQuery(
        text=asked.get("q", ""),
        room_id=asked.get("roomId"),
        all_rooms=asked.get("rooms") == "all",
        cursor=_cursor(asked.get("cursor")),
        limit=asked.get("limit", DEFAULT_LIMIT),
    )
    try:
        page = await services.store.ask(Read(read_search, query, SEARCH_DEADLINE_MS))
    except GroupXError as error:
        if error.code is not ErrorCode.STORE_BUSY or not parse_search(query.text).beginnings:
            raise
        whole = attrs.evolve(query, whole_words=True)
        page = await services.store.ask(Read(read_search, whole, SEARCH_DEADLINE_MS))
    return json_answer(page)


def _cursor(given: str | None) -> int | None:
    if given is None:
        return None
    digits = given.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise invalid("'cursor' must be the 'nextCursor' of a page.", field="cursor")
    return int(given)


async def reindex(services: Services, call: Call) -> Answer:
    """202 `{done, total}` once the index is empty; it fills in the background."""
    message = ReindexSearch(client_command_id=call.body["clientCommandId"])
    return json_answer(await services.broker.ask(message), 202)


HANDLERS = {"search": search, "reindex_search": reindex}
