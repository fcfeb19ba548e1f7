"""A watched message: who watches whom, and what they are told, are folded rows."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenRoom
from tests.system.daemon import Daemon, demo_agent


@pytest.fixture
def two(tmp_path: Path):
    daemon = Daemon(tmp_path, {"ada": demo_agent(name="Ada"), "bob": demo_agent(name="Bob")})
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.dispose()


def test_a_pair_is_two_folded_rows(open_room: OpenRoom, two: Daemon):
    room = open_room(daemon=two)
    supervision = {"observers": ["agent:bob"], "mode": "live_steer"}
    message = {"to": ["agent:ada"], "content": "the task", "supervision": supervision}
    accepted = two.post("/api/messages", message)
    row = room.page.locator(".entry.supervision", has_text="watching Ada")
    expect(row.locator("summary")).to_have_text("Bob → watching Ada")
    expect(row.locator(".text")).not_to_be_visible()
    row.locator("summary").click()
    expect(row.locator(".text")).to_contain_text(accepted["turns"][0]["turnId"])
    brief = room.page.locator('.entry.message[data-actor="system:groupx"]')
    expect(brief.locator("summary")).to_contain_text("What the observers are told")
    expect(brief.locator(".text, .html").first).not_to_be_visible()
    expect(room.target(brief, "Bob")).to_contain_text("replied")
    expect(room.target(room.message("the task"), "Ada")).to_contain_text("replied")
    assert room.fits()
