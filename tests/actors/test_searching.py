"""A page of a search, made of slices."""

import pytest
import trio

from groupx.actors.searching import MAX_SLICES, PAGE_SECONDS, find
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import MAIN_ROOM, USER_WEB
from groupx.domain.search_page import SearchHit, SearchPage, SearchQuery, SearchSlice

TOO_LONG = GroupXError(ErrorCode.STORE_BUSY, "It took longer.")
QUERY = SearchQuery(text="plan th", limit=3)


class Slices:
    """Gives `count` hits a slice, at most as many as are asked for, and goes on below."""

    def __init__(self, *counts, seconds=0.0):
        self.counts = list(counts)
        self.asked = []
        self.seconds = seconds

    async def ask(self, request):
        self.asked.append(request.query)
        await trio.sleep(self.seconds)
        count = self.counts.pop(0)
        if isinstance(count, GroupXError):
            raise count
        hits = tuple(hit(n) for n in range(min(count, request.query.limit)))
        below = str(100 - len(self.asked)) if self.counts else None
        return SearchSlice(results=hits, next_cursor=below, common=frozenset({"th"}))


def hit(number):
    return SearchHit(
        kind="message", id=f"evt_{number}", seq=number, room_id=MAIN_ROOM, actor_id=USER_WEB,
        excerpt_html="plan", at="t",
    )  # fmt: skip


async def test_short_slices_make_one_page_and_each_knows_what_the_one_before_found_out(
    autojump_clock,
):
    store = Slices(0, 2, 5, 5)
    page = await find(store, QUERY)
    assert type(page) is SearchPage
    assert ([it.id for it in page.results], page.next_cursor) == (["evt_0", "evt_1", "evt_0"], "97")
    assert [(it.limit, it.cursor, it.common) for it in store.asked] == [
        (3, None, None), (3, 99, {"th"}), (1, 98, {"th"}),
    ]  # fmt: skip


async def test_the_end_is_the_end(autojump_clock):
    page = await find(Slices(1), QUERY)
    assert (len(page.results), page.next_cursor) == (1, None)


async def test_nobody_waits_for_more_than_so_long(autojump_clock):
    store = Slices(*[0] * 99, seconds=PAGE_SECONDS / 4)
    assert (await find(store, QUERY)).next_cursor == "95"
    fast = Slices(*[0] * 99)
    await find(fast, QUERY)
    assert len(fast.asked) == MAX_SLICES


async def test_a_slice_that_takes_too_long_ends_a_page_and_refuses_none_but_the_first(
    autojump_clock,
):
    page = await find(Slices(1, TOO_LONG, 1), QUERY)
    assert (len(page.results), page.next_cursor) == (1, "99")
    with pytest.raises(GroupXError, match="longer"):
        await find(Slices(TOO_LONG), QUERY)
