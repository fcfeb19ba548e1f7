"""The broker and the lanes' actors, whatever people, agents, programs and crashes do.

The long form: GROUPX_BROKER_STEPS=20000 pytest tests/actors/machine
"""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.actors.machine.rules import bound
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
    run_state_machine_as_test(
        bound(log, tmp_path),
        settings=settings(
            max_examples=RUNS,
            stateful_step_count=RUN_LENGTH,
            deadline=None,
            derandomize=not LONG,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        ),
    )
    if LONG:
        with capsys.disabled():
            sys.stdout.write("\n".join(["", *log.lines(), ""]))
    assert log.steps >= (LONG or 150)
    assert log.done["message.send"]
