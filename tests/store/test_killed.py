"""A process that is killed under load: what it acknowledged is there, once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from groupx.store.opening import open_ledger

_UNDER_LOAD = """
import os, sys, time
from functools import partial
from pathlib import Path
import trio
from groupx.domain.envelope import EventDraft
from groupx.domain.ids import MAIN_ROOM, USER_WEB, IdSource
from groupx.store.opening import open_ledger
from groupx.store.writer import StoreThread

def now_ms():
    return time.time_ns() // 1_000_000

def say(tx, text):
    tx.emit(EventDraft(type="message.created", room_id=MAIN_ROOM, actor_id=USER_WEB,
        correlation_id=text, body={}, idempotency_key=text))

async def caller(store, name):
    for number in range(1_000_000):
        await store.write(say, f"{name}-{number}")
        os.write(1, f"{name}-{number}\\n".encode())

async def main():
    store = StoreThread(
        partial(open_ledger, Path(sys.argv[1]), now_iso="t", database_id="d"),
        ids=IdSource(now_ms, os.urandom), now_ms=now_ms, on_commit=lambda facts: None)
    await store.start()
    async with trio.open_nursery() as nursery:
        for name in range(8):
            nursery.start_soon(caller, store, name)

trio.run(main)
"""


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_and_nothing_doubled(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    acknowledged: set[str] = set()
    for round_number in range(1, 4):
        child = subprocess.Popen(
            [sys.executable, "-c", _UNDER_LOAD.replace("{name}", f"{round_number}-{{name}}"), path],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        for _ in range(100 * round_number):
            acknowledged.add(child.stdout.readline().strip())
        child.kill()
        rest, _ = child.communicate(timeout=30)
        acknowledged.update(line for line in rest.split("\n")[:-1] if line)
        conn = open_ledger(path, now_iso="t", database_id="another")
        stored = [row[0] for row in conn.execute("SELECT correlation_id FROM events")]
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        conn.close()
        assert len(stored) == len(set(stored))
        assert acknowledged <= set(stored)
    assert os.listdir(tmp_path) == ["x.db"]
