from groupx.store.queries.sessions import last_session


def test_the_newest_session_until_sessions_are_reset(ledger):
    assert last_session(ledger.conn, ledger.a).native_session_id == "native-agent:a-1"
    ledger.open_session(ledger.a, "second")
    last = last_session(ledger.conn, ledger.a)
    assert (last.native_session_id, last.protocol, last.adapter_id) == ("second", "demo", "demo")
    ledger.conn.execute(
        "INSERT INTO context_resets SELECT 'r0', 'room:main', 1, 0, max(created_at) || 'Z'"
        " FROM session_bindings"
    )
    assert last_session(ledger.conn, ledger.a) == last
    ledger.conn.execute("UPDATE context_resets SET reset_native_sessions = 1")
    assert last_session(ledger.conn, ledger.a) is None
    assert last_session(ledger.conn, "agent:none") is None
