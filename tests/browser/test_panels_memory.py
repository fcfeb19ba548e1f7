"""What the room remembers: written, rewritten, taken back, found, and never lost by a refusal."""

import secrets
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import OpenRoom
from tests.browser.test_panels_turn import opened
from tests.system.daemon import Daemon


def remember(daemon: Daemon, content: str, kind: str = "fact", **scope: Any) -> Any:
    """By another client."""
    body = {"clientCommandId": secrets.token_hex(8), "kind": kind, "content": content}
    return daemon.post("/api/memory", body | {"scopeType": "room"} | scope, status=200)["record"]


def record(panel: Locator, text: str) -> Locator:
    return panel.locator(".record", has_text=text)


def write(panel: Locator, text: str) -> None:
    panel.locator("textarea.record-text").fill(text)
    panel.locator("textarea.record-text").press("Control+Enter")


def test_what_is_remembered_is_written_rewritten_and_taken_back(
    open_room: OpenRoom, daemon: Daemon
):
    room = open_room()
    room.page.get_by_role("link", name="Memory of the room").click()
    panel = room.page.locator("#panel")
    expect(panel).to_contain_text("Nothing is remembered yet.")
    add = panel.get_by_role("button", name="Add")
    add.click()
    panel.get_by_role("combobox", name="Kind").last.select_option("decision")
    write(panel, "Releases are cut on Fridays.")
    expect(record(panel, "Fridays").locator(".kind")).to_have_text("decision")
    expect(add).to_be_focused()
    remember(daemon, "The build server is called **Otto**.")
    expect(record(panel, "Otto").locator("strong")).to_have_text("Otto")
    row = room.page.locator(".entry.aside", has_text="Otto")
    row.locator("summary").click()
    expect(row.locator("strong")).to_have_text("Otto")
    row.get_by_role("link", name="Open it in its place").click()
    expect(record(panel, "Otto")).to_be_focused()
    expect(panel.locator(".sought")).to_have_count(1)
    record(panel, "Fridays").get_by_role("button", name="Rewrite").click()
    panel.locator("textarea.record-text").press("End")
    panel.locator("textarea.record-text").type(" At noon.")
    panel.locator("textarea.record-text").press("Escape")
    expect(panel).to_be_visible()
    record(panel, "Fridays").get_by_role("button", name="Rewrite").click()
    expect(panel.locator("textarea.record-text")).to_have_value(
        "Releases are cut on Fridays. At noon."
    )
    panel.get_by_role("button", name="Save").click()
    rewritten = record(panel, "At noon.")
    expect(rewritten.get_by_role("button", name="Rewrite")).to_be_focused()
    panel.get_by_label("with history").first.check()
    expect(panel.locator('.record[data-status="superseded"]')).to_contain_text("Fridays.")
    record(panel, "Otto").get_by_role("button", name="Take back").click()
    record(panel, "Otto").get_by_role("button", name="No, keep it").click()
    record(panel, "Otto").get_by_role("button", name="Take back").click()
    record(panel, "Otto").get_by_role("button", name="Take back").click()
    retracted = panel.locator('.record[data-status="retracted"]')
    expect(retracted).to_contain_text("Otto")
    expect(retracted).to_be_focused()
    panel.get_by_label("with history").first.uncheck()
    expect(record(panel, "Otto")).to_have_count(0)
    remember(daemon, "Tabs are never used.", "preference")
    remember(daemon, "Nobody needs this.", "note")
    record(panel, "Nobody").get_by_role("button", name="Take back").press("Enter")
    record(panel, "Nobody").get_by_role("button", name="Take back").press("Enter")
    expect(record(panel, "Nobody")).to_have_count(0)
    expect(add).to_be_focused()
    panel.get_by_role("searchbox").fill("tabs")
    expect(record(panel, "Fridays")).to_have_count(0)
    expect(record(panel, "Tabs")).to_be_visible()
    panel.get_by_role("searchbox").fill("")
    panel.get_by_role("combobox", name="Kind").first.select_option("decision")
    expect(record(panel, "Tabs")).to_have_count(0)
    expect(record(panel, "At noon.")).to_be_visible()


def test_a_refused_text_stays_and_is_kept_once(open_room: OpenRoom):
    room = open_room("narrow")
    message = room.say("Our port is 4310.", "bob")
    expect(room.target(message, "Bob")).to_contain_text("replied")
    message.get_by_role("button", name="What can be done with it").click()
    message.get_by_role("link", name="Remember").click()
    panel = room.page.locator("#panel")
    text = panel.locator("textarea.record-text")
    expect(text).to_have_value("Our port is 4310.")
    _lose_one_answer(room.page)
    panel.get_by_role("button", name="Save").click()
    expect(panel.get_by_role("alert").filter(has_text="GroupX did not answer")).to_be_visible()
    expect(text).to_have_value("Our port is 4310.")
    panel.get_by_role("button", name="Save").click()
    expect(text).to_have_count(0)
    expect(record(panel, "Our port is 4310.")).to_have_count(1)
    assert room.fits()
    record(panel, "Our port").get_by_role("link", name="Where it comes from").click()
    expect(panel).to_be_hidden()
    expect(message).to_be_in_viewport()


def _lose_one_answer(page: Page) -> None:
    """The command is carried out, and its answer does not arrive."""

    def lose(route: Any) -> None:
        route.fetch()
        route.abort()

    page.route("**/api/memory", lose, times=1)


def _said(content: str) -> dict[str, Any]:
    return {"clientCommandId": secrets.token_hex(8), "to": ["agent:bob"], "content": content}


def test_the_context_is_summarised_and_begins_anew_in_words(open_room: OpenRoom, daemon: Daemon):
    room = open_room()
    message = room.say("Something to forget.", "bob", "cleo")
    for name in ("Bob", "Cleo"):
        expect(room.target(message, name)).to_contain_text("replied")
    for number in range(7):
        daemon.post("/api/messages", _said(f"Step {number} is done."), status=202)
    daemon.wait_idle()
    panel = opened(room, "#/agent/bob/memory")
    expect(panel.locator(".waiting")).to_contain_text("turns wait to be written down")
    opened(room, "#/memory")
    line = panel.locator(".room-context")
    expect(line).to_contain_text("There is no summary yet.")
    line.get_by_role("button", name="Summarise now").click()
    expect(line.get_by_role("status")).to_have_text("The summary is done.")
    expect(line).to_contain_text("The summary reaches up to event")
    summary = panel.locator(".record", has=room.page.locator(".kind-summary"))
    expect(summary).to_contain_text("made by")
    expect(summary.get_by_role("button", name="Rewrite")).to_have_count(0)
    diary = room.page.locator(".entry.diary")
    expect(diary).to_have_count(2)
    days = [e for e in daemon.history() if e["body"].get("record", {}).get("agentMemoryType")]
    expect(diary.last).to_be_hidden()
    opened(room, f"#{days[1]['eventId']}")
    expect(diary.last.locator("details")).to_have_attribute("open", "")
    expect(diary.last).to_contain_text("Something to forget.")
    expect(diary.last).to_be_in_viewport()
    expect(diary.first.locator("summary")).not_to_contain_text("·")
    diary.last.get_by_role("link", name="Open it in its place").click()
    expect(panel.locator(".record.sought")).to_be_focused()
    opened(room, "#/agent/bob/memory")
    day = panel.locator(".records-heading", has_text="Today").locator("+ .record")
    expect(day).to_contain_text("Step 0 is done.")
    expect(day.get_by_role("button", name="Rewrite")).to_have_count(0)
    day.get_by_role("button", name="Take back").click()
    day.get_by_role("button", name="Take back").click()
    expect(day).to_have_count(0)
    opened(room, "#/memory")
    line.get_by_role("button", name="Begin anew").click()
    expect(line).to_contain_text("Messages, memories and identities stay.")
    line.get_by_role("button", name="Begin anew").click()
    expect(line).to_contain_text("The context begins anew here.")
    expect(room.page.get_by_text("Context starts anew here.")).to_be_visible()
    line.get_by_role("button", name="Begin anew").click()
    line.get_by_role("button", name="Begin anew").click()
    expect(line).to_contain_text("nothing has changed")
    expect(summary).to_have_count(0)
    assert len([e for e in daemon.history() if e["type"] == "context.reset"]) == 1
