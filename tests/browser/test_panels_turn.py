"""The turn inspector: why a turn exists, what happened to it, and what it was told."""

from playwright.sync_api import Locator, Route, expect

from tests.browser.conftest import OpenRoom
from tests.browser.room import RoomPage
from tests.system.daemon import Daemon


def opened(room: RoomPage, address: str) -> Locator:
    """A view beside the room."""
    room.page.evaluate("hash => { location.hash = hash; }", address)
    return room.page.locator("#panel")


def turn_of(daemon: Daemon, actor_id: str) -> str:
    """The newest turn of an agent."""
    queued = [e["body"] for e in daemon.history() if e["type"] == "turn.queued"]
    return next(it["turnId"] for it in reversed(queued) if it["targetActorId"] == actor_id)


def test_a_turn_is_followed_while_it_runs_and_leads_to_what_it_caused(
    open_room: OpenRoom, daemon: Daemon
):
    room = open_room(permissions=["clipboard-read", "clipboard-write"])
    room.say("ask bob: is the build green?", "ada")
    expect(room.answer("ada").get_by_role("button", name="Stop")).to_be_visible()
    turn_id = turn_of(daemon, "agent:ada")
    panel = opened(room, f"#/turn/{turn_id}")
    expect(panel.locator(".turn-summary")).to_contain_text("Ada")
    _hides_nothing(room, panel)
    child = panel.locator(".row-link", has_text="Bob")
    expect(child).to_contain_text("replied")
    expect(panel.locator(".turn-summary")).to_contain_text("replied")
    expect(panel.locator(".chain .step").first).to_contain_text("You said")
    expect(panel.locator(".chain .step").first).to_contain_text("is the build green?")
    expect(panel.locator(".sizes")).to_contain_text("The message")
    expect(panel.locator(".certainty-delivered")).to_have_text("delivered")
    panel.get_by_role("button", name=turn_id).click()
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    assert room.page.evaluate("navigator.clipboard.readText()") == turn_id
    child.click()
    expect(panel.locator(".chain .step", has_text="Ada asked")).to_contain_text(
        "is the build green?"
    )
    room.page.route(f"**/api/turns/{turn_id}", _with_what_was_left_out, times=1)
    panel.get_by_role("link", name="The turn it was said in").click()
    expect(panel.locator(".sizes li", has_text="Its days")).to_contain_text("2 left out")
    expect(panel.locator(".relevant")).to_contain_text("1 of 3 found")
    expect(panel.get_by_role("link", name="mem_found")).to_be_visible()
    expect(room.page).to_have_url(f"http://127.0.0.1:{daemon.port}/#/turn/{turn_id}")
    panel.get_by_role("link", name="Show the answer").click()
    expect(room.answer("ada")).to_be_in_viewport()
    expect(panel.get_by_role("link", name="Show the answer")).to_be_visible()
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    room.page.route(f"**/api/turns/{turn_id}", _with_a_look_up_that_failed, times=1)
    room.answer("ada").get_by_role("link", name="Details").click()
    expect(panel.get_by_role("button", name=turn_id)).to_be_visible()
    expect(panel.locator(".relevant")).to_contain_text("not all looked through")


def _hides_nothing(room: RoomPage, panel: Locator) -> None:
    """In every window that is not a phone's, the panel stands beside the timeline and Send."""
    for width in (1200, 900, 1440):
        room.page.set_viewport_size({"width": width, "height": 900})
        left = panel.bounding_box()["x"]
        for inside in (room.page.locator("#scroller"), room.page.locator(".send")):
            box = inside.bounding_box()
            assert box["x"] + box["width"] <= left
        assert room.fits()


def _with_what_was_left_out(route: Route) -> None:
    """A turn whose packet was not as small as a demo's."""
    answer = route.fetch().json()
    answer["packet"]["omitted"] = [{"section": "agent_dated_memory", "count": 2}]
    answer["packet"]["relevant"] = {"ids": ["mem_found"], "candidates": 3}
    route.fulfill(json=answer)


def _with_a_look_up_that_failed(route: Route) -> None:
    answer = route.fetch().json()
    answer["packet"]["relevant"] = {"ids": [], "candidates": 0, "failed": True}
    route.fulfill(json=answer)


def test_a_turn_is_stopped_and_sent_again_from_its_page(open_room: OpenRoom, daemon: Daemon):
    room = open_room("narrow")
    room.say("long please", "ada")
    expect(room.answer("ada").locator(".answer")).not_to_be_empty()
    panel = opened(room, f"#/turn/{turn_of(daemon, 'agent:ada')}")
    panel.get_by_role("button", name="Stop").click()
    expect(panel.locator(".turn-summary")).to_contain_text("cancelled")
    expect(panel.get_by_text("What it had written")).to_be_visible()
    assert room.fits()
    panel.get_by_role("button", name="Send again").click()
    panel.press("Escape")
    expect(panel).to_be_hidden()
    room.answer("ada").get_by_role("button", name="Stop").click()
    expect(room.answer("ada")).to_contain_text("cancelled")
    panel = opened(room, f"#/turn/{turn_of(daemon, 'agent:ada')}")
    expect(panel.locator(".chain")).to_contain_text("You sent it again")
    opened(room, "#/turn/turn_none")
    expect(panel.get_by_role("alert")).to_contain_text("There is no turn 'turn_none'")
