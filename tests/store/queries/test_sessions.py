import pytest

from groupx.domain.context_reset import ResetContext
from groupx.domain.ids import USER_WEB
from groupx.domain.outcomes import Cause
from groupx.store.queries.sessions import last_session, was_prompted
from groupx.store.transactions.context_reset import reset_context


def prove(ledger, cause=Cause.COMPLETED):
    """A turn that provably reached the newest session."""
    turn_id, attempt_id = ledger.running(ledger.a)
    ledger.end(turn_id, attempt_id, cause)


def reset(ledger, *, sessions):
    key = ledger.key("context.reset")
    ledger.write(reset_context, ResetContext(key=key, by=USER_WEB, reset_native_sessions=sessions))


def open_another(ledger, native_session_id):
    ledger.bindings[ledger.a] = ledger.open_session(ledger.a, native_session_id)


def test_the_newest_session_until_sessions_are_reset(ledger):
    prove(ledger)
    assert last_session(ledger.conn, ledger.a).native_session_id == "native-agent:a-1"
    open_another(ledger, "second")
    prove(ledger)
    last = last_session(ledger.conn, ledger.a)
    assert (last.native_session_id, last.protocol, last.adapter_id) == ("second", "demo", "demo")
    reset(ledger, sessions=False)
    assert last_session(ledger.conn, ledger.a) == last
    ledger.conn.execute("UPDATE context_resets SET reset_native_sessions = 1")
    assert last_session(ledger.conn, ledger.a) is None
    assert last_session(ledger.conn, "agent:none") is None


def test_a_session_that_nothing_reached_for_certain_is_not_gone_on_with(ledger):
    assert last_session(ledger.conn, ledger.a) is None
    turn_id = ledger.queued()
    claimed = ledger.claim(turn_id)
    ledger.end(turn_id, claimed.attempt_id, Cause.EXITED)
    assert last_session(ledger.conn, ledger.a) is None
    prove(ledger)
    open_another(ledger, "never used")
    assert last_session(ledger.conn, ledger.a) is None


@pytest.mark.parametrize("cause", [Cause.CANCELLED, Cause.NATIVE_FAILED, Cause.DAEMON_KILLED])
def test_however_the_turn_that_reached_it_ended(ledger, cause):
    prove(ledger, cause)
    assert last_session(ledger.conn, ledger.a) is not None


def test_one_that_was_gone_on_with_stays_proven(ledger):
    prove(ledger)
    open_another(ledger, "native-agent:a-1")
    assert last_session(ledger.conn, ledger.a).native_session_id == "native-agent:a-1"


def test_a_prompt_that_went_out_counts_however_many_sessions_came_after_it(ledger):
    assert not was_prompted(ledger.conn, ledger.a)
    turn_id = ledger.queued()
    ledger.cancel(turn_id)
    open_another(ledger, "second")
    assert not was_prompted(ledger.conn, ledger.a)
    turn_id = ledger.queued()
    ledger.end(turn_id, ledger.claim(turn_id).attempt_id, Cause.EXITED)
    for name in ("third", "fourth"):
        open_another(ledger, name)
        assert was_prompted(ledger.conn, ledger.a)
    assert not was_prompted(ledger.conn, ledger.b)


def test_what_sessions_knew_before_a_reset_does_not_count(ledger):
    prove(ledger)
    reset(ledger, sessions=False)
    assert was_prompted(ledger.conn, ledger.a)
    ledger.conn.execute("UPDATE context_resets SET reset_native_sessions = 1")
    assert not was_prompted(ledger.conn, ledger.a)
    ledger.conn.execute("UPDATE context_resets SET created_at = '2000-01-01T00:00:00.000Z'")
    assert not was_prompted(ledger.conn, ledger.a), "it is the order that counts, not the times"
