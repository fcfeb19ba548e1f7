"""How quick the page is in a room of 5 000 messages; the figures are an artifact, not a gate.

`GROUPX_SPEED=1 ./dev test tests/browser/test_speed.py` takes the whole room; the ordinary run a
twentieth of it, and only proves that the measuring works.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser.conftest import ARTIFACTS, OpenRoom
from tests.browser.room import RoomPage
from tests.system.daemon import Daemon, Json
from tests.system.long_room import Exchange, write_long_room

WHOLE = bool(os.environ.get("GROUPX_SPEED"))
EXCHANGES = 2500 if WHOLE else 120
CODE_BLOCKS = 60
LONG = "A line of a long message, one of many.\n" * 5200
KEYS = 60 if WHOLE else 12
KEY_MS = 53
"""Between two keys; no multiple of a frame."""
STREAMED = 20_000 if WHOLE else 200
"""So long is what each agent has written when the keys are pressed."""
AGENTS = ("bob", "ada", "cleo")
LEAST_KEPT, MOST_KEPT = 1200, 1500

FRAMES = """
() => {
  window.painted = { delays: [] };
  document.querySelector('textarea.draft').addEventListener('keydown', (event) => {
    const pressed = event.timeStamp;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => painted.delays.push(performance.now() - pressed);
      channel.port2.postMessage(null);
    });
  });
}
"""
"""From each key, as the browser heard it, to the end of the frame that shows it."""


def exchanges() -> Iterator[Exchange]:
    """Short ones, with a message of 200 KB and the code blocks among the newest."""
    code = "Look:\n\n```python\ndef answer(it):\n    return len(it) * 42\n```\n\nThat is it."
    for number in range(EXCHANGES):
        newest = EXCHANGES - number <= CODE_BLOCKS
        said = LONG if EXCHANGES - number == CODE_BLOCKS // 2 else f"message number {number}."
        yield said, code if newest else f"answer number {number}."


def streaming_agent(name: str) -> Json:
    program = str(Path(__file__).with_name("streaming_agent.py"))
    return {"driver": "acp", "command": [sys.executable, program, name], "cwd": ".", "name": name}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path_factory.mktemp("room"), {it: streaming_agent(it) for it in AGENTS})
    daemon.data.mkdir(mode=0o700)
    write_long_room(daemon.data / "groupx-local.db", exchanges())
    try:
        daemon.start()
        daemon.wait_idle()
        yield daemon
    finally:
        daemon.dispose()


def first_paint(room: RoomPage) -> float:
    """From the navigation to the newest message on the screen, in ms."""
    room.page.add_init_script(
        """new MutationObserver((_, observer) => {
          if (!document.querySelector('.item')) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => { window.shownAt = performance.now(); }));
        }).observe(document, { childList: true, subtree: true });"""
    )
    room.page.reload()
    room.loaded()
    room.page.wait_for_function("window.shownAt")
    return room.page.evaluate("window.shownAt")


def heap(page: Page) -> float:
    """MB in use after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    metrics = session.send("Runtime.getHeapUsage")
    session.detach()
    return metrics["usedSize"] / 1e6


def processor_ms(session: CDPSession) -> float:
    """What the page's main thread has used of a processor, whoever else wanted one."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(it["value"] for it in metrics if it["name"] == "TaskDuration") * 1000


def keystrokes(room: RoomPage) -> dict[str, float]:
    """Typing: ms from key to frame; and of the processor, for a key and all that came meanwhile."""
    room.draft.focus()
    room.page.evaluate("painted.delays = []")
    session = room.page.context.new_cdp_session(room.page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = processor_ms(session)
    room.draft.press_sequentially("x" * KEYS, delay=KEY_MS)
    used = processor_ms(session) - before
    session.detach()
    delays = sorted(room.page.evaluate("painted.delays"))
    assert len(delays) == KEYS
    room.draft.fill("")
    middle, late = delays[len(delays) // 2], delays[int(len(delays) * 0.95)]
    return {"median": middle, "p95": late, "processor": used / KEYS}


def keystrokes_among_streams(room: RoomPage) -> dict[str, float]:
    """The same while three agents stream, each far into a long text."""
    room.say("go on")
    streaming = room.page.locator('.bubble.turn[aria-busy="true"]')
    expect(streaming).to_have_count(len(AGENTS))
    room.page.wait_for_function(
        """least => [...document.querySelectorAll('.bubble.turn[aria-busy="true"] .answer')]
          .every((answer) => answer.textContent.length >= least)""",
        arg=STREAMED,
        timeout=60_000,
    )
    found = keystrokes(room)
    assert streaming.count() == len(AGENTS)
    return found


def load_all(room: RoomPage) -> int:
    """Scroll up to the beginning; how far what was read has moved at most, in px."""
    worst = 0
    while room.page.locator(".older").text_content() != "This is where the room begins.":
        worst = max(
            worst,
            room.page.evaluate(
                """async () => {
                  const scroller = document.getElementById('scroller');
                  const count = () => document.querySelectorAll('.item').length;
                  const frame = () => new Promise(requestAnimationFrame);
                  const older = document.querySelector('.older');
                  const before = count();
                  scroller.scrollTop = 400;
                  await frame();
                  await frame();
                  await frame(); // what came into view has its size now
                  if (count() !== before) return 0; // the page was quicker than the eye
                  const top = scroller.getBoundingClientRect().top;
                  const first = [...document.querySelectorAll('.item')].find(
                    (item) => item.getBoundingClientRect().bottom > top);
                  const at = first.getBoundingClientRect().top;
                  for (let frames = 0; frames < 600 && count() === before; frames++) {
                    if (older.textContent.includes('begins')) break;
                    await frame();
                  }
                  await frame();
                  await frame();
                  return Math.abs(Math.round(first.getBoundingClientRect().top - at));
                }"""
            ),
        )
    return worst


@pytest.mark.timeout(300 if WHOLE else 60)
def test_figures(open_room: OpenRoom, daemon: Daemon):
    room = open_room()
    figures: dict[str, Any] = {"messages": 2 * EXCHANGES}
    figures["firstPaintMs"] = first_paint(room)
    assert room.at_bottom()
    figures["heapMb"] = heap(room.page)
    room.to("all")
    room.page.evaluate(FRAMES)
    figures["quietKeyMs"] = keystrokes(room)
    figures["keyMs"] = keystrokes_among_streams(room)
    for agent in daemon.get("/api/bootstrap")["agents"]:
        daemon.post(f"/api/turns/{agent['lane']['activeTurnId']}/cancel")
    expect(room.page.locator('.bubble.turn[aria-busy="true"]')).to_have_count(0)
    figures["movedPx"] = load_all(room)
    figures["items"] = room.page.locator(".item").count()
    assert min(2 * EXCHANGES, LEAST_KEPT) <= figures["items"] <= MOST_KEPT
    figures["heapMbAtTop"] = heap(room.page)
    ARTIFACTS.mkdir(exist_ok=True)
    text = json.dumps(figures, indent=1)
    (ARTIFACTS / "speed.json").write_text(text + "\n")
    print(text)  # noqa: T201 - the figures are what it is run for
    assert figures["movedPx"] <= 2
    room.page.locator(".jump").click()
    expect(room.page.locator(".item").last).to_be_in_viewport()
    assert room.at_bottom()
