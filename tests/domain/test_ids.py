"""Ids sort by creation, whatever the clock does."""

import re
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.ids import IdSource, agent_actor, agent_id_of, is_agent_id


@given(st.lists(st.integers(0, 2**47), min_size=1, max_size=60), st.binary(min_size=8, max_size=8))
def test_ids_of_one_source_sort_in_the_order_they_were_made(clock, noise) -> None:
    times = iter(clock)
    source = IdSource(lambda: next(times), lambda n: noise[:n])
    made = [source.new("evt") for _ in clock]
    assert made == sorted(set(made))


def test_a_clock_that_stands_still_for_long() -> None:
    source = IdSource(lambda: 1_000, lambda n: b"\xff" * n)
    made = [source.new("turn") for _ in range(10_000)]
    assert made == sorted(set(made))


def test_the_hex_part_is_a_uuid7() -> None:
    made = IdSource(lambda: 1_700_000_000_123, lambda n: b"\xab" * n).new("evt")
    assert re.fullmatch("evt_[0-9a-f]{32}", made)
    value = uuid.UUID(made.removeprefix("evt_"))
    assert value.version == 7
    assert value.variant == uuid.RFC_4122
    assert value.int >> 80 == 1_700_000_000_123


@pytest.mark.parametrize("name", ["a", "Codex-2", "x.y_z", "a" * 64, "0"])
def test_good_agent_ids(name: str) -> None:
    assert is_agent_id(name)


@pytest.mark.parametrize(
    "name", ["", "-a", "a-", "a b", "a" * 65, "é", "assistant", "Assistant", "__assistant__", "a\n"]
)
def test_bad_agent_ids(name: str) -> None:
    assert not is_agent_id(name)


def test_agent_actor_and_back() -> None:
    assert agent_id_of(agent_actor("codex")) == "codex"
    assert agent_id_of("user:web") is None
