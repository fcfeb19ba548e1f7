"""How a person gets into the room: at a terminal, by `groupx open`, by a page that goes away."""

import http.client
import os
import re
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import Daemon
from tests.system.terminal import Terminal
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

LINK = re.compile(r"http://127\.0\.0\.1:(\d+)/login\?code=([\w-]+)")


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """A folder for PATH with a platform opener that writes down what it is given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("xdg-open", "open"):
        program = folder / name
        program.write_text(
            f'#!/bin/sh\ncp "$1" {folder}/page.part && echo "$@" > {folder}/argv '
            f"&& mv {folder}/page.part {folder}/page\n"
        )
        program.chmod(0o700)
    return folder


@pytest.fixture
def room(make_daemon: MakeDaemon, opened: Path) -> Daemon:
    daemon = make_daemon()
    daemon.env |= {"PATH": f"{opened}:{os.environ['PATH']}", "DISPLAY": ":99"}
    return daemon


@pytest.fixture
def terminal(room: Daemon) -> Iterator[Terminal]:
    made = Terminal(room.argv("run"), env=room.env, cwd=room.folder)
    yield made
    made.close()


def follow(port: int, code: str) -> tuple[int, str]:
    """What the browser gets for the link: status and cookie."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        link.request("GET", f"/login?code={code}")
        response = link.getresponse()
        response.read()
        return response.status, response.headers.get("Set-Cookie", "")
    finally:
        link.close()


def test_at_a_terminal_the_room_opens_the_browser_by_a_page_that_is_removed_on_use(
    room: Daemon, terminal: Terminal, opened: Path
):
    shown = terminal.until("Ctrl-C")
    assert "ada, bob" in shown
    assert str(room.config) in shown
    wait_until((opened / "page").exists, "the opener gets the page")
    page = room.data / "run/open.html"
    assert (opened / "argv").read_text().split() == [str(page)]
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    found = LINK.search((opened / "page").read_text())
    assert found
    port, code = int(found[1]), found[2]
    assert code in shown
    status, cookie = follow(port, code)
    assert status == 303
    assert "HttpOnly" in cookie
    assert not page.exists()
    assert follow(port, code) == (401, "")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.wait() == 0
    assert "Traceback" not in terminal.shown
    assert room.run_files() == []
    room.assert_no_processes()


def test_ctrl_c_at_the_terminal_stops_the_room_and_not_the_agents_first(
    room: Daemon, terminal: Terminal
):
    terminal.until("Ctrl-C")
    os.killpg(terminal.process.pid, signal.SIGINT)
    assert terminal.wait() == 0
    assert "Traceback" not in terminal.shown
    room.assert_no_processes()


def test_open_gives_a_fresh_link_each_time(room: Daemon):
    room.start("--no-open")
    links = [LINK.search(room.cli("open").stdout) for _ in range(2)]
    codes = [found[2] for found in links if found]
    assert len(set(codes)) == 2
    for code in codes:
        assert follow(room.port, code)[0] == 303


def test_open_without_a_room_says_how_to_start_one(make_daemon: MakeDaemon):
    refused = make_daemon().cli("open", check=False)
    assert refused.returncode == 1
    assert "groupx run" in refused.stderr


def test_a_rotated_token_shuts_everything_of_the_old_one_out_at_once(daemon: Daemon):
    old = daemon.token
    _, made = daemon.request("POST", "/api/login-codes", {})
    with daemon.stream() as events:
        assert "has ended" in daemon.cli("token", "rotate").stdout
        assert daemon.token != old
        while events.next(seconds=5) is not None:  # sooner than a stream looks by itself
            pass
    assert follow(daemon.port, made["code"])[0] == 401
    assert daemon.get("/api/bootstrap")
