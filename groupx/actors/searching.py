"""A page of a search, made of slices, so that between them writers go first."""

import attrs
import trio

from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToStore
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.search_page import SearchHit, SearchPage, SearchQuery, SearchSlice
from groupx.store.queries.search import search

SLICE_DEADLINE_MS = 100
PAGE_SECONDS = 0.5
"""After this no further slice is asked for: a page has what there is, and the way to older ones."""
MAX_SLICES = 50
"""Of one page, however fast they are."""


async def find(store: ActorRef[ToStore], query: SearchQuery) -> SearchPage:
    """The newest hits first. A page may be short, or empty, and still have a next one.

    NOT_FOUND for no such room, STORE_BUSY when the first slice takes too long.
    """
    until = trio.current_time() + PAGE_SECONDS
    got = await _slice(store, query)
    hits = list(got.results)
    for _ in range(MAX_SLICES - 1):
        if got.next_cursor is None or len(hits) == query.limit or trio.current_time() > until:
            break
        try:
            got = await _slice(store, _rest(query, got, hits))
        except GroupXError as error:
            if error.code is not ErrorCode.STORE_BUSY:
                raise
            break
        hits += got.results
    return SearchPage(results=tuple(hits), next_cursor=got.next_cursor, indexing=got.indexing)


def _rest(query: SearchQuery, got: SearchSlice, hits: list[SearchHit]) -> SearchQuery:
    return attrs.evolve(
        query,
        limit=query.limit - len(hits),
        cursor=int(got.next_cursor or 0),
        common=got.common,
    )


async def _slice(store: ActorRef[ToStore], query: SearchQuery) -> SearchSlice:
    return await store.ask(Read(search, query, SLICE_DEADLINE_MS))
