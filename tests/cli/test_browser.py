"""A login reaches the browser by a private file, never by an argv."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from groupx.cli.browser import Opener, has_display, write_open_page
from groupx.cli.running import wait_until

_AS_THE_DAEMON = """
import pathlib, sys
sys.platform = "linux"
from groupx.cli.browser import Opener
from groupx.process.system import adopt_orphans
opener = Opener()
adopt_orphans()
opener.open(pathlib.Path(sys.argv[1]))
sys.stdin.read()
"""
URL = "http://127.0.0.1:4310/login?code=abc"


def test_the_page_is_private_whatever_the_umask(tmp_path: Path):
    page = tmp_path / "open.html"
    before = os.umask(0)
    try:
        write_open_page(page, URL)
    finally:
        os.umask(before)
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert f"url={URL}" in page.read_text()
    write_open_page(page, URL.replace("abc", "def"))
    assert "abc" not in page.read_text()
    assert list(tmp_path.iterdir()) == [page]


def test_no_display_no_window(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not has_display()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_display()


@pytest.mark.slow
def test_the_opener_is_nobodys_child_and_gets_the_page(tmp_path: Path):
    said = tmp_path / "said"
    program = tmp_path / "xdg-open"
    program.write_text(
        f'#!/bin/sh\nps -o ppid= -p $$ > {said}.part\necho "$@" >> {said}.part\n'
        f"mv {said}.part {said}\n"
    )
    program.chmod(0o700)
    # In a process of its own: one that has adopted orphans, as a test before may have, keeps to it.
    daemon = subprocess.Popen(
        [sys.executable, "-c", _AS_THE_DAEMON, str(tmp_path / "open.html")],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        stdin=subprocess.PIPE,
    )
    assert wait_until(said.exists, 10)
    parent, argument = said.read_text().split()
    assert int(parent) != daemon.pid
    daemon.communicate()
    assert daemon.returncode == 0
    assert argument == str(tmp_path / "open.html")


@pytest.mark.slow
def test_an_opener_without_a_page_goes_away():
    Opener().close()
