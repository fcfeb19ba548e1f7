"""A draft shows of every secret its name alone, and loses nothing of the document."""

import hashlib
import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.config_changes import NOTHING_PENDING, pending_restart
from groupx.domain.config_draft import (
    ABSENT,
    completed,
    draft_of,
    first_draft,
    revision_of,
    written,
)
from groupx.domain.config_error import ConfigError
from groupx.domain.config_parsing import parse_config

KEY = b"k" * 32
FILE = "/home/you/groupx.json"
NAMES = st.text(string.ascii_uppercase, min_size=1, max_size=4)
ENV = st.dictionaries(NAMES, st.text("secret0123456789", min_size=4, max_size=8), max_size=3)
AGENT = st.fixed_dictionaries({"cwd": st.just(".")}, optional={"env": ENV, "x": st.integers()})
DOCUMENT = st.fixed_dictionaries(
    {"agents": st.dictionaries(NAMES, AGENT, max_size=3)},
    optional={
        "assistant": st.fixed_dictionaries({"brain": AGENT}),
        "limits": st.dictionaries(NAMES, st.integers(), max_size=2),
        "odd": st.one_of(st.none(), st.lists(st.integers())),
    },
)


def values(document):
    holders = [*document["agents"].values(), document.get("assistant", {}).get("brain", {})]
    return [value for holder in holders for value in holder.get("env", {}).values()]


@given(DOCUMENT)
def test_what_is_read_and_saved_unchanged_is_the_same_and_shows_no_value(document):
    draft = draft_of(document)
    assert set(values(draft)) <= {None}
    assert completed(draft, document, file=FILE) == document
    assert json.loads(written(document)) == document


def test_a_value_is_replaced_added_and_removed():
    env = {"KEEP": "kept-secret", "OLD": "old-secret", "GONE": "gone-secret"}
    draft = {"agents": {"a": {"env": {"KEEP": None, "OLD": "new-secret", "ADDED": "more"}}}}
    whole = completed(draft, {"agents": {"a": {"env": env}}}, file=FILE)
    assert whole["agents"]["a"]["env"] == {
        "KEEP": "kept-secret", "OLD": "new-secret", "ADDED": "more"
    }  # fmt: skip


@pytest.mark.parametrize("document", [None, {}, {"agents": {"b": {"env": {"K": "other"}}}}])
def test_a_value_that_nobody_has_cannot_be_kept(document):
    with pytest.raises(ConfigError) as caught:
        completed({"agents": {"a": {"env": {"K": None}}}}, document, file=FILE)
    assert caught.value.where == "agents.a.env.K"
    assert "Nothing was saved" in caught.value.unsaved().message
    assert caught.value.unsaved().details == caught.value.details


@pytest.mark.parametrize(
    "draft",
    [{"agents": 1}, {"agents": {"a": 1}}, {"agents": {"a": {"env": [1]}}}, {"assistant": 1}],
)
def test_what_is_no_config_is_left_for_the_parser(draft):
    assert completed(draft, None, file=FILE) == draft


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["agents", "assistant", "brain", "env", "cwd", "command", "driver", "K"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["agents", "assistant", "limits", "server"]), JSON))
def test_whatever_is_sent_becomes_a_config_or_is_refused_in_words(draft):
    refused = None
    try:
        parse_config(written(completed(draft, None, file=FILE)), path=FILE, drivers=("demo",))
    except ConfigError as error:
        refused = error.unsaved()
    assert refused is None or "allowed: " in refused.message


def test_half_a_character_and_deep_nesting_are_refused_in_words():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    for draft in ({"agents": {"a": {"name": "\ud800"}}}, {"agents": deep}):
        with pytest.raises(ConfigError):
            parse_config(written(completed(draft, None, file=FILE)), path=FILE, drivers=("demo",))


def test_revisions():
    assert revision_of(None, KEY) == ABSENT
    assert revision_of(b"{}", KEY) != revision_of(b"{} ", KEY)
    assert revision_of(b"\xff", KEY) != revision_of(b"\xfe", KEY)


def test_a_revision_tells_nothing_of_the_file_to_who_has_not_the_key():
    assert revision_of(b"{}", KEY) != revision_of(b"{}", bytes(32))
    assert revision_of(b"{}", KEY) != hashlib.sha256(b"{}").hexdigest()


def test_a_first_draft_keeps_the_address_of_the_page():
    assert first_draft(4310) == {"agents": {}}
    assert first_draft(5000) == {"server": {"port": 5000}, "agents": {}}


def config(port=4310, **agents):
    document = {"server": {"port": port}, "agents": agents}
    return parse_config(written(document), path=FILE, drivers=("demo",))


def test_what_waits_for_a_restart():
    demo = {"driver": "demo", "cwd": "."}
    running = config(a=demo, b=demo, c=demo)
    assert pending_restart(running, running, listens=4310) == NOTHING_PENDING
    saved = config(a={**demo, "name": "Ada"}, b=demo, d=demo)
    pending = pending_restart(running, saved, listens=4310)
    assert pending.required
    assert pending.agents == ("agent:a", "agent:d", "agent:c")
    assert [agent.id for agent in pending.added] == ["d"]
    assert pending.port is None


@pytest.mark.parametrize(
    ("saved", "listens", "waits"),
    [
        (4310, 4310, None),
        (4320, 4310, 4320),
        (0, 4310, None),  # any free one, and it has one
        (4320, 4320, None),
        (4320, None, None),  # the command line names it, whatever the config says
    ],
)
def test_a_port_waits_for_a_start_that_is_not_in_the_rooms_place(saved, listens, waits):
    demo = {"driver": "demo", "cwd": "."}
    for running in (config(a=demo), config(saved, a=demo)):  # before that restart, and after it
        pending = pending_restart(running, config(saved, a=demo), listens=listens)
        assert (pending.required, pending.port) == (False, waits)
