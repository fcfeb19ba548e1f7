"""A daemon that dies in the middle of work, as a person sees it: what became of each turn, and that
nothing is sent again by itself."""

import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from groupx.process.killing import KILL_VARIABLE
from tests.browser.conftest import ARTIFACTS, OpenRoom
from tests.browser.room import RoomPage
from tests.system.conftest import MakeDaemon, make_daemon
from tests.system.daemon import Daemon, demo_agent
from tests.system.killing.agents import agent_config, log_of, seen_in

__all__ = ["make_daemon"]

THIRD_PROMPT = "prompt.written:3"


@pytest.fixture
def dying(make_daemon: MakeDaemon, tmp_path: Path) -> Daemon:
    """It dies right behind its third prompt; bob keeps a record of what he is sent."""
    bob = agent_config("acp", tmp_path, "bob")
    daemon = make_daemon({"ada": demo_agent(), "bob": {**bob, "name": "Bob"}})
    daemon.start(**{KILL_VARIABLE: THIRD_PROMPT})
    return daemon


def test_a_lost_daemon_is_admitted_and_its_return_explained(
    open_room: OpenRoom, dying: Daemon, tmp_path: Path
):
    daemon = dying
    room = open_room(daemon=daemon)
    expect(room.target(room.say("before", "bob"), "Bob")).to_contain_text("replied")
    slow = room.say("please stall", "ada")
    expect(room.target(slow, "ada")).to_contain_text("working")
    expect(room.answer("ada").locator(".pulse")).to_have_css("animation-name", "pulse")
    doubtful = room.say("do you hear me?", "bob")
    assert daemon.wait() == -signal.SIGKILL
    is_admitted(room)

    daemon.start("--port", str(daemon.port))
    room.page.get_by_role("button", name="Retry now").click()
    room.loaded()
    expect(room.page.locator(".banner").first).to_be_hidden()
    told = room.page.locator(".line", has_text="GroupX was restarted")
    expect(told).to_contain_text("Turns interrupted: 2. Delivery unknown: 1.")
    expect(told.get_by_role("link", name="Ada’s turn")).to_have_attribute(
        "href", re.compile("#/turn/")
    )
    expect(room.target(slow, "ada")).to_contain_text("interrupted")
    room.draft.press("Enter")
    expect(room.target(room.message("said into the void"), "ada")).to_be_visible()
    assert room.page.locator(".entry.message", has_text="said into the void").count() == 1

    line = room.target(doubtful, "Bob")
    expect(line).to_contain_text("delivery unknown")
    assert line.locator("button, a.quiet").all_text_contents() == ["Details"]
    turn_id = line.get_attribute("data-turn")
    told.get_by_role("link", name="Bob’s turn").click()
    expect(room.page.locator("#panel")).to_contain_text("it may have been sent")
    assert room.page.url.endswith(f"#/turn/{turn_id}")
    bubble = room.answer("bob").locator(".ending")
    expect(bubble.get_by_role("button", name="Send again")).to_be_visible()
    assert room.fits()
    room.page.screenshot(path=ARTIFACTS / "delivery-unknown.png")
    expect(room.target(room.say("and now?", "bob"), "Bob")).to_contain_text("replied")
    sent = seen_in(log_of(tmp_path, "bob"), "acp").messages
    assert sent[0] == "before"
    assert sent[-1] == "and now?"
    assert sent.count("do you hear me?") == len(sent) - 2 <= 1
    assert len(daemon.get(f"/api/turns/{turn_id}")["attempts"]) == 1

    late = open_room(daemon=daemon)
    start = late.page.locator(".line", has_text="Turns interrupted: 2")
    expect(start.get_by_role("link", name="Ada’s turn")).to_be_visible()
    below = late.page.locator(".item", has=start).locator("~ .item")
    expect(below.filter(has_text="said into the void").first).to_be_visible()
    late.page.reload()
    late.loaded()
    expect(start).to_be_visible()


def is_admitted(room: RoomPage) -> None:
    """That nobody answers is said, what was going on stands still, and what is typed is kept."""
    expect(room.page.locator(".banner").first).to_contain_text("does not answer")
    expect(room.page.locator(".pill")).not_to_have_attribute("data-state", "live")
    expect(room.answer("ada").locator(".pulse")).to_have_css("animation-name", "none")
    room.to("ada")
    room.draft.fill("said into the void")
    room.draft.press("Enter")
    expect(room.page.locator(".composer-error")).to_contain_text("did not answer")
    expect(room.draft).to_have_value("said into the void")
