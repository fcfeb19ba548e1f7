"""A release build says its channel; every other build is local."""

import runpy
from pathlib import Path

import pytest

from groupx._channel import CHANNEL

ROOT = Path(__file__).parents[2]


@pytest.fixture
def hook(tmp_path):
    stamp = runpy.run_path(str(ROOT / "hatch_build.py"))["StampChannel"]
    return stamp(str(ROOT), {}, None, None, str(tmp_path), "wheel")


def stamped(hook, version="standard"):
    build_data = {"force_include": {}}
    hook.initialize(version, build_data)
    return {place: Path(file).read_text() for file, place in build_data["force_include"].items()}


def test_the_source_is_local(hook, monkeypatch):
    monkeypatch.delenv("GROUPX_RELEASE_CHANNEL", raising=False)
    assert CHANNEL == "local"
    assert stamped(hook) == {}


def test_a_release_is_stamped(hook, monkeypatch):
    monkeypatch.setenv("GROUPX_RELEASE_CHANNEL", "beta")
    built = stamped(hook)
    assert list(built) == ["groupx/_channel.py"]
    scope = {}
    exec(built["groupx/_channel.py"], scope)
    assert scope["CHANNEL"] == "beta"


def test_an_editable_install_is_never_a_release(hook, monkeypatch):
    monkeypatch.setenv("GROUPX_RELEASE_CHANNEL", "beta")
    assert stamped(hook, "editable") == {}


def test_a_channel_is_a_name(hook, monkeypatch):
    monkeypatch.setenv("GROUPX_RELEASE_CHANNEL", 'x"; import os')
    with pytest.raises(ValueError, match="not a channel"):
        stamped(hook)
