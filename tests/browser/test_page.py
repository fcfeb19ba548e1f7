"""The page itself: who may see it, what it keeps, what it says when GroupX is away."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenRoom
from tests.browser.room import RoomPage
from tests.system.conftest import MakeDaemon, make_daemon
from tests.system.daemon import Daemon, demo_agent

__all__ = ["make_daemon"]


def test_a_stranger_gets_a_page_without_data(open_page, daemon: Daemon):
    page: Page = open_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"http://127.0.0.1:{daemon.port}/")
    expect(page.get_by_text("groupx open").first).to_be_visible()
    assert "Ada" not in page.content()
    assert not [url for url in requests if "/static/" in url or "/api/" in url]


def test_an_empty_room_says_which_database_it_is_and_what_lies_beside_it(
    open_page, make_daemon: MakeDaemon
):
    daemon = make_daemon({"ada": demo_agent()})
    daemon.data.mkdir(mode=0o700)
    (daemon.data / "groupx.db").write_bytes(b"")
    daemon.start()
    room = RoomPage(open_page(), daemon)
    room.log_in()
    empty = room.page.locator(".empty")
    expect(empty).to_contain_text(str(daemon.data / "groupx-local.db"))
    expect(empty).to_contain_text(str(daemon.data / "groupx.db"))


def test_the_page_asks_nobody_else_and_breaks_no_policy(open_page, daemon: Daemon):
    page: Page = open_page()
    page.add_init_script(
        "window.violations = [];"
        "document.addEventListener('securitypolicyviolation',"
        " event => window.violations.push(event.violatedDirective));"
    )
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    room = RoomPage(page, daemon)
    room.log_in()
    room.say("hello", "bob")
    expect(room.answer("bob")).to_be_visible()
    assert {re.match(r"\w+://[^/]+", url)[0] for url in requests} == {  # type: ignore[index]
        f"http://127.0.0.1:{daemon.port}"
    }
    assert page.evaluate("window.violations") == []


def test_recipients_and_drafts_survive_a_reload(open_room: OpenRoom):
    room = open_room()
    room.to("bob", "cleo")
    room.draft.fill("half a tho")
    room.page.reload()
    room.loaded()
    expect(room.draft).to_have_value("half a tho")
    expect(room.page.locator(".chip")).to_have_count(2)
    room.draft.press("Enter")
    expect(room.target(room.message("half a tho"), "Cleo")).to_contain_text("replied")
    room.page.reload()
    room.loaded()
    expect(room.draft).to_have_value("")
    expect(room.page.locator(".chip")).to_have_count(2)


def compose(field: Locator) -> None:
    """Write 你好吗 with an input method, and Enter and the arrows go to that meanwhile."""
    field.focus()
    session = field.page.context.new_cdp_session(field.page)
    session.send(
        "Input.imeSetComposition", {"text": "你好", "selectionStart": 2, "selectionEnd": 2}
    )
    for key in ("ArrowDown", "Enter"):
        session.send(
            "Input.dispatchKeyEvent",
            {"type": "keyDown", "key": key, "windowsVirtualKeyCode": 229},
        )
        field.evaluate(
            "(e, key) => e.dispatchEvent(new KeyboardEvent('keydown',"
            " {key, isComposing: true, bubbles: true, cancelable: true}))",
            key,
        )
    expect(field).to_have_value("你好")
    session.send("Input.insertText", {"text": "你好吗"})
    session.detach()
    expect(field).to_have_value("你好吗")
    expect(field).to_be_focused()


def test_enter_chooses_nothing_while_a_word_is_being_composed(open_room: OpenRoom):
    room = open_room()
    room.to("bob")
    asked: list[str] = []
    room.page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    compose(room.draft)
    assert asked == []
    room.draft.press("Shift+Enter")
    room.draft.press_sequentially("second line")
    room.draft.press("Enter")
    message = room.page.locator(".entry.message", has_text="second line").last
    expect(message.locator(".rendered")).to_have_text("你好吗\nsecond line")
    expect(room.target(message, "Bob")).to_contain_text("replied")

    room.page.keyboard.press("Control+k")
    asked.clear()
    compose(room.page.get_by_role("combobox", name="Search"))
    expect(room.page.locator(".search-result").first).to_contain_text("你好吗")
    assert len(asked) == 1, "what is composed is not searched for"
    room.page.keyboard.press("Escape")

    room.page.goto(f"http://127.0.0.1:{room.daemon.port}/#/setup")
    card = room.page.locator(".agent-card").first
    name = card.get_by_label("Name", exact=True)
    name.fill("")
    asked.clear()
    compose(name)
    assert asked == []


def test_recipients_are_picked_by_keyboard(open_room: OpenRoom):
    room = open_room()
    room.to()
    room.draft.press_sequentially("please ")
    expect(room.page.get_by_text("Nobody would get this")).to_be_visible()
    expect(room.page.get_by_role("button", name="Send", exact=True)).to_be_disabled()
    room.draft.press_sequentially("@")
    options = room.page.get_by_role("option")
    expect(options).to_have_count(4)
    room.draft.press("ArrowDown")
    room.draft.press("ArrowDown")
    expect(options.nth(2)).to_have_attribute("aria-selected", "true")
    room.draft.press("Tab")
    expect(room.page.locator(".chip")).to_contain_text("Bob")
    expect(room.draft).to_have_value("please ")
    room.draft.press_sequentially("@zz")
    expect(options).to_have_count(0)
    room.draft.fill("")
    room.draft.press("Backspace")
    expect(room.page.locator(".chip")).to_have_count(0)
    room.draft.press_sequentially("@")
    room.draft.press("Escape")
    expect(options).to_have_count(0)


def test_the_log_is_told_to_readers_of_screens(open_room: OpenRoom):
    room = open_room()
    expect(room.page.get_by_role("log", name="Messages")).to_be_attached()
    for button in room.page.get_by_role("button").all():
        assert button.get_attribute("aria-label") or button.inner_text().strip()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(open_room: OpenRoom, scheme: str):
    room = open_room(color_scheme=scheme)
    room.say("hello", "bob", "cleo")
    expect(room.answer("bob")).to_be_visible()
    faint = room.page.evaluate(CONTRAST)
    assert faint == []


def test_the_page_speaks_chinese_too(open_room: OpenRoom):
    room = open_room(locale="zh-CN")
    expect(room.page.locator("h2").first).to_have_text("智能体")
    room.page.get_by_role("button", name="English").click()
    expect(room.page.locator("h2").first).to_have_text("Agents")


CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].reduce((sum, value, index) => {
    const part = value / 255;
    const linear = part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    return sum + linear * [0.2126, 0.7152, 0.0722][index];
  }, 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgba('white');
  };
  const faint = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!own || !element.checkVisibility({opacityProperty: true})) continue;
    const [a, b] = [light(rgba(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push([element.className, element.textContent.slice(0, 30), ratio]);
  }
  return faint;
}"""
"""Text whose contrast to what lies behind it is under WCAG AA."""
