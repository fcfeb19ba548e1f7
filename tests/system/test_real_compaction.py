"""A room that is compacted by a real program, in a short session of its own."""

import os

import pytest

from conformance.real_programs import PROGRAMS
from conformance.room_tools import TIMEOUTS, TURN_SECONDS
from groupx.domain.compaction import ASSIGNMENT
from tests.system.daemon import TERMINAL, Daemon, demo_agent, of_turn
from tests.system.real_turns import living_in

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(180)]
FILLER = "word " * 600


@pytest.mark.parametrize("program", PROGRAMS, indirect=True)
def test_a_real_program_writes_the_checkpoint_and_then_has_its_turn(tmp_path, model, program):
    """It is the room's first agent, so it is asked for what it could not be told whole itself."""
    if "GX_TEST_REAL" not in os.environ and program.name != "claude":
        pytest.skip("ordinarily one program is enough; GX_TEST_REAL=all drives them all")
    home = tmp_path / "home"
    agents = {program.name: program.agent(home, model.url), "ada": demo_agent()}
    limits = {"contextCharacters": 20_000}
    daemon = Daemon(tmp_path, agents, timeouts=TIMEOUTS, limits=limits)
    try:
        daemon.start()
        daemon.wait_idle(TURN_SECONDS)
        with daemon.stream() as stream:
            for number in range(5):
                words = f"say nothing, {number}. SAY:the-checkpoint-of-{program.name} {FILLER}"
                [told] = daemon.send(words, "agent:ada")["turns"]
                stream.until(of_turn(told["turnId"], *TERMINAL), "its end")
            [turn] = daemon.send("SAY:here", f"agent:{program.name}")["turns"]
            end = stream.until(of_turn(turn["turnId"], *TERMINAL), "its end", TURN_SECONDS)
        assert end["type"] == "turn.completed"
        [checkpoint] = [
            record["content"]
            for record in daemon.get("/api/memory")["records"]
            if record["sourceKind"] == "generated_summary"
        ]
        assert checkpoint == f"the-checkpoint-of-{program.name}"
        assert model.prompts_with(ASSIGNMENT.splitlines()[0], program.dialect)
        detail = daemon.get(f"/api/turns/{turn['turnId']}")
        shown = {section["name"]: section["entries"] for section in detail["packet"]["sections"]}
        assert shown["room_checkpoint_summary"] == 1
        assert len(detail["attempts"]) == 1
        assert daemon.terminate() == 0
        daemon.assert_no_processes()
        assert living_in(home) == []
        assert daemon.run_files() == []
    finally:
        daemon.dispose()
