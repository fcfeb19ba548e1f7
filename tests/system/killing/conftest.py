"""Every kill point once, several rooms at a time; run when the first test asks for a result."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.system.killing.case import Case, Result, run_case

AT_ONCE = max(2, os.cpu_count() or 1)

# A pause is long enough for a busy machine to let the agent act in it.
CASES = {
    case.point: case
    for case in (
        Case(orders=("accept.committed:3",)),
        Case(orders=("claim.committed:2",)),
        Case(orders=("invoke.committed:2",)),
        Case(orders=("prompt.first_byte:2",)),
        Case(orders=("prompt.written:2:1000",)),
        Case(orders=("started.committed:2",)),
        Case(orders=("stream.mid:3",)),
        Case(orders=("terminal.before:2",)),
        Case(orders=("terminal.committed:2",)),
        Case(orders=("stream.mid:3", "recovery.phase1:1")),
        Case(orders=("prompt.written:2:4000", "recovery.phase2:1"), driver="codex"),
    )
}


Killed = Callable[[str], Result]


@pytest.fixture(scope="session")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killed]:
    """Point → what was found of its case; raises what that case raised."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {
            point: pool.submit(run_case, case, tmp_path_factory.mktemp(point))
            for point, case in CASES.items()
        }
        yield lambda point: running[point].result()
