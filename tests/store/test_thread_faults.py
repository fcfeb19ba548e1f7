"""The store's thread while its disk fails: every caller has its answer, and it heals by itself."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from groupx.domain.commits import CommitFacts
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import executor as executor_module
from groupx.store.transactions.accept import accept
from groupx.store.writer import StoreThread
from tests.store.fault_bench import NOW, FaultyConnection, ids, message, open_faulty
from tests.store.holding import Holder

TEXTS = tuple(f"message {number}" for number in range(6))


class Bench:
    """A running thread on a faulty disk, and what it told the hub."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.conn: FaultyConnection
        self.told: list[int] = []
        self.store = StoreThread(
            self._open, ids=ids(), now_ms=lambda: NOW, on_commit=self._on_commit
        )
        self.holder = Holder(self.store)

    def _open(self) -> FaultyConnection:
        self.conn = open_faulty(self.path)
        return self.conn

    def _on_commit(self, facts: CommitFacts) -> None:
        self.told += [frame.seq for frame in facts.frames if frame.seq]

    async def all_at_once(self) -> dict[str, Any]:
        """What the caller of each message was told, in one group."""
        answers: dict[str, Any] = {}

        async def say(text: str) -> None:
            try:
                answer = await self.store.write(accept, message(text))
                answers[text] = answer.message_event_id
            except GroupXError as error:
                answers[text] = error.code

        async with self.holder.held() as nursery:
            for text in TEXTS:
                nursery.start_soon(say, text)
            await trio.testing.wait_all_tasks_blocked()
        return answers

    async def stored(self) -> dict[str, str]:
        sql = (
            "SELECT json_extract(body_json, '$.content'), event_id FROM events"
            " WHERE event_type = 'message.created'"
        )
        rows = await self.store.read(lambda conn, _: conn.execute(sql).fetchall(), None)
        assert len(rows) == len(dict(rows)), "stored twice"
        return dict(rows)

    async def healed(self) -> None:
        """The thread tries again of itself; each read lets it go on."""
        with trio.fail_after(20):
            while self.store.fault is not None:
                await self.stored()


@pytest.fixture
async def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    monkeypatch.setattr(executor_module, "PROBE_SECONDS", 0.01)
    monkeypatch.setattr(executor_module, "MAX_GROUP_SECONDS", 60.0)
    made = Bench(tmp_path / "x.db")
    await made.store.start()
    yield made
    made.conn.mend()
    await made.store.aclose()


@pytest.mark.parametrize(
    ("kind", "place", "kept"),
    [
        ("full", ("WRITE", 1), False), ("write", ("WRITE", 20), False),
        ("fsync", ("COMMIT", 1), False), ("fsync", ("COMMIT", 1), True),
        ("readonly", ("BEGIN", 1), False), ("busy", ("WRITE", 9), False),
    ],
)  # fmt: skip
async def test_every_caller_of_the_group_is_answered_and_it_heals(
    bench: Bench, kind: str, place: tuple[str, int], kept: bool
) -> None:
    bench.conn.fail(kind, *place, first=kept)
    answers = await bench.all_at_once()
    assert set(answers.values()) == {ErrorCode.STORE_UNAVAILABLE}
    assert bench.told == [], "nobody hears of what nobody was promised"
    assert bench.store.fault is not None
    assert bench.store.pending == 0
    known = await bench.stored()
    assert len(known) == (len(TEXTS) if kept else 0)
    bench.conn.mend()
    await bench.healed()
    answers = await bench.all_at_once()
    assert answers == await bench.stored(), "each once, and answered with what is there"
    assert set(answers) == set(TEXTS)
    assert known.items() <= answers.items()


async def test_a_store_that_is_closed_while_it_fails_loses_nothing_that_was_promised(
    bench: Bench,
) -> None:
    promised = await bench.all_at_once()
    bench.conn.fail("full", "WRITE", 1)
    with pytest.raises(GroupXError):
        await bench.store.write(accept, message("late"))
    await bench.store.aclose()
    with pytest.raises(GroupXError) as caught:
        await bench.store.write(accept, message("later"))
    assert caught.value.code is ErrorCode.STORE_UNAVAILABLE
    again = Bench(bench.path)
    await again.store.start()
    assert await again.stored() == promised
    await again.store.aclose()
