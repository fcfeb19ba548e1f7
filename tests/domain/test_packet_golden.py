"""Each section of a packet, word for word, with a fixed mark: `golden/packet/<section>.txt`.

`GROUPX_GOLDEN=write` writes them anew; look at the difference before it is committed.
"""

import os
import re
from pathlib import Path

import attrs
import pytest

from groupx.domain.ids import USER_ASSISTANT, USER_WEB
from groupx.domain.packet import SECTIONS, Packet
from groupx.domain.packet_inputs import PacketInputs
from groupx.domain.packet_memories import PacketMemories
from groupx.domain.packet_relevant import Relevant
from groupx.domain.supervision import STEER, WATCH_BRIEF
from tests.domain.test_packet import CODEX, GROK, MARK, build, inputs, kept, pair, said, summary

FOLDER = Path(__file__).parent / "golden" / "packet"
WRITE = os.environ.get("GROUPX_GOLDEN") == "write"


def full() -> PacketInputs:
    """Something in every section that a member's packet can have."""
    return inputs(
        said(29, "And now?\n\nPlease.", to=(CODEX,), reply_to_event_id="evt_27"),
        said(21, "We ship on Friday.", GROK, to=(CODEX, GROK)),
        said(22, "Done.", CODEX, turn_id="turn_0", own_response=True),
        said(23, "Do the tests.", USER_ASSISTANT, type="operator.dispatch", to=(GROK,)),
        said(24, "Do not touch main.", GROK, kind=STEER, to=(CODEX,)),
        said(25, "Look at this log.", to=(CODEX,), characters=9_000),
        said(26, "watch them", kind=WATCH_BRIEF),
        forwarded=said(3, "The old plan.", GROK),
        reply_chain=(said(7, "First question.", CODEX), said(27, "", GROK, withdrawn=True)),
        summary=attrs.evolve(summary(20, "Goals: ship."), at="2026-01-01T10:00:00.000Z"),
        lower_seq=20,
        memories=PacketMemories(
            core=(
                kept(2, "I test first.", CODEX, subject=CODEX, at="2026-01-02T00:00:00.000Z"),
                kept(1, "Answer in Chinese.", USER_WEB, subject=CODEX, kind="preference"),
            ),
            dated=(kept(3, "Fixed the parser.", CODEX, source_kind="automatic_rollup", seq=19),),
            room=(
                kept(4, "We use tabs.", USER_WEB, kind="decision", seq=3),
                kept(5, "CI runs on pushes.", USER_ASSISTANT, source_kind="operator"),
            ),
            identity=(
                kept(6, "Is the reviewer.", USER_WEB, subject=CODEX),
                kept(7, "Is careful.", CODEX, subject=CODEX),
                kept(8, "Is slow.", GROK, subject=CODEX),
            ),
        ),
        relevant=Relevant(
            kept=(
                kept(9, "Friday's release is cut by hand.", GROK, seq=11),
                kept(10, "Ships on time.", CODEX, subject=GROK, at="2026-01-03T00:00:00.000Z"),
            )
        ),
    )


def observer() -> PacketInputs:
    """An observer's: the task of those it watches, and its own brief."""
    return inputs(
        said(9, "Watch them.", kind=WATCH_BRIEF, to=(CODEX,)),
        watched=pair(said(8, "Do it.", to=(GROK,))),
    )


def sections(packet: Packet) -> dict[str, str]:
    """Name → its text; together they are the packet."""
    parts = re.split(rf"^(?=\[\w+ {MARK}\]\n)", packet.text, flags=re.MULTILINE)[1:]
    assert "".join(parts) == packet.text
    return {part[1:].split(" ", 1)[0]: part for part in parts}


def observed() -> dict[str, str]:
    found = sections(build(observer()))
    return {
        "groupx_protocol.observer": found["groupx_protocol"],
        "supervision_watch": found["supervision_watch"],
        "current_message.observer": found["current_message"],
    }


GOLDEN = {**sections(build(full())), **observed()}


@pytest.mark.parametrize("name", GOLDEN)
def test_a_section_is_word_for_word(name: str) -> None:
    path = FOLDER / f"{name}.txt"
    if WRITE:
        path.write_text(GOLDEN[name])
    assert GOLDEN[name] == path.read_text()


def test_every_section_has_its_file_and_no_file_is_without_one() -> None:
    assert {name.partition(".")[0] for name in GOLDEN} == set(SECTIONS)
    assert {path.stem for path in FOLDER.iterdir()} == set(GOLDEN)
