"""What a message calls up: the best matches, within bounds, never twice, the newest first."""

import attrs
import orjson
import pytest

from groupx.domain.ids import USER_WEB
from groupx.domain.limits import MAX_PACKET_RECORD_BYTES
from groupx.domain.packet_memories import PacketMemories
from groupx.domain.packet_relevant import (
    MAX_CHARACTERS,
    MAX_ENTRIES,
    RECORDED_ID,
    RELEVANT,
    Relevant,
    relevant_query,
)
from groupx.domain.search_records import MARK, MAX_READ, MAX_WORDS, telling_tokens
from groupx.domain.search_text import after_word, before_word
from groupx.domain.supervision import WATCH_BRIEF
from tests.domain.test_packet import CODEX, GROK, build, inputs, kept, pair, parse, said


def called_up(*found, characters=256_000, memories=None, **relevant):
    """The section's contents, and what is recorded of it."""
    room = inputs(
        said(3, "now"),
        memories=memories or PacketMemories(),
        relevant=Relevant(kept=found, **relevant),
    )
    packet = build(room, characters)
    return [text for _, text in parse(packet).get(RELEVANT, [])], packet.record.get("relevant")


def test_the_best_are_chosen_and_the_newest_of_them_stands_first():
    found = [kept(n, f"fact {n}", at=f"2026-01-{n + 1:02}T00:00:00.000Z") for n in range(12)]
    told, record = called_up(*found)
    assert told == [f"fact {n}" for n in reversed(range(MAX_ENTRIES))]
    assert record == {"ids": [f"mem_{n}" for n in reversed(range(MAX_ENTRIES))], "candidates": 12}


def test_what_another_section_tells_is_not_told_again():
    memories = PacketMemories(
        core=(kept(1, subject=CODEX),), dated=(kept(2),), room=(kept(3),),
        identity=(kept(4, author=USER_WEB, subject=CODEX), kept(5, subject=CODEX)),
    )  # fmt: skip
    found = [kept(n, f"fact {n}") for n in range(1, 7)]
    told, record = called_up(*found, memories=memories)
    assert (told, record) == (["fact 6"], {"ids": ["mem_6"], "candidates": 1})
    assert called_up(*found[:5], memories=memories) == ([], None)


def test_what_did_not_fit_elsewhere_may_still_be_called_up():
    """A small match of a section that is full of newer things."""
    memories = PacketMemories(room=(kept(1, "x" * 8_000),))
    told, _ = called_up(kept(1, "x" * 5_000), characters=9_500, memories=memories)
    assert told == ["x" * 5_000]


def test_it_is_bounded_and_one_that_is_too_long_gives_way_to_the_next():
    long, short = kept(1, "x" * MAX_CHARACTERS), kept(2, "short")
    assert called_up(long, short) == (["short"], {"ids": ["mem_2"], "candidates": 2})


def test_the_longest_ids_fit_into_a_record():
    found = [attrs.evolve(kept(n), record_id=f"{n}" + "🙂" * 999) for n in range(MAX_ENTRIES)]
    packet = build(inputs(said(3, "now"), relevant=Relevant(kept=tuple(found))))
    assert {len(it) for it in packet.record["relevant"]["ids"]} == {RECORDED_ID}
    assert len(orjson.dumps(packet.record)) < MAX_PACKET_RECORD_BYTES / 2


def test_a_look_up_that_failed_is_recorded():
    assert called_up(failed=True) == ([], {"ids": [], "candidates": 0, "failed": True})


def test_it_gives_way_to_room_memories_and_goes_before_identities():
    memories = PacketMemories(
        room=(kept(1, "r" * 700),), identity=(kept(2, "i" * 700, USER_WEB, subject=CODEX),)
    )
    found = Relevant(kept=(kept(3, "f" * 700),))
    room = inputs(said(3, "now"), memories=memories, relevant=found)
    whole = len(build(room).text)
    for missing, names in (
        (1, {"pinned_group_memory", RELEVANT}), (1_000, {"pinned_group_memory"}),
    ):  # fmt: skip
        parsed = parse(build(room, int((whole - missing) / 0.75)))
        optional = {"pinned_group_memory", RELEVANT, "self_identity"}
        assert set(parsed) & optional == names


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("What should we do about the parser?", ("parser",)),
        (
            "The PARSER of c++, and .net",
            ("parser", after_word("c", "++"), "net", before_word(".", "net")),
        ),
        ("修改数据库", ("修改", "改数", "数据", "据库")),
        ("请问你们什么", ("请问", "问你", "们什")),
        ("a b c 库 -> 🙂 !!", ()),
        ("tab tab Tab", ("tab",)),
        (f"{MARK}mark", ("mark",)),
    ],
)
def test_what_is_looked_for(text, tokens):
    assert telling_tokens(text) == tokens


def test_only_so_much_is_looked_for():
    assert len(telling_tokens(" ".join(f"word{n}" for n in range(99)))) == MAX_WORDS
    assert telling_tokens("a " * MAX_READ + "late") == ()
    assert relevant_query("turn_1", "do it") is None


def test_what_a_turn_is_about():
    forward = inputs(said(9, "see this"), forwarded=said(2, "the parser", GROK))
    assert forward.spoken_of() == "see this\nthe parser"
    watch = inputs(said(9, "watch", kind=WATCH_BRIEF), watched=pair(said(8, "do it")))
    assert watch.spoken_of() == "do it"
    assert inputs(said(9, "gone", withdrawn=True)).spoken_of() == ""
