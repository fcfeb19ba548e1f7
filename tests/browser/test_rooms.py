"""When another room becomes the active one, the page shows it; the older one is found again."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenRoom
from tests.browser.test_panels_agent import put
from tests.browser.test_panels_memory import remember
from tests.browser.test_panels_turn import opened
from tests.system.daemon import Daemon

POLICY = "/api/memory-policy/agent:bob"


def test_the_page_goes_along_into_a_new_room(open_room: OpenRoom):
    room = open_room()
    message = room.say("said in the room before", "bob")
    expect(room.target(message, "Bob")).to_contain_text("replied")
    before = message.evaluate("it => it.closest('.item').id")
    room.daemon.cli("session", "new", "--title", "Fresh start")
    expect(room.page.locator("h1")).to_have_text("Fresh start")
    expect(room.page.get_by_text("Nothing has been said yet.")).to_be_visible()
    expect(room.page.get_by_text("said in the room before")).to_have_count(0)
    message = room.say("said in the new room", "bob")
    expect(room.target(message, "Bob")).to_contain_text("replied")
    room.daemon.cli("session", "unarchive", "room:main")
    expect(room.message("said in the new room")).to_be_visible()
    assert room.page.locator(".entry.message").count() == 1

    opened(room, f"#{before}")
    expect(room.message("said in the room before")).to_be_in_viewport()
    expect(room.page.locator(".reading-bar")).to_be_visible()


def test_what_is_kept_of_an_older_room_is_shown_as_it_was_there(
    open_room: OpenRoom, daemon: Daemon
):
    remember(daemon, "a **marimba** stands here\n\n" * 20)
    put(daemon, POLICY, useMemories=True, generation="disabled", expectedRevision=0)
    daemon.wait_idle()
    daemon.post("/api/rooms", {"clientCommandId": "next", "title": "Next"})
    put(daemon, POLICY, useMemories=True, generation="enabled", expectedRevision=1)
    room = open_room()
    room.page.keyboard.press("Control+k")
    room.page.locator(".search-input").fill("marimba")
    expect(room.page.locator(".search-result")).to_contain_text("memory of the room")
    room.page.keyboard.press("Enter")
    panel = room.page.locator("#panel")
    found = panel.locator(".record.sought")
    for reload in (room.page.reload, lambda: None):
        expect(room.page.locator(".reading-bar")).to_be_visible()
        expect(found).to_be_focused()
        expect(found.locator("strong")).to_have_count(20)
        expect(found.get_by_role("button", name="Rewrite")).to_have_count(0)
        reload()
    opened(room, "#/agent/bob/memory")
    expect(panel).to_contain_text("The policy is the one it had in that room.")
    expect(panel.get_by_label("do not write")).to_be_checked()
    expect(panel.get_by_label("do not write")).to_be_disabled()
    room.page.locator(".reading-bar a").click()
    expect(room.page.locator("h1")).to_have_text("Next")
    opened(room, "#/agent/bob/memory")
    expect(panel.get_by_label("write its days")).to_be_checked()
