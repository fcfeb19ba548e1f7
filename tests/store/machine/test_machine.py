"""Whatever happens to a room, in whatever order: the promises hold, and the model knows why.

The long form: GROUPX_MACHINE_STEPS=100000 pytest tests/store/machine
"""

import os
from pathlib import Path

import pytest

from tests.store.machine.playing import play
from tests.store.machine.rules import bound
from tests.store.machine.statistics import Statistics

LONG = int(os.environ.get("GROUPX_MACHINE_STEPS", "0"))
"""At least so many steps, at random; 0 = a few, and always the same."""
RUN_LENGTH = 120
RUNS = LONG // (RUN_LENGTH - 20) + 1 if LONG else 9


@pytest.mark.slow
@pytest.mark.timeout(4 * 3_600 if LONG else 60)
def test_the_promises_hold_whatever_happens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = Statistics()
    machine = bound(log, tmp_path)
    play(machine, log, capsys, runs=RUNS, length=RUN_LENGTH, at_random=LONG > 0)
    assert log.steps >= (LONG or 800)
    assert min(log.done[name] for name in ("message.send", "claim", "end", "swap")) > 10
    assert log.done["batch begun"]
    assert log.refused
