"""Messages as HTML: what Markdown looks like, and that nobody's text gets to act."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from groupx.render.sanitiser import TAGS
from tests.browser.conftest import OpenPage, OpenRoom
from tests.browser.room import RoomPage
from tests.render.xss_corpus import CORPUS
from tests.system.daemon import Daemon, demo_agent

MARKDOWN = (
    """# A plan for {}

Some **bold** words, a [place](src/a.py:3), https://example.com/x and ![a picture](https://example.com/p.png).
A second line.

- [x] done
- [ ] open

| a | b |
|---|--:|
| 1 | 2 |

```python
def f(x):
    return "<b>" + x + """
    + '"a line that is rather long"' * 8
    + """
```
"""
)

ALLOWED = [*TAGS, "body", "button"]
INSPECT = """allowed => {
  const bad = [];
  for (const element of document.querySelectorAll('.rendered, .rendered *')) {
    if (!allowed.includes(element.localName)) bad.push(element.outerHTML);
    for (const { name, value } of element.attributes) {
      if (/^on|^style$|^src|^id$|^name$|^action/.test(name)) bad.push(element.outerHTML);
      if (name === 'href' && !/^(https?:|mailto:)/i.test(value)) bad.push(element.outerHTML);
    }
    if (element.localName === 'a' && element.getAttribute('rel') !== 'noopener noreferrer') {
      bad.push(element.outerHTML);
    }
  }
  return bad;
}"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    limits = {"queuePerAgent": 1000}
    agents = {"bob": demo_agent(name="Bob"), "cleo": demo_agent(name="Cleo")}
    daemon = Daemon(tmp_path_factory.mktemp("room"), agents, limits=limits)
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.dispose()


def last_rendered(room: RoomPage, text: str):
    return room.page.locator(".entry.message .rendered", has_text=text).last


def test_markdown_is_shown_as_it_is_meant(open_room: OpenRoom, size: str):
    room = open_room(size)
    room.daemon.send(MARKDOWN.replace("{}", size), "agent:bob")
    said = last_rendered(room, f"A plan for {size}")
    expect(said.locator("h1")).to_have_text(f"A plan for {size}")
    expect(said.locator("strong")).to_have_text("bold")
    expect(said.locator("td.align-right")).to_have_text("2")
    expect(said.locator("li.task")).to_have_text(["☑ done", "☐ open"])
    expect(said.locator("pre .k").first).to_have_text("def")
    expect(said.locator(".place")).to_have_attribute("title", "src/a.py:3")
    expect(said.locator("a")).to_have_text(["https://example.com/x", "a picture"])
    expect(said.locator("a").first).to_have_attribute("rel", "noopener noreferrer")
    expect(said.locator("img")).to_have_count(0)
    colours = said.locator("pre .k, pre .nf").evaluate_all(
        "all => all.map(one => getComputedStyle(one).color)"
    )
    assert len(set(colours)) == 2
    assert room.fits()
    room.page.reload()
    room.loaded()
    expect(last_rendered(room, f"A plan for {size}").locator("h1")).to_be_visible()


def test_code_is_copied_and_wrapped(open_room: OpenRoom):
    room = open_room(permissions=["clipboard-read", "clipboard-write"])
    room.daemon.send(MARKDOWN.replace("{}", "copying"), "agent:bob")
    block = last_rendered(room, "A plan for copying").locator(".code-block")
    expect(block.locator(".code-head")).to_contain_text("python")
    block.get_by_role("button", name="Copy").click()
    expect(block.get_by_role("button", name="Copied")).to_be_visible()
    copied = room.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith('def f(x):\n    return "<b>" + x + "a line')
    wide = "e => e.scrollWidth > e.clientWidth"
    assert block.locator("pre").evaluate(wide)
    block.get_by_role("button", name="Wrap").click()
    assert not block.locator("pre").evaluate(wide)


def test_what_streams_is_text_until_it_is_finished(open_room: OpenRoom):
    room = open_room()
    room.say("hello there **you**", "bob")
    answer = room.answer("bob").locator(".answer")
    expect(answer.locator(".rendered")).to_contain_text("hello there you")
    expect(answer.locator(".rendered strong").first).to_have_text("you")
    expect(answer.locator(".text")).to_have_count(0)


def test_a_long_message_with_blocks_is_folded_between_them(open_room: OpenRoom):
    room = open_room()
    paragraphs = "\n\n".join(f"paragraph **{number}** " + "word " * 60 for number in range(60))
    room.daemon.send(paragraphs, "agent:bob")
    message = room.page.locator(".entry.message", has_text="paragraph 0").last
    expect(message.locator(".rendered strong").first).to_have_text("0")
    expect(message).not_to_contain_text("paragraph 59")
    message.get_by_role("button", name=re.compile("Show all")).click()
    expect(message).to_contain_text("paragraph 59")
    message.get_by_role("button", name="Show less").click()
    expect(message).not_to_contain_text("paragraph 59")


def foreign_requests(room: RoomPage) -> list[str]:
    """What the page asks of anybody but the daemon."""
    asked: list[str] = []
    own = f"http://127.0.0.1:{room.daemon.port}"
    room.page.on("request", lambda it: None if it.url.startswith(own) else asked.append(it.url))
    return asked


def test_nothing_of_the_corpus_acts(open_room: OpenRoom, open_page: OpenPage, tmp_path: Path):
    """Live, from the history, when it is found, and in the exported file."""
    room = open_room()
    asked = foreign_requests(room)
    room.daemon.post("/api/lanes/cleo/pause", status=200)
    for text in CORPUS:
        room.daemon.send(text, "agent:cleo")
    room.daemon.send("the end", "agent:cleo")
    expect(last_rendered(room, "the end")).to_be_visible()
    assert room.page.locator(".entry.message .rendered").count() > len(CORPUS)
    must_be_harmless(room)
    room.page.reload()
    room.loaded()
    must_be_harmless(room)
    assert room.fits()
    for word in ("hit", "script", "onerror"):
        find_harmlessly(room, word)
    assert asked == []
    room.page.get_by_text("Export and backup").click()
    with room.page.expect_download() as download:
        room.page.locator('a[href*="format=html"]').click()
    exported = tmp_path / "room.html"
    download.value.save_as(exported)
    must_be_inert(open_page(), exported)


def find_harmlessly(room: RoomPage, word: str) -> None:
    """In a hit there is text, and marks around what was looked for."""
    room.page.keyboard.press("Control+k")
    search = room.page.get_by_role("combobox")
    search.fill(word)
    results = room.page.locator(".search-results")
    expect(results.locator("mark").first).to_have_text(re.compile(word, re.IGNORECASE))
    inside = "all => [...new Set(all.map(one => one.localName))]"
    assert results.locator(".hit *").evaluate_all(inside) == ["mark"]
    must_be_harmless(room)
    room.page.keyboard.press("Escape")


def must_be_inert(page: Page, exported: Path) -> None:
    """A file that shows everything, runs nothing and asks nobody for anything."""
    asked: list[str] = []
    page.on("request", lambda it: asked.append(it.url))
    page.goto(exported.as_uri())
    expect(page.get_by_text("the end", exact=True)).to_be_visible()
    assert page.evaluate("window.hit") is None
    assert page.locator("script, img, iframe, object, embed, base, form, svg, link").count() == 0
    assert (
        page.evaluate(
            """[...document.querySelectorAll('*')].flatMap(it => [...it.attributes])
           .filter(it => /^on|^src/.test(it.name) ||
                         (it.name === 'href' && !/^(https?:|mailto:|#)/i.test(it.value)))
           .map(it => it.ownerElement.outerHTML)"""
        )
        == []
    )
    assert asked == [exported.as_uri()]


def test_nor_does_it_as_an_answer(open_room: OpenRoom):
    """Streamed as text, and then rendered, one after the other."""
    room = open_room()
    asked = foreign_requests(room)
    answers = room.page.locator('.entry.turn[data-actor="agent:bob"]')
    so_far = answers.count()
    for number, text in enumerate(CORPUS[::16], so_far + 1):
        room.daemon.send(text, "agent:bob")
        expect(answers).to_have_count(number)
        expect(answers.last.locator(".bubble")).to_have_attribute("aria-busy", "false")
        must_be_harmless(room)
    assert asked == []


def must_be_harmless(room: RoomPage) -> None:
    assert room.page.evaluate(INSPECT, ALLOWED) == []
    assert room.page.evaluate("window.hit") is None
    assert room.page.evaluate("document.querySelectorAll('script').length") == 1
    assert room.page.url.startswith(f"http://127.0.0.1:{room.daemon.port}/")
