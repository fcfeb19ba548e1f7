"""Whole rooms with real programs in them: daemon, programs and model are real processes."""

import pytest

from conformance.real_programs import PROGRAMS
from conformance.room_proofs import HELPER, PROOFS
from conformance.room_tools import TIMEOUTS, give, prove
from tests.system.conftest import reason_to_skip
from tests.system.daemon import Daemon, demo_agent, of_turn
from tests.system.real_turns import prompts

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(120)]
each = pytest.mark.parametrize("program", PROGRAMS, indirect=True)


def agent_of(program, home, model):
    """Its agent in a config."""
    return program.agent(home, model.url)


@pytest.fixture
def daemon(tmp_path, model, program):
    agents = {program.name: agent_of(program, tmp_path / "home", model), "helper": demo_agent()}
    daemon = Daemon(tmp_path, agents, timeouts=TIMEOUTS)
    yield daemon
    daemon.dispose()


@pytest.fixture
def everyone(tmp_path, model):
    """A room of all the programs that are to be driven, each in a home of its own."""
    present = [PROGRAMS[name] for name in PROGRAMS if reason_to_skip(PROGRAMS[name]) is None]
    if len(present) < 2:
        pytest.skip("fewer than two real programs are installed")
    agents = {
        program.name: agent_of(program, tmp_path / program.name, model) for program in present
    }
    agents[HELPER] = demo_agent()
    daemon = Daemon(tmp_path, agents, timeouts=TIMEOUTS)
    yield daemon, present
    daemon.dispose()


def test_a_room_of_them_all_uses_every_tool_and_goes_on_after_a_restart(everyone, model):
    """One calls the tools after the other: a helper that is busy is not waited for by `ask`."""
    daemon, present = everyone
    daemon.start()
    with daemon.stream() as stream:
        said_by_all(daemon, stream, present, "here", "marker-all")
        reports = [prove(daemon, stream, model, give(daemon, program)) for program in present]
    shown = {
        program.name: outcome(report) for program, report in zip(present, reports, strict=True)
    }
    assert shown == {program.name: dict.fromkeys(PROOFS, "verified") for program in present}
    assert continuity_of_all(daemon) == {"new"}
    assert daemon.terminate() == 0
    daemon.assert_no_processes()

    daemon.start()
    with daemon.stream() as stream:
        said_by_all(daemon, stream, present, "back", "marker-again")
    assert continuity_of_all(daemon) <= {"resumed", "rebuilt"}
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    for program in present:
        asked = prompts(model, program, "marker-again")[-1]
        told = asked["earlier"] + asked["user"]
        assert "marker-all" in told, f"{program.name} knows what was said before, by whichever way"


def outcome(report):
    """Case → its label, or why it has none."""
    return {case.case: case.detail or str(case.label) for case in report.cases}


def said_by_all(daemon, stream, present, word, marker):
    """Each of them is asked for the word, and answers with it."""
    accepted = daemon.send(f"SAY:{word} {marker}", *(f"agent:{p.name}" for p in present))
    turns = {turn["target"].partition(":")[2]: turn["turnId"] for turn in accepted["turns"]}
    assert turns.keys() == {program.name for program in present}
    said = {name: answer_of(stream, turn) for name, turn in turns.items()}
    assert said == dict.fromkeys(turns, word)


def continuity_of_all(daemon):
    return {agent["continuity"] for agent in daemon.get("/api/bootstrap")["agents"]}


def answer_of(stream, turn_id):
    """The text of a completed turn's response."""
    stream.until(of_turn(turn_id, "turn.completed"), "the end of the turn", 60)
    response = stream.until(of_turn(turn_id, "message.created"), "its response")
    return response["body"]["content"]


@each
def test_prompt_stream_cancel_next_prompt_stop_and_start_again(daemon, model, program):
    daemon.start()
    with daemon.stream() as stream:
        turn = daemon.send("say hello, marker-one", f"agent:{program.name}")["turns"][0]["turnId"]
        assert answer_of(stream, turn) == "Hello from the mock model."
        deltas = [e["body"]["text"] for e in stream.seen if of_turn(turn, "turn.content.delta")(e)]
        assert len(deltas) > 1
        assert "".join(deltas) == "Hello from the mock model."

        slow = daemon.send("SLOW marker-two", f"agent:{program.name}")["turns"][0]["turnId"]
        stream.until(of_turn(slow, "turn.content.delta"), "the first words", 60)
        daemon.post(f"/api/turns/{slow}/cancel")
        ended = stream.until(of_turn(slow, "turn.cancelled", "turn.interrupted"), "the cancel", 60)
        assert ended["type"] == "turn.cancelled"

        turn = daemon.send("SAY:again marker-three", f"agent:{program.name}")["turns"][0]["turnId"]
        assert answer_of(stream, turn) == "again"
    assert daemon.terminate() == 0
    daemon.assert_no_processes()

    daemon.start()
    with daemon.stream() as stream:
        turn = daemon.send("SAY:back marker-four", f"agent:{program.name}")["turns"][0]["turnId"]
        assert answer_of(stream, turn) == "back"
    [agent] = [a for a in daemon.get("/api/bootstrap")["agents"] if a["id"] == program.name]
    assert agent["continuity"] in ({"resumed", "rebuilt"} if program.forgets else {"resumed"})
    [prompt] = prompts(model, program, "marker-four")
    remembers = agent["continuity"] == "resumed"
    assert ("marker-one" in prompt["earlier"]) is remembers
    assert ("marker-one" in prompt["user"]) is not remembers, "it is told what it has lost"
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    for word, times in {"marker-one": 1, "marker-two": 1, "marker-three": 1}.items():
        assert times_asked(model, program, word) == times, word


@each
def test_killed_while_it_answers(daemon, model, program):
    """The program dies with the daemon; what may have reached it is never sent again."""
    daemon.start()
    with daemon.stream() as stream:
        slow = daemon.send("SLOW marker-five", f"agent:{program.name}")["turns"][0]["turnId"]
        waiting = daemon.send("SAY:later marker-six", f"agent:{program.name}")["turns"][0]["turnId"]
        stream.until(of_turn(slow, "turn.content.delta"), "the first words", 60)
        # Words may be seen before the proof of delivery is durable; only then is it certain.
        stream.until(of_turn(slow, "turn.started"), "the proof that it began")
        daemon.kill()
    daemon.assert_no_processes()
    asked_before = times_asked(model, program, "marker-five")

    daemon.start()
    with daemon.stream() as stream:
        ended = stream.until(of_turn(slow, "turn.interrupted"), "the interrupted turn", 60)
        assert ended["body"]["errorCode"] == "TURN_INTERRUPTED"
        assert ended["body"]["deliveryCertainty"] == "delivered"
        assert answer_of(stream, waiting) == "later"
    assert daemon.get(f"/api/turns/{slow}")["turn"]["status"] == "interrupted"
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    assert asked_before == 1
    assert times_asked(model, program, "marker-five") == 1


def times_asked(model, program, word):
    """How often the model was asked this, not counting transcripts that tell of it."""
    asked = prompts(model, program, word)
    return sum(word in one["user"].rpartition("current_message")[2] for one in asked)
