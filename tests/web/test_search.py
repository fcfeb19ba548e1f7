"""GET /api/search when it takes too long."""

import pytest

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.search_page import SearchPage

TOO_LONG = GroupXError(ErrorCode.STORE_BUSY, "It took longer.")


def only_whole_words(request):
    if not request.query.whole_words:
        raise TOO_LONG
    return SearchPage(results=(), whole_words=True)


async def test_the_beginnings_of_words_are_left_out_and_that_is_said(client, store):
    store.answers["Read"] = only_whole_words
    answer = await client.get("/api/search?q=plan%20th")
    assert (answer.status, answer.json()) == (200, {"results": [], "wholeWords": True})
    assert [request.query.text for request in store.asked] == ["plan th"] * 2


@pytest.mark.parametrize(("query", "asked"), [("%E7%B4%A2%E5%BC%95", 1), ("plan", 2)])
async def test_what_takes_too_long_all_the_same_is_refused(client, store, query, asked):
    store.answers["Read"] = TOO_LONG
    answer = await client.get(f"/api/search?q={query}")
    assert (answer.status, answer.code, len(store.asked)) == (503, "STORE_BUSY", asked)


async def test_no_search_is_too_long(client, store):
    """Nor one for records; only an address is: it is bounded as any."""
    store.answers["Read"] = SearchPage(results=())
    answer = await client.get("/api/search?q=" + "x" * 10_000)
    assert answer.status == 200
