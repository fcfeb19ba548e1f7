"""Mailboxes, references and bells: how actors talk.

An ask goes down the tree and names its answer's type; a tell wants no answer; a bell carries
no data, never blocks and goes anywhere.
"""

from typing import Any, Generic, Protocol, TypeVar, cast

import attrs
import outcome
import trio

AddressT = TypeVar("AddressT")
ReplyT = TypeVar("ReplyT")


class ActorCrashed(Exception):
    """The actor ended before it answered; what it was asked may or may not have happened."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} stopped before it answered")
        self.name = name


class Request(Generic[AddressT, ReplyT]):
    """Base of messages that want an answer: `class Accept(Request[ToBroker, AcceptedMessage])`."""


class Notice(Generic[AddressT]):
    """Base of messages that want none."""


class ActorRef(Protocol[AddressT]):
    """Where to send; it outlives the actor's incarnations."""

    async def ask(self, request: Request[AddressT, ReplyT]) -> ReplyT:
        """The answer, or the error that the actor answered with. ActorCrashed if it ends first.

        A full mailbox makes the caller wait; nothing is dropped.
        """
        ...

    async def tell(self, notice: Notice[AddressT]) -> None:
        """Deliver and go on; waits only while the mailbox is full."""
        ...


@attrs.define(eq=False)
class Letter:
    """A message in a mailbox and, for a request, the place of its answer."""

    message: Any
    work: trio.CancelScope = attrs.field(factory=trio.CancelScope, kw_only=True)
    """Cancelled once its asker waits no more: what is done under it is done for nobody then."""
    _answered: trio.Event | None = None
    _result: outcome.Outcome[Any] | None = None

    def answer(self, value: Any) -> None:
        """Give the asker its answer; the first answer stands."""
        self._settle(outcome.Value(value))

    def refuse(self, error: Exception) -> None:
        """Give the asker an error to raise; the first answer stands."""
        self._settle(outcome.Error(error))

    @property
    def settled(self) -> bool:
        """Whether the asker has its answer (always, for a notice)."""
        return self._answered is None or self._result is not None

    def _settle(self, result: outcome.Outcome[Any]) -> None:
        if self._answered is None or self._result is not None:
            return
        self._result = result
        self._answered.set()

    async def wait(self) -> Any:
        """The asker's side."""
        answered = cast("trio.Event", self._answered)
        await answered.wait()
        return cast("outcome.Outcome[Any]", self._result).unwrap()


class Mailbox(Generic[AddressT]):
    """A bounded queue of letters with a stable reference.

    `open()` starts a new incarnation: letters of the old one are refused with ActorCrashed.
    """

    def __init__(self, name: str, capacity: int) -> None:
        self.name = name
        self._capacity = capacity
        self._pending: set[Letter] = set()
        self._send: trio.MemorySendChannel[Letter]
        self._receive: trio.MemoryReceiveChannel[Letter]
        self._send, self._receive = trio.open_memory_channel[Letter](capacity)

    def open(self) -> trio.MemoryReceiveChannel[Letter]:
        """A fresh queue for a new incarnation."""
        self.close()
        self._send, self._receive = trio.open_memory_channel[Letter](self._capacity)
        return self._receive

    def close(self) -> None:
        """Refuse every letter that has no answer, and every later one."""
        self._send.close()
        self._receive.close()
        for letter in tuple(self._pending):
            letter.refuse(ActorCrashed(self.name))
        self._pending.clear()

    async def ask(self, request: Request[AddressT, ReplyT]) -> ReplyT:
        """See ActorRef."""
        letter = Letter(request, trio.Event())
        self._pending.add(letter)
        try:
            await self._deliver(letter)
            return await letter.wait()
        finally:
            self._pending.discard(letter)
            letter.work.cancel()

    async def tell(self, notice: Notice[AddressT]) -> None:
        """See ActorRef."""
        await self._deliver(Letter(notice))

    async def _deliver(self, letter: Letter) -> None:
        await trio.lowlevel.checkpoint_if_cancelled()
        try:
            try:
                self._send.send_nowait(letter)  # saves a turn of the loop for each ask
            except trio.WouldBlock:
                await self._send.send(letter)
        except (trio.ClosedResourceError, trio.BrokenResourceError):
            raise ActorCrashed(self.name) from None


class Bell:
    """A level-triggered wake-up: ringing an already rung bell does nothing more."""

    def __init__(self) -> None:
        self._event = trio.Event()

    def ring(self) -> None:
        """Wake whoever waits, now or next."""
        self._event.set()

    @property
    def rung(self) -> bool:
        """Whether a wait would return at once."""
        return self._event.is_set()

    def silence(self) -> None:
        """Take the wake-up without waiting for it."""
        if self._event.is_set():
            self._event = trio.Event()

    async def wait(self) -> None:
        """Until it rings; the ring is taken."""
        await self._event.wait()
        self.silence()
