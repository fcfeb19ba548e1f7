"""A day that a real program remembers of itself, in a short session of its own."""

import os

import pytest

from conformance.real_programs import PROGRAMS
from conformance.room_tools import TIMEOUTS, TURN_SECONDS
from groupx.domain.rollup import ASSIGNMENT
from tests.system.daemon import TERMINAL, Daemon, of_turn
from tests.system.real_turns import living_in
from tests.system.test_rollups import EAST, WEST
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.mark.parametrize("program", PROGRAMS, indirect=True)
def test_a_real_program_writes_the_memory_of_its_day(tmp_path, model, program):
    if "GX_TEST_REAL" not in os.environ:
        pytest.skip("ordinarily the demo agent is enough; GX_TEST_REAL=all drives the real ones")
    home = tmp_path / "home"
    agents = {program.name: program.agent(home, model.url)}
    daemon = Daemon(tmp_path, agents, timeouts=TIMEOUTS)
    try:
        daemon.start(TZ=WEST)
        daemon.wait_idle(TURN_SECONDS)
        word = f"what-{program.name}-did"
        with daemon.stream() as stream:
            [turn] = daemon.send(f"SAY:{word}", f"agent:{program.name}")["turns"]
            stream.until(of_turn(turn["turnId"], *TERMINAL), "its end", TURN_SECONDS)
        assert daemon.terminate() == 0
        daemon.start(TZ=EAST)
        path = f"/api/memory/days?agent=agent%3A{program.name}"
        wait_until(lambda: daemon.get(path)["days"][0].get("record"), "its memory", TURN_SECONDS)
        assert daemon.get(path)["days"][0]["record"]["content"] == word
        assert model.prompts_with(ASSIGNMENT.splitlines()[0], program.dialect)
        assert daemon.terminate() == 0
        daemon.assert_no_processes()
        assert living_in(home) == []
    finally:
        daemon.dispose()
