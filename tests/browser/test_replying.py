"""Answering one message among many, and asking with somebody who watches."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenRoom
from tests.system.daemon import Daemon


def test_a_reply_says_what_it_answers_and_leads_there(open_room: OpenRoom, daemon: Daemon):
    room = open_room()
    room.say("the first question", "bob")
    expect(room.target(room.message("the first question"), "Bob")).to_contain_text("replied")
    room.say("something else", "cleo")
    expect(room.target(room.message("something else"), "Cleo")).to_contain_text("replied")
    bob = room.answer("bob")
    bob.hover()
    bob.get_by_role("button", name="Reply").click()
    bar = room.page.locator(".reply-bar")
    expect(bar).to_contain_text("Answering Bob")
    expect(room.page.locator('[data-target="agent:bob"]')).to_be_visible()
    room.draft.press_sequentially("because")
    room.page.reload()
    room.loaded()
    expect(bar).to_contain_text("Answering Bob")
    room.draft.press("Enter")
    expect(bar).to_be_hidden()
    said = room.message("because")
    expect(said.locator(".quote")).to_contain_text("Bob")
    sent = next(it for it in daemon.history() if it["body"].get("content") == "because")
    answered = next(it for it in daemon.history() if it["eventId"] == sent["replyToEventId"])
    assert answered["actor"]["actorId"] == "agent:bob"
    said.locator(".quote").click()
    expect(room.page.locator(f'[id="{answered["eventId"]}"]')).to_be_in_viewport()


def test_a_message_is_passed_on_to_another_agent(open_room: OpenRoom, daemon: Daemon):
    room = open_room()
    room.say("a thing worth passing on", "bob")
    expect(room.target(room.message("a thing worth passing on"), "Bob")).to_contain_text("replied")
    bob = room.answer("bob")
    bob.hover()
    bob.get_by_role("button", name="Forward").click()
    bar = room.page.locator(".reply-bar")
    expect(bar).to_contain_text("Forwarding Bob")
    expect(room.page.locator('[data-target="agent:bob"]')).to_have_count(0)
    room.page.get_by_role("option", name="Cleo").click()
    room.draft.press_sequentially("what do you make of this?")
    room.page.reload()
    room.loaded()
    expect(bar).to_contain_text("Forwarding Bob")
    room.draft.press("Enter")
    said = room.message("what do you make of this?")
    expect(said.locator(".quote")).to_contain_text("Forwarded: Bob")
    expect(bar).to_be_hidden()
    expect(room.target(said, "Cleo")).to_contain_text("replied")
    sent = next(
        it for it in daemon.history() if it["body"].get("content") == "what do you make of this?"
    )
    passed_on = next(it for it in daemon.history() if it["eventId"] == sent["forwardedEventId"])
    assert passed_on["actor"]["actorId"] == "agent:bob"
    assert "replyToEventId" not in sent


def test_somebody_may_watch_what_is_asked(open_room: OpenRoom, daemon: Daemon):
    room = open_room()
    room.to("bob")
    room.page.get_by_text("Watched by nobody").click()
    room.page.get_by_role("checkbox", name="Cleo").check()
    room.draft.click()
    expect(room.page.locator(".watch-list")).to_be_hidden()
    expect(room.page.locator(".watch summary")).to_have_text("Watched by Cleo")
    room.say("a watched task")
    expect(room.page.locator(".entry.supervision").last).to_contain_text("Cleo → watching Bob")
    expect(room.target(room.message("a watched task"), "Bob")).to_contain_text("replied")
    daemon.wait_idle()
    assert room.fits()
