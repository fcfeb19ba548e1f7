"""The indexer on virtual time: it goes on by itself, beside the room, and in nobody's way."""

import pytest
import trio
import trio.testing

from groupx.actors.mailbox import Bell
from groupx.actors.messages import Read, ReindexSearch
from groupx.actors.search_commands import SearchCommands
from groupx.actors.search_indexer import PAUSE_SECONDS, SearchIndexerActor
from groupx.domain.search_page import Indexing, SearchQuery
from groupx.store.queries.search import search
from groupx.store.transactions import index_slice as slices
from tests.actors.fakes import open_room

REINDEX = ReindexSearch(client_command_id="1")


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SEQS", 2)


async def found(room):
    query = SearchQuery(text="word")
    page = await room.store.ask(Read(search, query))
    return len(page.results), page.indexing


async def test_a_reindex_is_answered_at_once_and_done_beside_the_room(autojump_clock, tmp_path):
    async with open_room(tmp_path, "a", started=False) as room:
        bell = Bell()
        reindex = SearchCommands(room.store, bell).handlers[ReindexSearch]
        room.nursery.start_soon(SearchIndexerActor(room.store, bell).run)
        for number in range(3):
            await room.send("agent:a", content=f"word {number}")
        (newest,) = room.rows("SELECT max(seq) FROM events")[0]
        begun = trio.current_time()
        assert await reindex(REINDEX) == Indexing(done=0, total=newest)
        assert trio.current_time() == begun
        assert await found(room) == (0, Indexing(done=0, total=newest))
        await trio.sleep(PAUSE_SECONDS / 2)
        await room.send("agent:a", content="word meanwhile")
        (hits, indexing), total = await found(room), newest + 2
        assert indexing is not None
        assert (0 < indexing.done < total, indexing.total, hits >= 1) == (True, total, True)
        await trio.sleep(PAUSE_SECONDS * newest)
        assert await found(room) == (4, None)
        assert await reindex(REINDEX) == Indexing(done=0, total=newest)  # the same command
        assert await found(room) == (4, None)


async def test_a_stop_in_the_middle_is_gone_on_from(autojump_clock, tmp_path):
    async with open_room(tmp_path, "a", started=False) as room:
        bell = Bell()
        for number in range(4):
            await room.send("agent:a", content=f"word {number}")
        await SearchCommands(room.store, bell).handlers[ReindexSearch](REINDEX)
        for _ in range(room.rows("SELECT max(seq) FROM events")[0][0] // 2 + 1):
            with trio.move_on_after(PAUSE_SECONDS / 2):
                await SearchIndexerActor(room.store, bell).run()
        assert await found(room) == (4, None)


async def test_it_sleeps_when_all_is_indexed(autojump_clock, tmp_path):
    async with open_room(tmp_path, "a", started=False) as room:
        room.nursery.start_soon(SearchIndexerActor(room.store, Bell()).run)
        await trio.testing.wait_all_tasks_blocked()
        before = room.writer.ledger.stats.writes
        await trio.sleep(3_600)
        assert room.writer.ledger.stats.writes == before
