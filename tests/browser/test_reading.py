"""Reading a long room: where the reader stands, what is folded, what is older."""

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OpenRoom
from tests.browser.room import RoomPage
from tests.system.daemon import Daemon, demo_agent
from tests.system.long_room import plain, write_long_room

MESSAGES = 90


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A room with a history of several pages."""
    daemon = Daemon(tmp_path_factory.mktemp("room"), {"bob": demo_agent(name="Bob")})
    daemon.data.mkdir(mode=0o700)
    write_long_room(daemon.data / "groupx-local.db", plain(MESSAGES))
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.dispose()


def first_visible(room: RoomPage) -> tuple[str, int]:
    """The first entry inside the scroller, and where it stands."""
    key, top = room.page.evaluate(
        """() => {
          const top = document.getElementById('scroller').getBoundingClientRect().top;
          for (const item of document.querySelectorAll('.item')) {
            const box = item.getBoundingClientRect();
            if (box.bottom > top + 1) return [item.dataset.key, Math.round(box.top)];
          }
        }"""
    )
    return key, top


def settle(page: Page) -> None:
    """Two frames, so that what came into view has its size."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def delayed(page: Page, route: Route) -> None:
    """Give the reader time to stand still before the answer comes."""
    page.wait_for_timeout(250)
    route.continue_()


def test_the_newest_is_shown_and_older_pages_come_without_a_jump(open_room: OpenRoom, size: str):
    room = open_room(size)
    assert room.at_bottom()
    expect(room.message(f"message number {MESSAGES - 1}.")).to_be_visible()
    assert room.page.locator(".item").count() < 2 * MESSAGES
    room.page.route("**/api/history*", lambda route: delayed(room.page, route))
    moved = 0
    while not room.page.get_by_text("This is where the room begins.").count():
        before = room.page.locator(".item").count()
        room.scroller.evaluate("e => { e.scrollTop = 300; }")
        expect(room.page.get_by_text("Loading older messages")).to_be_attached()
        settle(room.page)
        key, top = first_visible(room)
        room.page.wait_for_function(
            "n => document.querySelectorAll('.item').length > n", arg=before
        )
        settle(room.page)
        now_key, now_top = first_visible(room)
        assert now_key == key
        assert abs(now_top - top) <= 2
        moved += 1
    assert moved >= 2
    room.scroller.evaluate("e => { e.scrollTop = 0; }")
    expect(room.message("message number 0.")).to_be_in_viewport()
    assert room.page.locator(".item").count() >= 2 * MESSAGES
    days = room.page.locator(".day:visible").all_text_contents()
    assert days
    assert len(days) == len(set(days))


def test_who_reads_above_is_left_alone_and_told_what_is_new(open_room: OpenRoom):
    room = open_room()
    room.scroller.evaluate("e => { e.scrollTop -= 700; }")
    expect(room.page.locator(".jump")).to_be_hidden()
    place = first_visible(room)
    room.daemon.send("while you read", "agent:bob")
    expect(room.page.locator(".jump")).to_contain_text("new")
    expect(room.target(room.message("while you read"), "Bob")).to_contain_text("replied")
    key, top = first_visible(room)
    assert key == place[0]
    assert abs(top - place[1]) <= 2
    room.page.locator(".jump").click()
    expect(room.message("while you read")).to_be_in_viewport()
    expect(room.page.locator(".jump")).to_be_hidden()


def test_a_long_text_is_folded(open_room: OpenRoom, size: str):
    room = open_room(size)
    lines = "\n".join(f"{size} line {number}" for number in range(200)) + f"\nthe end {size}"
    room.daemon.send(lines, "agent:bob")
    message = room.page.locator(".entry.message", has_text=f"{size} line 0").last
    expect(message).to_be_visible()
    expect(message).not_to_contain_text("the end")
    message.get_by_role("button", name="Show all (201 lines)").click()
    settle(room.page)
    expect(message.get_by_text(f"{size} line 0")).to_be_in_viewport()
    expect(message).to_contain_text(f"the end {size}")
    message.get_by_role("button", name="Show less").click()
    expect(message).not_to_contain_text("the end")
    expect(message.get_by_text(f"{size} line 0")).to_be_in_viewport()
    expect(message.get_by_role("button", name="Show all")).to_be_focused()
    wide = "w" * 3000
    room.daemon.send(wide, "agent:bob")
    expect(room.page.locator(".entry.message", has_text=wide).last).to_be_visible()
    assert room.fits()


def test_nothing_is_wider_than_a_small_phone(open_room: OpenRoom):
    room = open_room("narrow", viewport={"width": 360, "height": 640})
    assert room.fits()
    room.to("bob")
    room.draft.fill("a word " * 200)
    assert room.fits()
    menu = room.page.get_by_role("button", name="Menu")
    menu.click()
    expect(room.agent("bob")).to_be_visible()
    sidebar = room.page.locator("#sidebar")
    expect(sidebar.get_by_role("button", name="Close")).to_be_focused()
    for _ in range(12):
        room.page.keyboard.press("Tab")
        assert room.page.evaluate("!document.activeElement.closest('#room')")
    room.page.mouse.click(350, 320)
    expect(sidebar).to_be_hidden()
    expect(menu).to_be_focused()
    assert "#" not in room.page.url
    menu.click()
    room.agent("bob").locator("summary").click()
    assert room.fits()
    room.page.keyboard.press("Escape")
    expect(room.page.locator("#sidebar")).to_be_hidden()


def test_a_permalink_shows_its_message(open_room: OpenRoom):
    room = open_room()
    entry = room.message(f"message number {MESSAGES - 10}.")
    entry.scroll_into_view_if_needed()
    href = entry.locator(".permalink").get_attribute("href")
    room.scroller.evaluate("e => { e.scrollTop = e.scrollHeight; }")
    room.page.goto(f"http://127.0.0.1:{room.daemon.port}/{href}")
    room.page.reload()
    room.loaded()
    expect(room.message(f"message number {MESSAGES - 10}.")).to_be_in_viewport()


def test_a_permalink_far_back_loads_what_is_around_it_and_leads_on_both_ways(open_room: OpenRoom):
    room = open_room()
    newest = room.message(f"message number {MESSAGES - 1}.")
    said = [it for it in room.daemon.history() if it["type"] == "message.created"]
    wanted = next(it for it in said if it["body"]["content"] == "message number 12.")
    asked: list[str] = []
    room.page.on("request", lambda it: asked.append(it.url) if "/api/history" in it.url else None)
    room.page.evaluate("id => { location.hash = id; }", wanted["eventId"])
    expect(room.message("message number 12.")).to_be_in_viewport()
    expect(newest).to_have_count(0)
    assert f"around={wanted['eventId']}" in asked[0]
    expect(room.target(room.message("message number 12."), "Bob")).to_contain_text("replied")
    jump = room.page.locator(".jump")
    expect(jump).to_contain_text("Newest")
    room.daemon.send("said meanwhile", "agent:bob")
    expect(jump).to_contain_text("new")
    expect(room.message("said meanwhile")).to_have_count(0)
    while not newest.count():
        room.scroller.evaluate("e => { e.scrollTop = e.scrollHeight - e.clientHeight - 100; }")
        settle(room.page)
    room.scroller.evaluate("e => { e.scrollTop = e.scrollHeight; }")
    expect(room.message("said meanwhile")).to_be_visible()
    shown = room.page.locator(".entry.message .said").all_text_contents()
    numbers = [int(it.split()[2].strip(".")) for it in shown if it.startswith("message number")]
    assert numbers == list(range(numbers[0], MESSAGES))


def test_from_far_back_one_click_leads_to_the_newest(open_room: OpenRoom):
    room = open_room()
    first = next(it for it in room.daemon.history() if it["type"] == "message.created")
    room.page.evaluate("id => { location.hash = id; }", first["eventId"])
    expect(room.message("message number 0.")).to_be_in_viewport()
    room.page.locator(".jump").click()
    expect(room.page.locator(".item:visible").last).to_be_in_viewport()
    room.loaded()
    assert room.at_bottom()
    assert "#" not in room.page.url
    room.page.evaluate("location.hash = 'evt_of_nobody'")
    missing = room.page.get_by_text("That message is not in this room.")
    expect(missing).to_be_visible()
    assert room.at_bottom()
    room.page.evaluate("location.hash = '#/memory'")
    expect(missing).to_be_hidden()


def test_a_line_stands_above_what_came_since_the_last_visit(open_room: OpenRoom):
    room = open_room()
    expect(room.page.locator(".fresh:visible")).to_have_count(0)
    room.page.goto("about:blank")
    room.daemon.send("while you were away", "agent:bob")
    room.page.goto(f"http://127.0.0.1:{room.daemon.port}/")
    room.loaded()
    line = room.page.locator(".fresh:visible")
    expect(line).to_have_text("New since you were here")
    expect(room.page.locator(".item", has=line)).to_contain_text("while you were away")
    room.page.reload()
    room.loaded()
    expect(line).to_have_count(0)


def test_a_clock_that_is_off_makes_no_nonsense(open_room: OpenRoom):
    """The browser's clock is a day ahead; the daemon's is what counts."""
    room = open_room(before=lambda page: page.clock.install(time=time.time() + 86_400))
    room.daemon.send("on time", "agent:bob")
    message = room.message("on time")
    expect(message.locator(".when").first).to_have_text("just now")
    assert room.page.locator(".day:visible").all_text_contents()[-1] == "Today"
