"""What the user of the long room does, and what stood in it each time it was looked at."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import trio

from groupx.actors.messages import CompactContext, Write
from groupx.domain.commands import CommandKey, PublishCommand
from groupx.domain.envelope import Provenance
from groupx.domain.ids import MAIN_ROOM, USER_WEB, WEB_BINDING, ActorId
from groupx.store.transaction import Transaction
from groupx.store.transactions.publish import publish
from tests.actors.long.cast import A, B, C, Cast, D
from tests.actors.long.life import LIMITS, Life

MINUTE = 60
SAID = """
SELECT seq, event_id, actor_id, json_extract(body_json, '$.content') FROM events
WHERE event_type = 'message.created' AND seq > ? ORDER BY seq
"""

Said = tuple[int, str, str, str]
"""A message: seq, id, author, content."""


class Teller:
    """The user of all lives; `life` is the one that is lived."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """Of the database."""
        self.cast = Cast()
        self.spoken: list[tuple[str, str]] = []
        """By the user, in order: id and content."""
        self.heard: list[Said] = []
        self.life: Life

    async def note(self, count: int) -> None:
        """So many messages that wake nobody, in one commit."""
        first = len(self.spoken)
        texts = [_text(number) for number in range(first, first + count)]
        said = await self.life.store.ask(Write(_publish_all, texts))
        self.spoken += zip(said, texts, strict=True)

    async def send(self, *to: ActorId) -> list[str]:
        """The turns of a message."""
        content = _text(len(self.spoken))
        turns = await self.life.send(*to, content=content)
        source = "SELECT source_event_id FROM turns WHERE turn_id = ?"
        [(event_id,)] = self.life.rows(source, turns[0])
        self.spoken.append((event_id, content))
        return turns

    async def ask(self, *to: ActorId) -> None:
        """Say something to them, and wait for what they answer."""
        turns = await self.send(*to)
        await self.life.ended(*turns)
        assert {self.life.status(turn) for turn in turns} == {"completed"}

    async def rounds(self, count: int, notes: Sequence[int]) -> None:
        """Work: notes, then ever more agents one after another, then two at once."""
        for number in range(count):
            await self.note(notes[number % len(notes)])
            for actor_id in (A, B, C, D)[: 1 + number % 4]:
                await self.ask(actor_id)
            await self.ask(A, B)
            await trio.sleep(MINUTE)
        self.listen()

    async def command(self, kind: Any, **fields: Any) -> Any:
        """Whatever else the user asks for."""
        command_id = f"command-{next(self.cast.commands)}"
        return await self.life.broker.ref.ask(kind(client_command_id=command_id, **fields))

    async def compact(self) -> None:
        """By hand, to its end."""
        await self.command(CompactContext)
        running = self.life.compactor.running(MAIN_ROOM)
        assert running is not None
        await running.over.wait()
        assert running.failure is None

    async def until(self, second: float) -> None:
        """A moment of the story."""
        left = second - self.life.now_ms() / 1000
        assert left > 0, f"it is {-left} s too late"
        await trio.sleep(left)

    def listen(self) -> None:
        """Write down what was said since the last time."""
        last = self.heard[-1][0] if self.heard else 0
        self.heard += self.life.rows(SAID, last)

    async def stop(self) -> None:
        """The daemon, in order."""
        await self.life.stop()

    async def crash(self) -> None:
        """Kill the daemon a moment from now; the next life finds what was on the disk."""
        await trio.sleep(1)
        self.listen()
        self.folder = await self.life.crash()


def _publish_all(tx: Transaction, texts: Sequence[str]) -> list[str]:
    """Each by the transaction that publishes one; their ids."""
    return [publish(tx, _note(text)).message_event_id for text in texts]


def _note(text: str) -> PublishCommand:
    key = CommandKey(
        binding_id=WEB_BINDING,
        client_command_id=None,
        command_type="message.publish",
        request={"content": text},
    )
    return PublishCommand(
        key=key,
        actor_id=USER_WEB,
        content=text,
        provenance=Provenance(source_kind="web", author_actor_id=USER_WEB),
        limits=LIMITS,
    )


def _text(number: int) -> str:
    """Each its own; of many lengths, and in two scripts."""
    return f"message {number}: " + "the build is green, 一切正常。" * (1 + number % 7)
