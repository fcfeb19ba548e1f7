"""A call that a limit stopped is one folded row, and one click makes it after all."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenRoom
from tests.system.daemon import Daemon, demo_agent
from tests.system.stopped_loop import write_stopped_loop


@pytest.fixture
def stopped(tmp_path: Path):
    daemon = Daemon(tmp_path, {"ada": demo_agent(name="Ada"), "bob": demo_agent(name="Bob")})
    daemon.data.mkdir(mode=0o700)
    write_stopped_loop(daemon.data / "groupx-local.db", "Bob, <b>please</b> look at it")
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.dispose()


def test_a_stopped_call_goes_on_once(open_room: OpenRoom, stopped: Daemon):
    room = open_room(daemon=stopped)
    row = room.page.locator(".entry.stopped")
    expect(row.locator("summary")).to_contain_text("0 calls one after another")
    expect(row.locator(".text")).not_to_be_visible()
    row.locator("summary").click()
    expect(row.locator(".fold")).to_contain_text("Who called whom: Ada")
    expect(row.locator(".fold")).to_contain_text("Ada wanted to send to Bob:")
    expect(row.locator(".text")).to_have_text("Bob, <b>please</b> look at it")
    row.get_by_role("button", name="Continue").click()
    call = room.page.locator('.entry.message[data-actor="agent:ada"]')
    expect(call).to_contain_text("Bob, <b>please</b> look at it")
    expect(room.target(call, "Bob")).to_contain_text("replied")
    expect(row.get_by_role("button", name="Continue")).to_have_count(0)
    room.page.reload()
    room.loaded()
    expect(row).to_be_visible()
    expect(row.get_by_role("button", name="Continue")).to_have_count(0)
    [stop] = [e for e in stopped.history() if e["type"] == "routing.loop_stopped"]
    root = stop["body"]["rootCorrelationId"]
    answer = stopped.post(f"/api/roots/{root}/continue", status=409)
    assert answer["error"]["code"] == "STORE_CONFLICT"
    assert stopped.post("/api/roots/corr_none/continue", status=404)["error"]["code"] == "NOT_FOUND"
