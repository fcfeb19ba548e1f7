"""The broker and the lanes' actors, whatever people, agents, programs and crashes do.

The long form: GROUPX_BROKER_STEPS=20000 pytest tests/actors/machine
"""

import os
from pathlib import Path

import pytest

from tests.actors.machine.rules import bound
from tests.store.machine.playing import play
from tests.store.machine.statistics import Statistics

LONG = int(os.environ.get("GROUPX_BROKER_STEPS", "0"))
"""At least so many steps, at random; 0 = a few, and always the same."""
RUN_LENGTH = 60 if LONG else 30
RUNS = LONG // (RUN_LENGTH - 10) + 1 if LONG else 8


@pytest.mark.slow
@pytest.mark.timeout(4 * 3_600 if LONG else 60)
def test_the_promises_hold_whatever_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = Statistics()
    machine = bound(log, tmp_path)
    play(machine, log, capsys, runs=RUNS, length=RUN_LENGTH, at_random=LONG > 0)
    assert log.steps >= (LONG or 150)
    assert log.done["message.send"]
