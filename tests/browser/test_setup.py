"""A newcomer's first page, from a bare folder to a room; and the settings of that room."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenRoom
from tests.browser.room import RoomPage
from tests.system.daemon import Daemon

SECRET = "a-value-nobody-sees"


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Daemon]:
    """The setup of a folder without a config, on a machine with one program."""
    daemon = Daemon(tmp_path, {})
    daemon.config.unlink()
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho codex-cli 7.8.9\n")
    program.chmod(0o755)
    daemon.env["PATH"] = f"{program.parent}:/usr/bin:/bin"
    try:
        daemon.start("--port", "0")
        yield daemon
    finally:
        daemon.dispose()


def log_in(page: Page, daemon: Daemon) -> None:
    answer = daemon.request("POST", "/api/login-codes", {})[1]
    page.goto(f"http://127.0.0.1:{daemon.port}/login?code={answer['code']}")


def saved(daemon: Daemon) -> dict:
    return json.loads(daemon.config.read_text())


def test_a_newcomer_sets_up_a_room_corrects_an_error_and_later_adds_an_agent(
    open_page: Callable[..., Page], bare: Daemon
):
    page = open_page("wide")
    log_in(page, bare)
    expect(page.get_by_role("heading", name="Who should be in your room?")).to_be_visible()
    codex = page.locator('.program[data-driver="codex"]')
    expect(codex).to_contain_text("codex-cli 7.8.9")
    expect(codex.get_by_role("status")).to_contain_text("It did not get ready:")
    _found(page, "no", "it says so itself")
    page.get_by_role("button", name="Look again").click()
    expect(codex.get_by_role("status")).to_have_text("Not logged in.Run once: codex login")
    _found(page, "yes", "it has an account (chatgpt)")
    page.get_by_role("button", name="Look again").click()
    expect(codex.get_by_role("status")).to_have_text("Logged in:it has an account (chatgpt).")
    expect(page.locator('.agent-card[data-agent="codex"]')).to_be_visible()
    page.get_by_text("Not installed (").click()
    kimi = page.locator('.program[data-driver="kimi"]')
    expect(kimi.locator("code")).to_have_text("npm install -g @moonshot-ai/kimi-code")

    page.get_by_role("button", name="Remove codex").click()
    page.get_by_role("button", name="Open the room").click()
    expect(page.locator(".setup-status")).to_contain_text("at least one agent")
    page.get_by_role("button", name="Add Demo agent").click()
    card = page.locator(".agent-card")
    card.get_by_label("Name", exact=True).fill("Ada")
    card.get_by_label("Works in").fill("nowhere")
    card.get_by_text("Id, command and variables").click()
    card.get_by_label("Id", exact=True).fill("a da")
    card.get_by_text("Add a variable").click()
    card.get_by_label("Name of the variable").fill("A_KEY")
    card.get_by_label("Value").fill(SECRET)
    page.get_by_role("button", name="Open the room").click()
    expect(card.get_by_label("Id", exact=True)).to_be_focused()
    expect(card.locator(".wrong .field-error")).to_contain_text("letters, digits")
    card.get_by_label("Id", exact=True).fill("ada")
    page.get_by_role("button", name="Open the room").click()
    expect(card.get_by_label("Works in")).to_be_focused()
    expect(card.locator(".wrong .field-error")).to_contain_text("a folder that exists")
    assert not bare.config.exists()
    card.get_by_label("Works in").fill(".")
    page.get_by_role("button", name="Open the room").click()

    room = RoomPage(page, bare)
    room.loaded()
    agents = {"ada": {"driver": "demo", "name": "Ada", "cwd": ".", "env": {"A_KEY": SECRET}}}
    assert saved(bare)["agents"] == agents

    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Ada")
    page.get_by_text("Id, command and variables").click()
    expect(page.get_by_label("Id", exact=True)).to_be_disabled()
    expect(page.get_by_placeholder("kept as it is")).to_have_value("")
    assert SECRET not in page.content()
    page.get_by_role("button", name="Add Demo agent").click()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Restart now").click()
    expect(page.locator(".setup-form")).to_have_count(0, timeout=20_000)
    room.loaded()
    assert bare.process is not None
    assert bare.process.poll() is None
    assert bare.said().count("GroupX is ready") == 2
    assert bare.get("/api/health")["restartRequired"] is False
    assert set(saved(bare)["agents"]) == {"ada", "demo"}
    assert saved(bare)["agents"]["ada"] == agents["ada"]
    expect(page.get_by_text("take effect at the next start")).to_be_hidden()
    room.say("hello", "demo")
    expect(room.answer("demo")).to_be_visible()


def _found(page: Page, known: str, how: str) -> None:
    """What the next look at a program finds."""
    answer = {"starts": known != "no", "login": {"known": known, "how": how}, "problems": ["No."]}
    page.route("**/api/setup/check", lambda route: route.fulfill(json=answer), times=1)


def test_one_who_was_refused_can_go_on_without_loading_the_page(
    open_room: OpenRoom, daemon: Daemon
):
    page = open_room("wide").page
    before = daemon.config.read_text()
    page.evaluate("location.hash = '#/setup'")
    name = page.get_by_label("Name", exact=True).first
    name.fill("Mine")
    document = json.loads(before)
    first = next(iter(document["agents"]))
    document["agents"][first]["name"] = "Theirs"
    daemon.config.write_text(json.dumps(document))
    status = page.locator(".setup-status")
    try:
        page.get_by_role("button", name="Save").click()
        expect(status).to_contain_text("was changed since it was read")
        assert saved(daemon) == document
        page.get_by_role("button", name="Load it again").click()
        expect(name).to_have_value("Theirs")
        name.fill("Mine")
        page.get_by_role("button", name="Save").click()
        expect(status).to_contain_text("takes effect at the next start")
        assert saved(daemon)["agents"][first]["name"] == "Mine"

        daemon.config.write_text("{")
        page.get_by_role("button", name="Restart now").click()
        expect(status).to_contain_text("Nothing was started")
        expect(page.get_by_role("button", name="Restart now")).to_be_enabled()
    finally:
        daemon.config.write_text(before)


def test_on_a_phone_by_keyboard_and_in_chinese(open_page: Callable[..., Page], bare: Daemon):
    page = open_page("narrow", locale="zh-CN")
    log_in(page, bare)
    expect(page.get_by_role("heading", name="谁来加入你的房间？")).to_be_visible()
    expect(page.locator(".agent-card")).to_have_count(1)
    add = page.get_by_role("button", name="添加 Demo agent")
    add.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".agent-card")).to_have_count(2)
    expect(page.locator(".agent-card").last.get_by_label("名称", exact=True)).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("小明")
    page.get_by_role("button", name="English").click()
    expect(page.locator(".setup-status")).to_contain_text("is here again, and is not saved")
    expect(page.locator(".agent-card").last.get_by_label("Name", exact=True)).to_have_value("小明")
    page.get_by_role("button", name="中文").click()
    expect(page.locator(".agent-card")).to_have_count(2)
    assistant = page.get_by_role("switch", name="启用助理")
    assistant.focus()
    page.keyboard.press("Space")
    page.get_by_label("程序", exact=True).select_option("demo")
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]
    page.get_by_role("button", name="移除 codex").press("Enter")
    page.get_by_label("名称", exact=True).first.press("Enter")
    RoomPage(page, bare).loaded()
    document = saved(bare)
    assert document["agents"] == {"demo": {"driver": "demo", "name": "小明", "cwd": "."}}
    assert document["assistant"]["brain"] == {"driver": "demo", "cwd": "."}
