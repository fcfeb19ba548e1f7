"""Many questions at once: each comes to an end, is in the ledger, and leaves nothing behind."""

import attrs
import pytest

from tests.system.asking.load import LIMITS, Load, agents_of, put_all, wrong
from tests.system.conftest import MakeDaemon


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_hundred_questions_among_eight_agents(make_daemon: MakeDaemon, tmp_path):
    load = Load(asks=96, rounds=2)
    daemon = make_daemon(agents_of(load, tmp_path), limits=LIMITS)
    daemon.start()
    measured = put_all(daemon, load, tmp_path)
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    ledger = daemon.data / "groupx-local.db"
    assert wrong(measured, load, ledger) == []
    stored = next(record for record in measured.records if "messageEventId" in record)
    others = [record for record in measured.records if record is not stored]
    for change in (None, {"to": "agent8"}, {"left": 0, "ended": stored["began"] + 60}):
        records = others if change is None else [*others, stored | change]
        noticed = wrong(attrs.evolve(measured, records=records), load, ledger)
        assert noticed, change
