"""An agent's page: what it does, what it keeps, who it is, and whether it may remember."""

import secrets

from playwright.sync_api import expect

from tests.browser.conftest import OpenRoom
from tests.browser.test_panels_memory import record, remember, write
from tests.browser.test_panels_turn import opened
from tests.system.daemon import Daemon

EXCLUDED = "never again keep memories"


def test_the_page_of_an_agent(open_room: OpenRoom, daemon: Daemon):
    room = open_room()
    room.agent("bob").locator("summary").click()
    room.agent("bob").get_by_role("link", name="Its page").click()
    panel = room.page.locator("#panel")
    expect(panel.get_by_role("heading", level=2)).to_have_text("Bob")
    expect(panel).to_contain_text("groupx-demo-agent")
    expect(panel).to_contain_text("use the room’s tools")
    panel.get_by_role("button", name="Stop").click()
    expect(panel.locator(".agent-now")).to_contain_text("stopped")
    panel.get_by_role("button", name="Start").click()
    expect(panel.locator(".agent-now")).to_contain_text("idle")
    panel.get_by_role("link", name="Memory").click()
    panel.get_by_role("button", name="Add").click()
    write(panel, "Never push to main.")
    expect(record(panel, "Never push")).to_contain_text("You")
    remember(daemon, "Prefer small commits.", scopeType="agent", scopeId="agent:bob")
    expect(record(panel, "small commits")).to_be_visible()
    remember(daemon, "Ada's own.", scopeType="agent", scopeId="agent:ada")
    panel.get_by_role("link", name="Identity").click()
    expect(panel).to_contain_text("The settings say nothing about who it is.")
    panel.get_by_role("button", name="Add").click()
    write(panel, "Bob reviews.")
    expect(panel.locator(".records-heading")).to_have_text("By you")
    expect(record(panel, "Bob reviews.")).to_be_visible()
    [said] = daemon.get("/api/identity?subject=agent:bob")["records"]
    opened(room, f"#/memory/{said['identityId']}")
    expect(panel.locator(".record.sought")).to_be_focused()
    panel.get_by_role("link", name="Memory").click()
    expect(record(panel, "small commits")).to_be_visible()
    expect(record(panel, "Ada's own.")).to_have_count(0)


def test_a_policy_is_changed_knowingly(open_room: OpenRoom, daemon: Daemon):
    room = open_room("narrow")
    panel = opened(room, "#/agent/cleo/memory")
    form = panel.locator("form.policy")
    tell = form.get_by_label("tell it what is remembered")
    expect(tell).to_be_checked()
    tell.uncheck()
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("status")).to_contain_text("Saved.")
    form.get_by_label("do not write").check()
    path = "/api/memory-policy/agent:cleo"
    put(daemon, path, useMemories=True, generation="enabled", expectedRevision=1)
    expect(form.get_by_role("status")).to_contain_text("changed elsewhere meanwhile")
    expect(form.get_by_label("do not write")).to_be_checked()
    expect(form.get_by_role("status")).to_contain_text("tell it what is remembered, write its days")
    room.page.route("**/api/memory-policy/*", lambda route: route.abort(), times=1)
    put(daemon, path, useMemories=False, generation="enabled", expectedRevision=2)
    expect(form.get_by_role("alert")).to_contain_text("GroupX did not answer")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("status")).to_contain_text("your change was not saved")
    expect(tell).not_to_be_checked()
    expect(form.get_by_label("write its days")).to_be_checked()
    form.get_by_label("never").check()
    form.get_by_role("button", name="Save").click()
    expect(form).to_contain_text(EXCLUDED)
    assert daemon.get(path)["policy"]["generation"] == "enabled"
    form.get_by_role("button", name="Exclude it for good").click()
    expect(panel).to_contain_text("This is for good.")
    expect(form.get_by_label("write its days")).to_be_disabled()
    assert room.fits()
    assert daemon.get(path)["policy"]["generation"] == "excluded"


def put(daemon: Daemon, path: str, **policy: object) -> None:
    """By another client."""
    body = {"clientCommandId": secrets.token_hex(8), **policy}
    assert daemon.request("PUT", path, body)[0] == 200


def test_who_is_not_there_is_said(open_room: OpenRoom):
    room = open_room()
    panel = opened(room, "#/agent/nobody")
    expect(panel).to_contain_text("There is no agent “nobody” in this room.")
    opened(room, "#/assistant")
    expect(panel).to_contain_text("This room has no assistant.")
    expect(panel.get_by_role("link", name="Turn it on in the settings")).to_be_visible()
    expect(panel.locator("textarea")).not_to_be_visible()
