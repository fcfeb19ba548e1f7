"""A real daemon whose disk takes nothing more: it says so, reads on, and heals by itself."""

import resource
from pathlib import Path

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import Daemon, demo_agent
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def allow(daemon: Daemon, size: int) -> None:
    """No file of the daemon may become longer; the system itself refuses the write."""
    assert daemon.process is not None
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def wal_size(daemon: Daemon) -> int:
    [wal] = Path(daemon.data).glob("*.db-wal")
    return wal.stat().st_size


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="prlimit is Linux's")
def test_a_full_disk_is_said_and_nothing_is_lost_or_doubled(make_daemon: MakeDaemon) -> None:
    daemon = make_daemon({"ada": demo_agent()})
    daemon.start()
    before = len(daemon.history())
    message = {"clientCommandId": "once", "to": ["agent:ada"], "content": "x" * 60_000}
    allow(daemon, wal_size(daemon))
    for _ in range(2):
        refused = daemon.post("/api/messages", message, status=503)
        assert refused["error"]["code"] == "STORE_UNAVAILABLE"
    store = daemon.get("/api/health")["store"]
    assert store["state"] == "failed"
    assert "disk I/O error" in store["fault"] or "full" in store["fault"]
    assert len(daemon.history()) == before
    allow(daemon, resource.RLIM_INFINITY)
    wait_until(lambda: daemon.get("/api/health")["store"]["state"] == "ok", "the store is well")
    first = daemon.post("/api/messages", message)
    assert daemon.post("/api/messages", message) == first
    said = [event for event in daemon.history() if event["type"] == "message.created"]
    assert sum(event["body"]["content"].startswith("xxx") for event in said) == 1
    assert daemon.terminate() == 0
