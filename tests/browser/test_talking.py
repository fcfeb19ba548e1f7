"""Saying something, seeing how far it is, stopping it, running it again."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.conftest import OpenRoom
from tests.browser.room import RoomPage


def test_a_message_gets_its_answer(open_room: OpenRoom, size: str):
    room = open_room(size)
    message = room.say(f"hello from {size}", "bob")
    expect(room.target(message, "Bob")).to_contain_text("replied")
    expect(room.answer("bob")).to_contain_text("I received")
    expect(room.answer("bob").locator(".bubble")).to_have_attribute("aria-busy", "false")
    expect(room.draft).to_have_value("")
    expect(room.page.locator(".pending")).to_have_count(0)
    assert room.at_bottom()
    assert room.fits()
    room.target(message, "Bob").get_by_text("Show").click()
    assert re.search(r"#evt_", room.page.url)


def test_several_recipients_each_have_a_state(open_room: OpenRoom):
    room = open_room()
    message = room.say("hello both", "bob", "cleo")
    expect(room.target(message, "Bob")).to_contain_text("replied")
    expect(room.target(message, "Cleo")).to_contain_text("replied")
    everyone = room.say("hello everyone", "all")
    expect(everyone.locator(".target.good")).to_have_count(3)


def actions(line: Locator) -> list[str]:
    """What can be done about one recipient."""
    return line.locator("button, a.quiet").all_text_contents()


def test_a_phone_offers_what_can_be_done_behind_one_button(open_room: OpenRoom):
    room = open_room("narrow")
    message = room.say("for a phone", "bob")
    expect(room.target(message, "Bob")).to_contain_text("replied")
    expect(message.get_by_role("button", name="Reply")).to_be_hidden()
    message.get_by_role("button", name="What can be done with it").click()
    message.get_by_role("button", name="Reply").click()
    expect(room.page.locator(".reply-bar")).to_contain_text("Answering You")
    assert room.fits()


def test_the_state_of_each_recipient_has_one_plain_action(open_room: OpenRoom):
    room = open_room()
    failed = room.target(room.say("please fail", "bob"), "Bob")
    expect(failed).to_contain_text("failed")
    assert actions(failed) == ["Send again"]
    crashed = room.target(room.say("please crash"), "Bob")
    expect(crashed).to_contain_text("interrupted")
    assert actions(crashed) == ["Continue"]
    working = room.target(room.say("a slow and long answer please", "ada"), "Ada")
    expect(working.locator(".elapsed")).to_be_visible()
    both = room.say("for two of you", "ada", "cleo")
    waiting, replied = room.target(both, "Ada"), room.target(both, "Cleo")
    expect(waiting).to_contain_text("queued, 1 ahead")
    expect(replied).to_contain_text("replied")
    assert (actions(waiting), actions(replied)) == (["Cancel"], ["Show"])
    expect(both).to_have_class(re.compile("goes-on"))
    both.hover()
    assert room.covered() == []
    waiting.get_by_role("button", name="Cancel").click()
    expect(waiting).to_contain_text("cancelled")
    expect(waiting.locator(".why")).to_have_text("stopped by you")
    assert actions(waiting) == ["Send again"]
    waiting.get_by_role("link", name="cancelled").click()
    expect(room.page.locator("#panel")).to_contain_text("cancelled")
    room.answer("ada").get_by_role("button", name="Stop").click()
    expect(working).to_contain_text("cancelled")


def test_an_answer_streams_and_is_the_same_after_a_reload(open_room: OpenRoom):
    room = open_room()
    room.say("a slow and long answer please", "ada")
    bubble = room.answer("ada").locator(".bubble")
    expect(bubble).to_have_attribute("aria-busy", "true")
    expect(bubble.locator(".answer")).to_contain_text("Step")
    expect(room.agent("ada")).to_contain_text("working")
    room.page.reload()
    room.loaded()
    bubble = room.answer("ada").locator(".bubble")
    expect(bubble.locator(".answer")).to_contain_text("Step")
    before = bubble.locator(".answer").inner_text()
    expect(bubble.locator(".answer")).not_to_have_text(before)
    assert bubble.locator(".answer").inner_text().startswith(before)
    bubble.get_by_role("button", name="Stop").click()
    expect(room.target(room.message("a slow and long answer please"), "Ada")).to_contain_text(
        "cancelled"
    )
    expect(bubble).to_contain_text("cancelled")
    expect(bubble.locator(".answer")).to_contain_text("Step")
    expect(room.agent("ada")).to_contain_text("idle")
    room.page.reload()
    room.loaded()
    bubble.get_by_text("Show what it had written").click()
    expect(bubble.locator(".partial-text")).to_contain_text("Step")


def test_an_agent_that_ignores_stop_can_be_forced(open_room: OpenRoom):
    room = open_room()
    room.say("please ignore cancel", "bob")
    bubble = room.answer("bob")
    bubble.get_by_role("button", name="Stop").click()
    expect(bubble.get_by_role("button", name="Stopping…")).to_be_disabled()
    bubble.get_by_role("button", name="Force stop").click()
    expect(room.answer("bob")).to_contain_text(re.compile("interrupted|cancelled"))
    expect(room.agent("bob")).to_contain_text("idle")


def test_a_failure_says_why_and_can_be_sent_again(open_room: OpenRoom, size: str):
    room = open_room(size)
    message = room.say("please fail", "bob")
    line = room.target(message, "Bob")
    expect(line).to_contain_text("failed")
    expect(line.locator(".why")).not_to_be_empty()
    ending = room.answer("bob").locator(".ending")
    expect(ending).to_contain_text("The program reported")
    assert room.covered() == []
    failures = room.page.locator(".ending").count()
    line.get_by_role("button", name="Send again").click()
    again = room.page.locator(".entry.message details", has_text="Sent again").last
    expect(again).to_be_visible()
    expect(room.page.locator(".ending")).to_have_count(failures + 1)
    ending.get_by_role("button", name="Write to Bob").last.focus()
    room.page.keyboard.press("d")
    panel = room.page.locator("#panel")
    expect(panel).to_contain_text("NATIVE_TURN_FAILED")
    expect(panel).to_contain_text("Delivery")
    room.page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    assert room.fits()


def test_what_is_queued_can_be_edited_and_removed(open_room: OpenRoom):
    room = open_room()
    room.say("a slow and long answer please", "ada")
    expect(room.answer("ada").locator(".answer")).to_contain_text("Step")
    first = room.say("first thought")
    expect(room.target(first, "Ada")).to_contain_text("queued, 1 ahead")
    second = room.say("second thought")
    expect(room.target(second, "Ada")).to_contain_text("queued, 2 ahead")
    room.draft.fill("kept aside")
    first.get_by_role("button", name="Edit").click()
    expect(room.draft).to_have_value("first thought")
    expect(room.page.locator(".edit-bar")).to_contain_text("end of its queue")
    room.draft.fill("better thought")
    room.draft.press("Enter")
    expect(room.message("first thought")).to_contain_text("went to the end of the queue: Show")
    expect(room.target(room.message("better thought"), "Ada")).to_contain_text("queued")
    expect(room.draft).to_have_value("kept aside")
    expect(room.target(second, "Ada")).to_contain_text("queued, 1 ahead")
    second.get_by_role("button", name="Remove").click()
    expect(second).to_contain_text("removed")
    expect(room.page.locator(".item", has=second)).to_be_focused()
    room.answer("ada").get_by_role("button", name="Stop").click()
    expect(room.target(room.message("better thought"), "Ada")).to_contain_text("replied")


def test_reasoning_and_tools_are_folded(open_room: OpenRoom):
    room = open_room()
    thinking = room.say("please think", "bob")
    expect(room.target(thinking, "Bob")).to_contain_text("replied")
    reasoning = room.answer("bob").locator("details.reasoning")
    expect(reasoning).to_have_attribute("class", re.compile("fold"))
    expect(room.answer("bob").locator(".bubble")).to_have_attribute("aria-busy", "false")
    expect(reasoning.locator(".text")).to_be_hidden()
    reasoning.locator("summary").click()
    expect(reasoning.locator(".text")).to_contain_text("asks me to think")
    working = room.say("run a tool")
    expect(room.target(working, "Bob")).to_contain_text("replied")
    tool = room.answer("bob").locator("details.tool")
    expect(tool).to_contain_text("✓")
    tool.locator("summary").click()
    expect(tool.locator(".tool-detail")).to_contain_text("completed")


def test_an_agent_is_paused_stopped_and_started_from_the_sidebar(open_room: OpenRoom):
    room = open_room()
    cleo = room.agent("cleo")
    cleo.locator("summary").click()
    cleo.get_by_role("button", name="Pause queue").click()
    expect(cleo.locator(".badge")).to_contain_text("paused")
    waiting = room.say("waiting for you", "cleo")
    expect(room.target(waiting, "Cleo")).to_contain_text("the queue is paused")
    expect(cleo).to_contain_text("1 queued")
    cleo.get_by_role("button", name="Resume queue").click()
    expect(room.target(waiting, "Cleo")).to_contain_text("replied")
    cleo.get_by_role("button", name="Stop", exact=True).click()
    expect(cleo).to_contain_text("stopped")
    room.draft.fill("are you there?")
    room.draft.press("Enter")
    expect(room.page.locator(".composer-error")).to_contain_text(re.compile("stopped"))
    expect(room.draft).to_have_value("are you there?")
    cleo.get_by_role("button", name="Start").click()
    expect(cleo).to_contain_text("idle")
    room.draft.press("Enter")
    expect(room.target(room.message("are you there?"), "Cleo")).to_contain_text("replied")


def test_two_tabs_see_the_same(open_room: OpenRoom):
    one = open_room()
    other = RoomPage(one.page.context.new_page(), one.daemon)
    other.page.goto(f"http://127.0.0.1:{one.daemon.port}/")
    other.loaded()
    one.say("seen by both", "bob")
    expect(other.target(other.message("seen by both"), "Bob")).to_contain_text("replied")
    for tab in (other, one):
        expect(tab.page.locator(".entry.message", has_text="seen by both")).to_have_count(1)
