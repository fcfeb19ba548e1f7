"""What nobody foresaw: hostile names, live texts, events and answers, a cut wire, many tabs."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.browser.conftest import OpenRoom
from tests.browser.room import RoomPage
from tests.browser.test_rendering import must_be_harmless
from tests.render.xss_corpus import CORPUS
from tests.system.daemon import Daemon, Json, demo_agent

NAME = "<img src=x onerror=hit=1>"
RTL = "\u202eעברית 🦉"
TABS = 10
BURST = 30


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    agents = {"bob": demo_agent(name=NAME), "cleo": demo_agent(name=RTL)}
    daemon = Daemon(tmp_path_factory.mktemp("room"), agents)
    try:
        daemon.start()
        daemon.wait_idle()
        yield daemon
    finally:
        daemon.dispose()


class Wire:
    """The page's socket with a hand on it: says things in the daemon's name, and cuts it."""

    def __init__(self, page: Page) -> None:
        self.sockets: list[WebSocketRoute] = []
        page.route_web_socket("**/api/ws", self._opened)

    def _opened(self, socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        self.sockets.append(socket)

    def say(self, event: Json) -> None:
        self.sockets[-1].send(json.dumps(event))

    def cut(self) -> None:
        self.sockets[-1].close()


def transient(kind: str, **body: Any) -> Json:
    actor = {"actorId": "agent:bob", "kind": "agent", "displayName": NAME}
    return {
        "seq": None,
        "eventId": f"evt_{kind}",
        "type": kind,
        "actor": actor,
        "occurredAt": "2026-01-01T00:00:00Z",
        "body": body,
    }


def open_wired(open_room: OpenRoom) -> tuple[RoomPage, Wire]:
    wires: list[Wire] = []
    room = open_room(before=lambda page: wires.append(Wire(page)))
    return room, wires[0]


def test_names_live_texts_and_strange_events_do_nothing(open_room: OpenRoom, daemon: Daemon):
    room, wire = open_wired(open_room)
    turn = room.say("stall", "bob").locator(".target").first
    expect(turn).to_contain_text(NAME)
    turn_id = turn.get_attribute("data-turn")
    bubble = room.answer("bob")
    expect(bubble).to_be_visible()
    for number, text in enumerate(CORPUS):
        wire.say(transient("turn.content.delta", turnId=turn_id, chunkIndex=50 + number, text=text))
        wire.say(
            transient(
                "tool.progress",
                turnId=turn_id,
                nativeType="tool.started",
                toolCallId=f"call_{number}",
                details={"title": text, "kind": "execute", "status": "in_progress"},
            )
        )
    wire.say(transient("weather.forecast", sun=NAME))
    wire.say({**transient("weather.changed", sun=NAME), "seq": daemon.history()[-1]["seq"] + 1000})
    bubble.locator(".tools summary").first.click()
    expect(bubble).to_contain_text(CORPUS[-1].strip()[:20])
    expect(room.page.locator(".line", has_text="weather.changed")).to_be_visible()
    must_be_harmless(room)
    room.draft.press_sequentially("@")
    expect(room.page.get_by_role("option", name=RTL)).to_be_visible()
    must_be_harmless(room)
    assert room.fits()
    daemon.post(f"/api/turns/{turn_id}/cancel")


REFUSALS: tuple[tuple[int, str | None, str], ...] = (
    (401, "UNAUTHORIZED", "No: UNAUTHORIZED."),
    (409, "COMMAND_CONFLICT", "No: COMMAND_CONFLICT."),
    (413, "BODY_TOO_LARGE", "No: BODY_TOO_LARGE."),
    (503, "RUNTIME_CLOSING", "No: RUNTIME_CLOSING."),
    (500, None, "something unreadable"),
)


def refusing(status: int, code: str | None) -> Callable[[Route], None]:
    """Answers in the daemon's form; without a code in no form at all."""
    error = json.dumps({"error": {"code": code, "message": f"No: {code}."}})

    def refuse(route: Route) -> None:
        body = error if code else "<html>"
        route.fulfill(status=status, body=body, content_type="application/json")

    return refuse


def test_every_refusal_is_said_and_keeps_the_text(open_room: OpenRoom, daemon: Daemon):
    room = open_room()
    room.to("cleo")
    for status, code, said in REFUSALS:
        text = f"refused with {status}"
        room.page.route("**/api/messages", refusing(status, code))
        room.draft.fill(text)
        room.draft.press("Enter")
        expect(room.page.locator(".composer-error")).to_contain_text(said)
        expect(room.draft).to_have_value(text)
        room.page.unroute("**/api/messages")
    room.draft.press("Enter")
    expect(room.message("refused with 500")).to_be_visible()
    assert room.page.locator(".entry.message", has_text="refused with").count() == 1


def test_a_gap_is_filled_at_once_without_loss_or_repeat(open_room: OpenRoom, daemon: Daemon):
    room, wire = open_wired(open_room)
    wire.cut()
    for number in range(5):
        daemon.send(f"meanwhile {number}", "agent:cleo")
    for number in range(5):
        expect(room.message(f"meanwhile {number}")).to_be_visible()
    said = room.page.locator(".entry.message", has_text="meanwhile")
    expect(said).to_have_count(5)
    texts = [text.strip() for text in said.locator(".said").all_inner_texts()]
    assert texts == [f"meanwhile {number}" for number in range(5)]
    daemon.wait_idle()
    for number in range(5):
        expect(room.target(room.message(f"meanwhile {number}"), RTL)).to_contain_text("replied")
    assert len(wire.sockets) == 2


def test_all_that_came_at_once_is_counted_in_the_title(open_room: OpenRoom, daemon: Daemon):
    room, wire = open_wired(open_room)
    room.page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    seq = daemon.history()[-1]["seq"]
    for number in range(1, BURST + 1):
        said = transient("message.created", content=f"one of many: {number}")
        wire.say({**said, "seq": seq + number, "eventId": f"evt_burst_{number}"})
    expect(room.page).to_have_title(f"({BURST}) GroupX")


def test_ten_tabs_at_once_hear_everything(open_room: OpenRoom, daemon: Daemon):
    room = open_room()
    tabs = [RoomPage(room.page.context.new_page(), daemon) for _ in range(TABS - 1)]
    for tab in tabs:
        tab.page.goto(f"http://127.0.0.1:{daemon.port}/")
    for tab in tabs:
        tab.loaded()
    room.say("to every tab", "cleo")
    for tab in (room, *tabs):
        expect(tab.target(tab.message("to every tab"), RTL)).to_contain_text("replied")
        expect(tab.answer("cleo")).to_contain_text("to every tab")
    last = tabs[-1]
    last.say("and from the last one", "cleo")
    expect(room.message("and from the last one")).to_be_visible()
