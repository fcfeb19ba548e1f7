"""When another room becomes the active one, the page shows it."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenRoom


def test_the_page_goes_along_into_a_new_room(open_room: OpenRoom):
    room = open_room()
    message = room.say("said in the room before", "bob")
    expect(room.target(message, "Bob")).to_contain_text("replied")
    room.daemon.cli("session", "new", "--title", "Fresh start")
    expect(room.page.locator("h1")).to_have_text("Fresh start")
    expect(room.page.get_by_text("Nothing has been said yet.")).to_be_visible()
    expect(room.page.get_by_text("said in the room before")).to_have_count(0)
    message = room.say("said in the new room", "bob")
    expect(room.target(message, "Bob")).to_contain_text("replied")
    room.daemon.cli("session", "unarchive", "room:main")
    expect(room.message("said in the new room")).to_be_visible()
    assert room.page.locator(".entry.message").count() == 1
