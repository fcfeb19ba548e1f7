"""The side conversation: asked, answered while one looks, stopped, and what it did in the room."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenRoom
from tests.browser.test_panels_turn import opened
from tests.system.daemon import Daemon, demo_agent


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A room with an assistant that writes slowly."""
    brain = {"driver": "demo", "cwd": ".", "env": {"DEMO_AGENT_PACE": "0.02"}}
    daemon = Daemon(
        tmp_path_factory.mktemp("room"),
        {"bob": demo_agent(name="Bob")},
        assistant={"enabled": True, "name": "Ann", "brain": brain},
    )
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.dispose()


def test_the_assistant_is_asked_stopped_and_seen_at_work(open_room: OpenRoom, daemon: Daemon):
    room = open_room("narrow")
    panel = opened(room, "#/assistant")
    draft = panel.locator("textarea")
    expect(draft).to_be_focused()
    panel.get_by_role("button", name="Ask every agent").click()
    expect(draft).to_have_value("Ask every agent what it works on, and sum it up for me.")
    draft.fill("status")
    draft.press("Enter")
    expect(panel.locator(".side-examples")).to_be_hidden()
    expect(panel.locator(".side-message td", has_text="bob")).to_be_visible()
    assert daemon.history() == [] or not any(
        e["type"] == "message.created" for e in daemon.history()
    )
    draft.fill("dispatch to bob: count the files")
    draft.press("Enter")
    expect(panel.locator(".deeds summary")).to_have_text("What it did in the room (1)")
    panel.locator(".deeds summary").click()
    deed = panel.get_by_role("link", name="count the files").get_attribute("href")
    done = room.page.locator(f".item[id='{(deed or '')[1:]}']")
    expect(done.locator("summary")).to_contain_text("Ann → Bobcount the files")
    assert room.fits()
    expect(panel.get_by_role("button", name="Stop")).to_be_hidden()
    draft.fill("help")
    draft.press("Enter")
    expect(panel.locator(".side-message[aria-busy]")).to_contain_text("assistant")
    panel.get_by_role("button", name="Stop").click()
    mine = panel.locator(".side-mine", has_text="help")
    expect(mine).to_contain_text("stopped; it has no reply")
    mine.get_by_role("button", name="Send again").click()
    expect(mine).not_to_contain_text("stopped")
    said = {"clientCommandId": "elsewhere", "content": "status, please"}
    daemon.post("/api/assistant/messages", said, status=202)
    expect(panel.locator(".side-mine", has_text="status, please")).to_be_visible()
    expect(panel.locator(".side-message td", has_text="bob")).to_have_count(2)
    draft.fill("not sent")
    room.page.reload()
    room.loaded()
    expect(draft).to_have_value("not sent")
    expect(panel.locator(".side-mine")).to_have_count(4)
