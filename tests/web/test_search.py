"""GET /api/search at its bounds."""

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.search_page import SearchSlice

TOO_LONG = GroupXError(ErrorCode.STORE_BUSY, "It took longer.")


async def test_what_takes_too_long_is_refused(client, store):
    store.answers["Read"] = TOO_LONG
    answer = await client.get("/api/search?q=plan")
    assert (answer.status, answer.code, len(store.asked)) == (503, "STORE_BUSY", 1)


async def test_no_search_is_too_long(client, store):
    """Nor one for records; only an address is: it is bounded as any."""
    store.answers["Read"] = SearchSlice(results=())
    answer = await client.get("/api/search?q=" + "x" * 10_000)
    assert answer.status == 200
