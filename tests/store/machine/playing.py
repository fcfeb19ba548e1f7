"""One play of a machine: a few steps that are always the same, or very many at random."""

import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.store.machine.statistics import Statistics


def play(
    machine: Any,
    log: Statistics,
    capsys: pytest.CaptureFixture[str],
    *,
    runs: int,
    length: int,
    at_random: bool,
) -> None:
    """`runs` of at most `length` steps; what was done is printed when it was at random."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=runs,
            stateful_step_count=length,
            deadline=None,
            derandomize=not at_random,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        ),
    )
    if at_random:
        with capsys.disabled():
            sys.stdout.write("\n".join(["", *log.lines(), ""]))
