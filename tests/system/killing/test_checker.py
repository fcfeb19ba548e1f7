"""The checker itself: a sound room that is then broken on purpose in every way it looks for."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import attrs
import pytest

from tests.system.killing.agents import Seen
from tests.system.killing.case import run_case
from tests.system.killing.checker import NO_ROW, problems
from tests.system.killing.conftest import CASES
from tests.system.killing.evidence import Evidence, dump

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

_SOME = "(SELECT turn_id FROM turns WHERE status = 'completed' ORDER BY enqueue_seq LIMIT 1)"
_EVENT_COLUMNS = """schema_version, room_id, event_type, actor_id, actor_kind, actor_display_name,
  instance_id, targets_json, reply_to_event_id, causation_id, correlation_id, occurred_at,
  body_json, provenance_json, root_correlation_id, parent_turn_id, hop_count, forwarded_event_id"""


def _again(condition: str) -> str:
    return (
        f"INSERT INTO events (event_id, {_EVENT_COLUMNS}) SELECT 'evt_again', {_EVENT_COLUMNS} "
        f"FROM events WHERE {condition} ORDER BY seq LIMIT 1"
    )


BROKEN_LEDGERS = {
    "a turn has not ended": f"UPDATE turns SET status = 'running' WHERE turn_id = {_SOME}",
    "a turn has not exactly one terminal event": _again("event_type = 'turn.completed'"),
    "a turn's state is not that of its terminal event": (
        f"UPDATE turns SET status = 'failed' WHERE turn_id = {_SOME}"
    ),
    "a completed turn has not exactly one response": _again(
        "event_type = 'message.created' AND actor_kind = 'agent'"
    ),
    "a completed turn without a proven delivery": (
        f"UPDATE turn_attempts SET delivery_certainty = 'unknown' WHERE turn_id = {_SOME}"
    ),
    "a prompt left twice": f"""
        INSERT INTO turn_attempts (attempt_id, turn_id, binding_id, instance_id,
          context_through_seq, claimed_at, terminal_at, delivery_certainty, dispatch_phase,
          prompt_invoked_at)
        SELECT 'attempt_again', turn_id, binding_id, instance_id, context_through_seq, claimed_at,
          terminal_at, delivery_certainty, dispatch_phase, prompt_invoked_at
        FROM turn_attempts WHERE turn_id = {_SOME}""",
    "a certainty that its invocation contradicts": (
        f"UPDATE turn_attempts SET prompt_invoked_at = NULL WHERE turn_id = {_SOME}"
    ),
    "an attempt is open": (
        f"UPDATE turn_attempts SET dispatch_phase = 'native_started' WHERE turn_id = {_SOME}"
    ),
    "a later turn of a lane began before an earlier one ended": """
        UPDATE turns SET enqueue_seq = -enqueue_seq WHERE target_actor_id = 'agent:ada'""",
    "a row refers to one that is not there": (
        f"UPDATE turns SET source_event_id = 'evt_gone' WHERE turn_id = {_SOME}"
    ),
}


@pytest.fixture(scope="module")
def one_room(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    """One killed room of this file's own: the others are run beside their own tests."""
    return run_case(CASES["stream.mid"], tmp_path_factory.mktemp("sound")).evidence


@pytest.fixture
def sound(one_room: Evidence, tmp_path: Path) -> Evidence:
    """A room in which all is well, as a copy to be broken."""
    copy = tmp_path / "broken.db"
    shutil.copyfile(one_room.at_end, copy)
    return attrs.evolve(one_room, at_end=copy)


def broken(evidence: Evidence, statement: str) -> list[str]:
    with closing(sqlite3.connect(evidence.at_end)) as conn, conn:
        assert conn.execute(statement).rowcount > 0
    return problems(attrs.evolve(evidence, after_restart=dump(evidence.at_end)))


def test_nothing_is_wrong_with_a_sound_room(sound: Evidence) -> None:
    assert problems(sound) == []


def test_there_is_a_broken_ledger_for_every_query() -> None:
    assert BROKEN_LEDGERS.keys() == NO_ROW.keys()


@pytest.mark.parametrize("what", BROKEN_LEDGERS)
def test_a_broken_ledger_is_seen(what: str, sound: Evidence) -> None:
    found = broken(sound, BROKEN_LEDGERS[what])
    assert any(problem.startswith(what) for problem in found), found


def seen_by_ada(evidence: Evidence, change: Callable[[list[str]], object]) -> list[str]:
    """What is said of the same room, had ada's log been another."""
    messages = list(evidence.seen["agent:ada"].messages)
    change(messages)
    return problems(
        attrs.evolve(evidence, seen={**evidence.seen, "agent:ada": Seen(tuple(messages))})
    )


OTHER_LOGS: dict[str, Callable[[list[str]], object]] = {
    "agent:ada got the prompt of": lambda messages: messages.append(messages[-1]),
    "which is not the order of its lane": lambda messages: messages.reverse(),
    "of which the ledger knows nothing": lambda messages: messages.append("job-000000000000"),
    "and the ledger says that it was delivered": lambda messages: messages.pop(),
    "prompts with": lambda messages: messages.append("something else"),
}


@pytest.mark.parametrize("what", OTHER_LOGS)
def test_a_log_that_contradicts_the_ledger_is_seen(what: str, sound: Evidence) -> None:
    found = seen_by_ada(sound, OTHER_LOGS[what])
    assert any(what in problem for problem in found), found


def test_a_prompt_that_was_never_sent_by_the_ledger_is_seen(sound: Evidence) -> None:
    found = broken(
        sound,
        f"UPDATE turn_attempts SET delivery_certainty = 'not_delivered' WHERE turn_id = {_SOME}",
    )
    assert any("says that nothing was sent" in problem for problem in found), found


def test_a_lost_command_is_seen(sound: Evidence) -> None:
    first = sound.commands[0]
    kept = [
        row
        for row in sound.at_death["client_commands"]
        if row["client_command_id"] != first.command_id
    ]
    found = problems(attrs.evolve(sound, at_death={**sound.at_death, "client_commands": kept}))
    assert f"{first.marker} was acknowledged and is not in the killed run's ledger" in found


def test_a_message_that_was_said_twice_is_seen(sound: Evidence) -> None:
    first = sound.commands[0].marker
    found = broken(sound, _again(f"event_type = 'message.created' AND body_json LIKE '%{first}%'"))
    assert f"{first} was said 2 times" in found


def test_a_second_answer_that_differs_is_seen(sound: Evidence) -> None:
    first, *rest = sound.commands
    other = attrs.evolve(first, again={**(first.again or {}), "correlationId": "another"})
    found = problems(attrs.evolve(sound, commands=(other, *rest)))
    assert any(problem.startswith(f"{first.marker} was answered") for problem in found), found


def test_a_command_that_is_not_taken_again_is_seen(sound: Evidence) -> None:
    first, *rest = sound.commands
    found = problems(attrs.evolve(sound, commands=(attrs.evolve(first, again=None), *rest)))
    assert f"{first.marker} was not accepted after the restart" in found


def test_an_ended_turn_that_changes_is_seen(sound: Evidence) -> None:
    ended = [{**row, "status": "failed"} for row in dump(sound.at_end)["turns"]]
    found = problems(attrs.evolve(sound, at_death={**sound.at_death, "turns": ended}))
    assert any("what had ended at the kill was changed in turns" in problem for problem in found)


def test_a_restart_that_changes_something_is_seen(sound: Evidence) -> None:
    other = {**sound.after_restart, "delivery_cursors": []}
    found = problems(attrs.evolve(sound, after_restart=other))
    assert found == ["one more start changed the ledger"]
