"""/api/search: what was said and what is remembered, by its words; and its index anew."""

from groupx.actors.messages import ReindexSearch
from groupx.actors.searching import find
from groupx.domain.search_page import SearchQuery
from groupx.web.errors import Answer, invalid, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services

DEFAULT_LIMIT = 20


async def search(services: Services, call: Call) -> Answer:
    """`{results[], nextCursor?, indexing?}`, the newest first. STORE_BUSY."""
    asked = call.query
    query = SearchQuery(
        text=asked.get("q", ""),
        room_id=asked.get("roomId"),
        all_rooms=asked.get("rooms") == "all",
        cursor=_cursor(asked.get("cursor")),
        limit=asked.get("limit", DEFAULT_LIMIT),
    )
    return json_answer(await find(services.store, query))


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
