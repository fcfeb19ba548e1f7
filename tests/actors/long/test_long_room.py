"""A long room: 5 000 messages in three days and six lives, and all that was made of them.

The record is `golden/long_room.json`. `GROUPX_GOLDEN=write` writes it anew; look at the difference
before it is committed.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.actors.long import promises
from tests.actors.long.life import DATABASE
from tests.actors.long.record import record, text_of
from tests.actors.long.story import MESSAGES, tell

GOLDEN = Path(__file__).parent / "golden" / "long_room.json"
WRITE = os.environ.get("GROUPX_GOLDEN") == "write"


@pytest.mark.slow
async def test_nothing_is_lost_told_twice_or_forgotten(jumping_clock, tmp_path) -> None:
    folder = tmp_path / "life"
    folder.mkdir()
    teller = await tell(folder)
    with closing(sqlite3.connect(teller.folder / DATABASE)) as conn:
        promises.transcript_is_as_it_was_said(conn, teller)
        promises.every_checkpoint_tells_of_all(conn)
        promises.every_turn_is_remembered_once(conn, teller)
        promises.a_turn_belongs_to_the_day_of_its_end(conn)
        promises.no_prompt_was_sent_twice(conn, teller)
        promises.nobody_missed_anything(conn, teller)
        text = text_of(record(conn, teller.cast))
    assert len(teller.heard) == MESSAGES
    if WRITE:
        GOLDEN.write_text(text, encoding="utf-8")
    assert text.splitlines() == GOLDEN.read_text(encoding="utf-8").splitlines()
