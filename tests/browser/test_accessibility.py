"""Every view under axe-core, in both themes, sizes and languages; and pictures of all of them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ARTIFACTS, OpenRoom
from tests.browser.room import RoomPage

AXE = Path(__file__).parents[1] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
FINDINGS = """async () => {
  await Promise.all(document.getAnimations().map((it) => it.finished.catch(() => null)));
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.filter(({ impact }) => impact !== "minor")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}"""
VIEWS = ("#/agent/bob", "#/agent/bob/memory", "#/agent/bob/identity", "#/memory", "#/assistant")
EVERY = os.environ.get("GROUPX_LOOKS") == "all"
"""Ordinarily each theme, size and language is looked at once; else in every pairing."""
LOOKS = {
    "wide-light-en": ("wide", "light", "en-US"),
    "narrow-dark-zh": ("narrow", "dark", "zh-CN"),
}
if EVERY:
    LOOKS |= {
        "wide-dark-zh": ("wide", "dark", "zh-CN"),
        "narrow-light-en": ("narrow", "light", "en-US"),
    }


def _states(room: RoomPage, size: str) -> Iterator[str]:
    """One after another everything that can be looked at; each gives its name."""
    page = room.page
    yield "room"
    expect(page.locator("#sidebar")).to_be_visible(visible=size == "wide")
    room.scroller.focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    yield "keys"
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.locator(".search-input").fill("table")
    expect(page.locator(".search-result").first).to_be_visible()
    yield "search"
    page.keyboard.press("Escape")
    if size == "narrow":
        page.locator(".topbar .only-narrow").click()
    page.locator(".files summary").click()
    page.locator(".rooms .sidebar-head button").click()
    yield "sidebar"
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    for view in (*VIEWS, "#/setup"):
        page.evaluate("hash => { location.hash = hash; }", view)
        expect(page.locator("#panel .panel-body > *").nth(0)).to_be_visible()
        expect(page.locator("#panel")).not_to_contain_text("Loading…")
        yield view.strip("#/").replace("/", "-")


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: ./dev setup")
@pytest.mark.parametrize("look", LOOKS)
def test_no_finding_that_hinders_anybody(open_room: OpenRoom, look: str):
    size, scheme, locale = LOOKS[look]
    room = open_room(size, color_scheme=scheme, locale=locale, bypass_csp=True)
    if not room.page.locator(".entry.turn table").count():
        room.say("Please show me a table", "bob")
        expect(room.answer("bob").locator("table")).to_be_visible()
    room.page.add_script_tag(path=AXE)
    found: dict[str, list[str]] = {}
    for name in _states(room, size):
        room.page.screenshot(path=ARTIFACTS / f"{look}-{name}.png")
        found[name] = room.page.evaluate(FINDINGS)
        assert room.fits(), name
    assert {name: ids for name, ids in found.items() if ids} == {}


def test_the_narrowest_window(open_room: OpenRoom):
    room = open_room(viewport={"width": 360, "height": 640})
    for view in ("", *VIEWS, "#/setup", "#/turn/turn_nowhere"):
        room.page.evaluate("hash => { location.hash = hash; }", view)
        assert room.fits(), view


def test_colours_are_chosen_and_kept(open_room: OpenRoom):
    room = open_room(color_scheme="light")

    def paper(page: Page) -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    light = paper(room.page)
    choice = room.page.get_by_role("button", name="Colours:")
    choice.click()
    expect(choice).to_have_text("Colours: light")
    choice.click()
    dark = paper(room.page)
    assert dark != light
    room.page.reload()
    room.loaded()
    assert paper(room.page) == dark
    choice.click()
    assert paper(room.page) == light
