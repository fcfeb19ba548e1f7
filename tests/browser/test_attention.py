"""What the page says to who looks elsewhere, and the truth about whom it is connected to."""

from collections.abc import Callable

from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.browser.room import RoomPage
from tests.system.daemon import Daemon

AWAY = """
  document.hasFocus = () => globalThis.isLookedAt === true;
  const seen = () => document.hasFocus() ? "visible" : "hidden";
  Object.defineProperty(document, "visibilityState", { get: seen });
  Object.defineProperty(document, "hidden", { get: () => !document.hasFocus() });
  globalThis.asked = 0;
  globalThis.Notification = class {
    static get permission() { return localStorage.getItem("test.permission") ?? "default"; }
    static async requestPermission() {
      asked++;
      localStorage.setItem("test.permission", "granted");
    }
    constructor(title, { silent }) {
      const all = JSON.parse(localStorage.getItem("test.said") ?? "[]");
      localStorage.setItem("test.said", JSON.stringify([...all, [title, silent]]));
    }
    close() {}
  };
"""
OpenPage = Callable[..., Page]
SAID = "JSON.parse(localStorage.getItem('test.said') ?? '[]')"


def _look(page: Page, looked_at: bool) -> None:
    page.evaluate(
        "is => { globalThis.isLookedAt = is; dispatchEvent(new Event(is ? 'focus' : 'blur'));"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        looked_at,
    )


def test_one_of_many_tabs_tells_who_looks_elsewhere(open_page: OpenPage, daemon: Daemon):
    first = open_page(bypass_csp=True)
    first.context.add_init_script(AWAY)
    room = RoomPage(first, daemon)
    room.log_in()
    assert first.evaluate("asked") == 0
    first.get_by_label("Tell me when a turn").check()
    expect(first.get_by_label("Tell me when a turn")).to_be_checked()
    assert first.evaluate("asked") == 1
    second = RoomPage(first.context.new_page(), daemon)
    second.page.goto(first.url)
    second.loaded()

    daemon.send("please fail", "agent:bob")
    first.wait_for_function(f"{SAID}.length === 1")
    daemon.send("hello", "agent:cleo")
    first.wait_for_function(f"{SAID}.length === 2")
    assert first.evaluate(SAID) == [["Bob failed", False], ["Cleo is done", True]]
    for page in (first, second.page):
        page.wait_for_function(r"/^\(\d+\) GroupX$/.test(document.title)")
        expect(page.locator("link[rel=icon]")).to_have_attribute("href", "/static/icon-unread.svg")

    _look(second.page, True)
    expect(second.page).to_have_title("GroupX")
    daemon.send("hello again", "agent:cleo")
    expect(room.answer("cleo")).to_contain_text("hello again")
    _look(second.page, False)
    daemon.send("please fail", "agent:bob")
    first.wait_for_function(f"{SAID}.length === 3")
    assert first.evaluate(SAID)[2] == ["Bob failed", False]


def test_the_page_says_whom_it_is_connected_to(open_page: OpenPage, daemon: Daemon):
    page = open_page()
    sockets: list[WebSocketRoute] = []

    def through(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket("**/api/ws", through)
    room = RoomPage(page, daemon)
    with page.expect_response("**/api/health"):
        room.log_in()

    def elsewhere(route: Route) -> None:
        now = route.fetch().json()
        route.fulfill(json={**now, "runtimeScopeKey": "another"})

    page.route("**/api/health", elsewhere, times=1)
    sockets[-1].close()
    banner = page.locator(".banner").first
    expect(banner).to_contain_text("Another room of GroupX answers at this address")
    expect(banner).to_contain_text("Next try in")

    def newer(route: Route) -> None:
        now = route.fetch().json()
        route.fulfill(json={**now, "runtime": {**now["runtime"], "version": "9.9.9"}})

    page.route("**/api/bootstrap", newer)
    room.loaded()
    expect(
        page.get_by_role("status").filter(has_text="GroupX is version 9.9.9 now")
    ).to_be_visible()
    expect(page.get_by_text("Connected again at")).to_be_visible()
    page.unroute("**/api/bootstrap", newer)
    page.context.clear_cookies()
    sockets[-1].close()
    expect(banner).to_contain_text("no longer logged in")
    expect(page.locator(".pill")).to_have_text("Not connected")
