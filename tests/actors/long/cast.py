"""What the agents' programs do in every life of the room, and all that they were ever sent.

Their answers say how much they were shown, so that a message which is left out of a
checkpoint, or told twice, is seen in the text.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Literal

import attrs
import trio

from groupx.adapters.contract import Completed, Failed
from groupx.domain import compaction, rollup
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from tests.actors.fakes import FakePrompt

NAMES = ("a", "b", "c", "d")
A, B, C, D = (ActorId(f"agent:{name}") for name in NAMES)
SECONDS = {A: 7.013, B: 11.029, C: 13.041, D: 17.057}
"""Of an answer; with MORE no two things ever end at the same moment, whoever is run first."""
ENTRY = re.compile(r"^<entry \w+ id=(\S+) seq=(\S+) ", re.MULTILINE)
EVENT = "evt_"
IN_ALL = re.compile(r"(\d+) in all")

Kind = Literal["turn", "checkpoint", "memory"]
MORE: dict[Kind, float] = {"turn": 0.0, "checkpoint": 3.107, "memory": 5.311}


@attrs.frozen(kw_only=True)
class Told:
    """A turn's prompt: what it was about, and what it showed."""

    actor_id: ActorId
    source_id: str
    source_seq: int
    after_seq: int
    covered_seq: int
    """By the checkpoint in it, 0 without one."""
    seqs: frozenset[int]


class Cast:
    """All programs of all lives."""

    def __init__(self) -> None:
        self.lives = 0
        self.commands = itertools.count(1)
        """Ids of what the user does, over all lives."""
        self.told: list[Told] = []
        self.answers: dict[ActorId, list[str]] = defaultdict(list)
        self.side: list[tuple[Kind, ActorId]] = []
        """Prompts beside the room."""
        self.remembered: list[tuple[str, ...]] = []
        """The messages of each batch that was answered."""
        self.ill: frozenset[ActorId] = frozenset()
        """Whose programs give no checkpoint."""
        self._awaited: dict[Kind, trio.Event] = {}

    def expect(self, kind: Kind) -> trio.Event:
        """Set when the next prompt of this kind arrives."""
        return self._awaited.setdefault(kind, trio.Event())

    def script(self, actor_id: ActorId) -> Callable[[FakePrompt], Awaitable[None]]:
        """What an agent's program does with each prompt."""

        async def script(prompt: FakePrompt) -> None:
            kind = kind_of(prompt.text)
            if kind == "turn":
                self.told.append(told(actor_id, prompt.text))
            else:
                self.side.append((kind, actor_id))
            if kind in self._awaited:
                self._awaited.pop(kind).set()
            await trio.sleep(SECONDS[actor_id] + MORE[kind])
            if not prompt.session.closed.is_set():
                self._answer(kind, actor_id, prompt)

        return script

    def _answer(self, kind: Kind, actor_id: ActorId, prompt: FakePrompt) -> None:
        if kind == "checkpoint" and actor_id in self.ill:
            quota = Failed(code=ErrorCode.NATIVE_QUOTA_EXCEEDED, message="no quota left")
            prompt.finish(quota)
            return
        if kind == "turn":
            text = f"{actor_id} answers message {last_seq(prompt.text)}"
            self.answers[actor_id].append(text)
        elif kind == "checkpoint":
            text = checkpoint(prompt.text)
        else:
            self.remembered.append(
                tuple(name for name, _ in entries(prompt.text) if name.startswith(EVENT))
            )
            text = memory(prompt.text)
        prompt.say(text)
        prompt.finish(Completed())


# --- reading prompts ------------------------------------------------------------------------------


def kind_of(text: str) -> Kind:
    if text.startswith(compaction.ASSIGNMENT):
        return "checkpoint"
    return "memory" if text.startswith(rollup.ASSIGNMENT) else "turn"


def entries(text: str) -> list[tuple[str, str]]:
    """Each entry's id and seq: of messages a number, of a checkpoint `from-through`, else `-`."""
    return ENTRY.findall(text)


def said_in(text: str) -> list[int]:
    """The seqs of its messages."""
    return [int(seq) for name, seq in entries(text) if name.startswith(EVENT)]


def last_seq(text: str) -> int:
    return int(entries(text)[-1][1])


def told(actor_id: ActorId, text: str) -> Told:
    shown = entries(text)
    covered = [int(seq.partition("-")[2]) for _, seq in shown if "-" in seq and seq != "-"]
    after = re.search(r"^after_seq: (\d+)$", text, re.MULTILINE)
    assert after is not None
    return Told(
        actor_id=actor_id,
        source_id=shown[-1][0],
        source_seq=int(shown[-1][1]),
        after_seq=int(after[1]),
        covered_seq=max(covered, default=0),
        seqs=frozenset(said_in(text)),
    )


def in_all(text: str) -> int:
    """What the text says of how much it was made, 0 when it does not."""
    found = IN_ALL.search(text)
    return int(found[1]) if found else 0


# --- what is answered beside the room -------------------------------------------------------------


def checkpoint(text: str) -> str:
    """Two lines: how many messages it is made of, and how it goes on."""
    new = len(said_in(text))
    return f"{new} messages new, {in_all(text) + new} in all.\nNothing is open."


def memory(text: str) -> str:
    """Of how many turns it is made."""
    new = len(said_in(text)) // 2
    return f"{new} turns new, {in_all(text) + new} in all."
