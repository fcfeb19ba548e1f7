"""Memory policies: read without a trace, set by compare-and-set, honoured by finished turns."""

import orjson
import pytest

from groupx.domain.errors import GroupXError
from groupx.domain.ids import OPERATOR_BINDING, SYSTEM, USER_ASSISTANT, USER_WEB
from groupx.domain.memory_policy import MemoryPolicy, PolicyQuery, SetPolicy
from groupx.domain.runs import OpenRun
from groupx.store.queries.memory_policy import read_policy
from groupx.store.transactions.bindings import open_run
from groupx.store.transactions.memory_policy import set_policy

SOURCES = "SELECT turn_id, skipped_reason FROM agent_dated_memory_sources ORDER BY response_seq"
PENDING = (
    "SELECT pending_turns, pending_chars, pending_through_seq, first_pending_at, last_pending_at"
    " FROM agent_dated_memory_rollups WHERE actor_id = ? ORDER BY local_date"
)


@pytest.fixture
def policy(ledger):
    """A SetPolicy for agent:a, as revision 1 of it."""

    def make(generation="enabled", revision=0, actor=ledger.a, **changes):
        fields = {
            "key": ledger.key("memory.policy", actorId=actor, generation=generation),
            "by": USER_WEB,
            "actor_id": actor,
            "expected_revision": revision,
            "use_memories": True,
            "generation": generation,
        }
        return SetPolicy(**(fields | changes))

    return make


def read(ledger, actor, **default):
    query = PolicyQuery(actor_id=actor, default=MemoryPolicy(**default))
    return read_policy(ledger.conn, query)


def test_a_missing_row_is_the_callers_default_and_stays_missing(ledger):
    before = ledger.dump()
    found = read(ledger, ledger.a, use_memories=False, generation="disabled", reason="mine")
    assert found == MemoryPolicy(use_memories=False, generation="disabled", reason="mine")
    assert found.revision == 0
    assert ledger.dump() == before


def test_of_nobody_and_in_no_room_nothing_is_read(ledger):
    for actor in ("agent:zz", USER_WEB):
        with pytest.raises(GroupXError, match="UNKNOWN_ACTOR"):
            read(ledger, actor)
    with pytest.raises(GroupXError, match="NOT_FOUND"):
        read_policy(ledger.conn, PolicyQuery(actor_id=ledger.a, room_id="room:none"))
    assert read(ledger, SYSTEM).revision == 0, "of those who join later"


def test_row_and_event_are_one(ledger, policy):
    first = policy("disabled", reason="private work", use_memories=False)
    made = ledger.write(set_policy, first)
    assert made == read(ledger, ledger.a)
    assert (made.revision, made.generation, made.source) == (1, "disabled", "web")
    event = orjson.loads(ledger.frames[-1].data)
    assert event["type"] == "memory.policy.changed"
    assert event["actor"]["actorId"] == USER_WEB
    assert event["body"] == {
        "actorId": ledger.a,
        "policy": {
            "useMemories": False, "generation": "disabled", "reason": "private work",
            "source": "web", "revision": 1, "updatedAt": made.updated_at,
        },
        "previousRevision": 0,
    }  # fmt: skip
    back = ledger.write(set_policy, policy("enabled", 1))
    assert (back.revision, back.generation, back.reason) == (2, "enabled", None)
    assert orjson.loads(ledger.frames[-1].data)["body"]["previousRevision"] == 1


def test_the_same_command_again_is_answered_the_same(ledger, policy):
    command = policy("disabled")
    first = ledger.write(set_policy, command)
    ledger.write(set_policy, policy("enabled", 1))
    before = ledger.dump()
    assert ledger.write(set_policy, command) == first
    assert ledger.dump() == before


def test_the_operator_may_set_it_too(ledger, policy):
    key = ledger.key("memory.policy", binding=OPERATOR_BINDING)
    made = ledger.write(set_policy, policy("disabled", key=key, by=USER_ASSISTANT))
    assert made.source == "operator"
    assert orjson.loads(ledger.frames[-1].data)["provenance"]["sourceKind"] == "operator"


@pytest.mark.parametrize("revision", [0, 2])
def test_another_revision_changes_nothing(ledger, policy, refused, revision):
    ledger.write(set_policy, policy("disabled"))
    before = ledger.dump()
    error = refused("POLICY_REVISION_STALE", set_policy, policy("enabled", revision))
    assert error.details["revision"] == 1
    assert ledger.dump() == before


def test_a_first_row_needs_revision_0(ledger, policy, refused):
    refused("POLICY_REVISION_STALE", set_policy, policy("disabled", 1))


def test_excluded_is_for_good(ledger, policy, refused):
    ledger.write(set_policy, policy("excluded"))
    for generation in ("enabled", "disabled"):
        refused("POLICY_EXCLUDED", set_policy, policy(generation, 1))
    made = ledger.write(set_policy, policy("excluded", 1, use_memories=False))
    assert (made.revision, made.use_memories) == (2, False)


def test_refusals(policy, refused, ledger):
    refused("UNKNOWN_ACTOR", set_policy, policy(actor="agent:none"))
    refused("UNKNOWN_ACTOR", set_policy, policy(actor="user:web"))
    refused("MCP_BINDING_MISMATCH", set_policy, policy(by=ledger.b))


@pytest.mark.parametrize("generation", ["disabled", "excluded"])
def test_queued_dated_work_is_skipped_and_settled(ledger, policy, generation):
    first, second = ledger.completed().turn_id, ledger.completed().turn_id
    other = ledger.completed(ledger.b).turn_id
    theirs = ledger.rows(PENDING, ledger.b)
    ledger.write(set_policy, policy(generation))
    skipped = f"policy_{generation}"
    assert ledger.rows(SOURCES) == [(first, skipped), (second, skipped), (other, None)]
    assert ledger.rows(PENDING, ledger.a) == [(0, 0, None, None, None)]
    assert ledger.rows(PENDING, ledger.b) == theirs


def test_finished_and_running_work_is_left_as_it_is(ledger, policy):
    done, running, waiting = (ledger.completed().turn_id for _ in range(3))
    (ended,) = ledger.row(
        "SELECT terminal_at FROM agent_dated_memory_sources WHERE turn_id = ?", running
    )
    ledger.conn.execute(
        "UPDATE agent_dated_memory_sources SET processed_at = ? WHERE turn_id = ?", (ended, done)
    )
    ledger.conn.execute(
        "UPDATE agent_dated_memory_rollups SET last_attempt_at = ?, pending_turns = 2", (ended,)
    )
    ledger.write(set_policy, policy("disabled"))
    assert ledger.rows(SOURCES) == [(done, None), (running, None), (waiting, "policy_disabled")]
    seq, chars = ledger.row(
        "SELECT response_seq, source_chars FROM agent_dated_memory_sources WHERE turn_id = ?",
        running,
    )
    assert ledger.rows(PENDING, ledger.a) == [(1, chars, seq, ended, ended)]


def test_work_that_waits_for_another_try_is_queued_work(ledger, policy):
    turn_id = ledger.completed().turn_id
    ledger.conn.execute(
        "UPDATE agent_dated_memory_rollups SET last_attempt_at = '2099', next_attempt_at = '2099'"
    )
    ledger.write(set_policy, policy("disabled"))
    assert ledger.rows(SOURCES) == [(turn_id, "policy_disabled")]


@pytest.mark.parametrize("generation", ["disabled", "excluded"])
def test_a_success_under_such_a_policy_leaves_nothing_pending(ledger, policy, generation):
    ledger.write(set_policy, policy(generation))
    end = ledger.completed()
    assert (end.status, end.fresh) == ("completed", True)
    assert ledger.rows(SOURCES) == [(end.turn_id, f"policy_{generation}")]
    assert ledger.rows(PENDING, ledger.a) == [(0, 0, None, None, None)]


def test_enabled_again_counts_what_comes_then_and_not_what_was_skipped(ledger, policy):
    ledger.completed()
    ledger.write(set_policy, policy("disabled"))
    ledger.completed()
    ledger.write(set_policy, policy("enabled", 1))
    assert ledger.row(PENDING, ledger.a)[0] == 0
    ledger.completed()
    assert ledger.row(PENDING, ledger.a)[0] == 1
    assert [reason for _, reason in ledger.rows(SOURCES)] == [
        "policy_disabled", "policy_disabled", None,
    ]  # fmt: skip


def test_the_rooms_default_is_for_those_who_join_later(ledger, policy):
    default = policy("disabled", actor=SYSTEM, use_memories=False, reason="quiet room")
    ledger.write(set_policy, default)
    ledger.completed()
    assert ledger.row(PENDING, ledger.a)[0] == 1
    agents = {ledger.a: "Ada", "agent:new": "New"}
    ledger.write(open_run, OpenRun(agents=agents))
    assert read(ledger, ledger.a).revision == 0
    joined = read(ledger, "agent:new")
    assert (joined.generation, joined.use_memories, joined.reason) == (
        "disabled", False, "quiet room",
    )  # fmt: skip
    assert (joined.source, joined.revision) == ("room_default", 1)
    ledger.write(set_policy, policy("enabled", 1, actor=SYSTEM))
    before = ledger.dump()
    ledger.write(open_run, OpenRun(agents=agents))
    assert ledger.dump() == before


def test_without_a_default_nobody_is_given_one(ledger):
    ledger.write(open_run, OpenRun(agents={"agent:new": "New"}))
    assert ledger.rows("SELECT * FROM memory_policies") == []


def test_someone_from_an_earlier_room_joins_this_one_anew(ledger, policy):
    ledger.conn.execute("UPDATE rooms SET active = 0")
    ledger.conn.execute(
        "INSERT INTO rooms (room_id, title, active, created_at)"
        " VALUES ('room:second', 'Second', 1, '2026-03-01T00:00:00.000Z')"
    )
    ledger.write(set_policy, policy("disabled", actor=SYSTEM))
    ledger.write(open_run, OpenRun(agents={ledger.a: "Ada"}))
    assert read(ledger, ledger.a).generation == "disabled"
    query = PolicyQuery(actor_id=ledger.a, room_id="room:main")
    assert read_policy(ledger.conn, query).revision == 0
