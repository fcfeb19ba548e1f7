import orjson

from groupx.store.transactions.lane import set_lane


def test_a_pause_is_durable_and_revised(ledger):
    pause = ledger.lane("paused", reason="lunch")
    first = ledger.write(set_lane, pause)
    assert (first.state, first.reason, first.revision) == ("paused", "lunch", 1)
    event = orjson.loads(ledger.frames[-1].data)
    assert event["type"] == "lane.paused"
    assert event["body"] == {"actorId": ledger.a, "revision": 1, "reason": "lunch"}
    assert ledger.woken == [ledger.a]
    assert ledger.write(set_lane, pause) == first
    frames = len(ledger.frames)
    assert ledger.write(set_lane, ledger.lane("paused", reason="more")) == first
    assert len(ledger.frames) == frames
    resumed = ledger.write(set_lane, ledger.lane("runnable"))
    assert (resumed.state, resumed.reason, resumed.revision) == ("runnable", None, 2)
    assert ledger.types()[-1] == "lane.resumed"


def test_a_lane_that_runs_is_left_alone(ledger):
    state = ledger.write(set_lane, ledger.lane("runnable"))
    assert state.revision == 0
    assert ledger.frames == []
    assert ledger.rows("SELECT * FROM lane_states") == []


def test_refusals(ledger, refused):
    refused("UNKNOWN_ACTOR", set_lane, ledger.lane("paused", "agent:none"))
    refused("UNKNOWN_ACTOR", set_lane, ledger.lane("paused", "user:web"))
    refused("MCP_BINDING_MISMATCH", set_lane, ledger.lane("paused", by="agent:b"))
