"""Older rooms, the search that leads into them, and every way by keyboard."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import ARTIFACTS, OpenRoom
from tests.browser.room import RoomPage
from tests.system.daemon import Daemon


def _search(room: RoomPage, words: str):
    """Open the search by its key, type, and the hits."""
    room.page.keyboard.press("Control+k")
    box = room.page.get_by_role("combobox", name="Search")
    expect(box).to_be_focused()
    box.fill(words)
    return room.page.locator(".search-result")


def test_rooms_are_opened_read_and_found(open_room: OpenRoom, daemon: Daemon):
    room = open_room()
    sidebar = room.page.locator("#sidebar")
    bar = room.page.locator(".reading-bar")
    first = room.say("a xylophone stood here", "bob")
    expect(room.target(first, "Bob")).to_contain_text("replied")
    listening = room.listening()
    assert listening > 0
    room.say("please stall", "cleo")
    expect(room.agent("cleo")).to_contain_text("working")

    sidebar.get_by_role("button", name="New room").click()
    sidebar.get_by_placeholder("Title").fill("Second act")
    sidebar.get_by_placeholder("Title").press("Enter")
    expect(sidebar.get_by_role("alert")).to_contain_text("Nothing was changed.")
    room.answer("cleo").get_by_role("button", name="Stop").click()
    expect(room.agent("cleo")).to_contain_text("idle")
    sidebar.get_by_role("button", name="Open it").click()
    expect(room.page.locator("h1")).to_have_text("Second act")
    expect(room.page.get_by_text("Nothing has been said yet.")).to_be_visible()
    for key in "ma":  # the memory, the assistant
        room.scroller.focus()
        room.page.keyboard.press(key)
        expect(room.page.locator("#panel")).to_be_visible()
        room.page.keyboard.press("Escape")
        expect(room.page.locator("#panel")).to_be_hidden()
    assert room.listening() == listening, "what is closed no longer listens"

    hits = _search(room, "xylophone from:web")
    expect(hits).to_have_count(1)
    expect(hits.first.locator("mark")).to_have_text("xylophone")
    expect(hits.first).to_contain_text("in Room of")
    room.page.screenshot(path=ARTIFACTS / "search.png")
    room.page.keyboard.press("Enter")
    expect(bar).to_contain_text("You are reading an older room")
    expect(room.message("a xylophone stood here")).to_be_in_viewport()
    expect(room.draft).to_have_count(0)
    expect(room.page.locator(".timeline .reply").first).to_be_hidden()
    expect(room.page.locator(".timeline .acts").first).to_be_attached()
    expect(room.page.locator(".timeline .acts:visible")).to_have_count(0)

    room.page.reload()
    expect(room.message("a xylophone stood here")).to_be_visible()
    room.page.keyboard.press("m")
    expect(room.page.locator("#panel")).to_be_visible()
    room.page.keyboard.press("Escape")
    expect(bar).to_be_visible()
    bar.get_by_role("link", name="Back to the room").click()
    expect(room.page.locator("h1")).to_have_text("Second act")
    expect(room.draft).to_be_visible()

    sidebar.get_by_role("button", name="Archived (1)").click()
    sidebar.locator("[data-room]", has_text="Room of").hover()
    sidebar.get_by_role("button", name="List again").click()
    expect(sidebar.get_by_role("button", name="Archived")).to_be_hidden()
    room.page.goto(f"http://127.0.0.1:{daemon.port}/#/room/room_nowhere")
    room.page.reload()
    expect(room.page.get_by_role("alert")).to_contain_text("may have been deleted")
    room.page.get_by_role("alert").get_by_role("button", name="Back to the room").click()
    expect(room.draft).to_be_visible()


def test_a_file_of_the_room(open_room: OpenRoom):
    room = open_room()
    foot = room.page.locator(".foot")
    foot.get_by_text("Export and backup").click()
    for name, ending in (("Markdown", "md"), ("HTML", "html"), ("JSONL", "jsonl")):
        with room.page.expect_download() as download:
            foot.get_by_role("link", name=name).click()
        assert download.value.suggested_filename == f"groupx-export.{ending}"
        assert download.value.path().stat().st_size > 0
    foot.get_by_role("button", name="Backup").click()
    expect(foot.get_by_role("status").first).to_contain_text(
        re.compile(r"Saved and read back: .*\.db \(\d")
    )
    expect(foot).to_contain_text("groupx-local.db")


def test_everything_by_keyboard(open_room: OpenRoom):
    room = open_room()
    page, keys = room.page, room.page.keyboard
    for words in ("one to answer", "and one more"):
        expect(room.target(room.say(words, "bob"), "Bob")).to_contain_text("replied")
    expect(room.draft).to_be_focused()
    keys.type("j?")
    expect(room.draft).to_have_value("j?")
    room.draft.fill("")
    room.scroller.focus()
    keys.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("To the next message")
    expect(dialog.locator("kbd", has_text="↓")).to_be_visible()
    keys.press("Escape")
    expect(dialog).to_be_hidden()
    expect(room.scroller).to_be_focused()
    keys.press("j")
    last = page.locator(".item:focus")
    expect(last).to_contain_text("Bob")
    for _ in range(5):
        keys.press("k")
    expect(page.locator(".item:focus")).to_have_count(1)
    above = page.locator(".item:focus").get_attribute("data-key")
    keys.press("ArrowDown")
    expect(page.locator(".item:focus")).not_to_have_attribute("data-key", str(above))
    keys.press("ArrowUp")
    expect(page.locator(".item:focus")).to_have_attribute("data-key", str(above))
    keys.press("j")
    keys.press("r")
    expect(page.locator(".reply-bar")).to_be_visible()
    expect(room.draft).to_be_focused()
    keys.press("Alt+2")
    expect(page.locator("#panel h2")).to_have_text("Bob")
    keys.press("Escape")
    expect(page.locator("#panel")).to_be_hidden()
    expect(room.draft).to_be_focused()
    room.scroller.focus()
    keys.press("c")
    expect(room.draft).to_be_focused()

    hits = _search(room, "answer")
    expect(hits.first).to_have_attribute("aria-selected", "true")
    keys.press("ArrowDown")
    expect(hits.nth(1)).to_have_attribute("aria-selected", "true")
    box = page.get_by_role("combobox", name="Search")
    box.fill("nobodyeversaidthis")
    expect(page.get_by_role("status").filter(has_text="Nothing was found.")).to_be_visible()
    page.route("**/api/search?*", lambda route: route.abort(), times=1)
    box.fill("answer once more")
    expect(page.locator("dialog .note")).to_contain_text("GroupX did not answer")
    page.locator("dialog").get_by_role("button", name="Try again").click()
    expect(page.locator("dialog .note")).to_contain_text("Nothing was found.")
    keys.press("Escape")
    expect(page.locator("dialog.search")).to_be_hidden()
    expect(room.draft).to_be_focused()
