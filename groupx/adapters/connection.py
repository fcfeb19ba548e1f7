"""JSON messages, one a frame, both ways with a program: what every such protocol shares."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Literal

import attrs
import outcome
import trio

from groupx.adapters.duplex import Duplex
from groupx.adapters.json_lines import InvalidLineError, Json, decode_line, encode_line
from groupx.domain.text import excerpt
from groupx.process.child import ChildGone, ChildProcess
from groupx.process.framing import LineTooLong
from groupx.process.killing import armed, passed

OUTBOX_FRAMES = 256
"""More unsent messages than this mean a program that asks but does not read."""
MAX_PREAMBLE_LINES = 50
PROMPTS = frozenset({"session/prompt", "turn/start", "user"})
"""What a message that carries a prompt is called, by its method or type."""
LAST_OUTPUT_SECONDS = 1.0
"""How long after the end of output the exit is waited for, so that its status can be told."""


@attrs.frozen(kw_only=True)
class Loss:
    """Why the connection ended: the program went, or a line of it cannot be trusted."""

    kind: Literal["gone", "broken"]
    reason: str


class NoAnswer(trio.TooSlowError):
    """The program left a request unanswered for as long as it was given."""

    def __init__(self, method: str) -> None:
        super().__init__(f"no answer to {method}")
        self.method = method


class ConnectionLost(Exception):
    """No answer will come any more."""

    def __init__(self, loss: Loss) -> None:
        super().__init__(loss.reason)
        self.loss = loss


@attrs.define
class _Pending:
    done: trio.Event = attrs.field(factory=trio.Event)
    answer: outcome.Outcome[Any] | None = None

    def resolve(self, answer: outcome.Outcome[Any]) -> None:
        """The first answer counts."""
        if self.answer is None:
            self.answer = answer
            self.done.set()


class Connection(ABC):
    """One program's messages. A protocol says in `dispatch` what they mean; `on_lost` is for
    what it has to end besides its requests, and is called once.

    The reading task does only synchronous work: it never waits for a handler or for the pipe
    into the program.
    """

    def __init__(self, child: Duplex, on_lost: Callable[[], None] | None = None) -> None:
        self._child = child
        self._on_lost = on_lost
        self._pending: dict[str, _Pending] = {}
        self._outbox_in, self._outbox_out = trio.open_memory_channel[Json](OUTBOX_FRAMES)
        self._preamble: list[str] | None = []
        self.loss: Loss | None = None
        self.lost = trio.Event()
        """Set once there is a `loss`."""

    @abstractmethod
    def dispatch(self, message: Json, line: bytes) -> bool:
        """Take one message, synchronously; False when it is none of this protocol.

        What it raises costs this program's session, and nothing else.
        """

    @property
    def preamble(self) -> str:
        """What the program printed before its first message; bounded."""
        return "\n".join(self._preamble or [])

    @property
    def waiting(self) -> bool:
        """Whether a request of ours is still unanswered."""
        return any(not pending.done.is_set() for pending in self._pending.values())

    # --- what we send -----------------------------------------------------------------------

    def post(self, message: Json) -> None:
        """Send a message; nothing happens when the connection is lost."""
        if self.loss is not None:
            return
        try:
            self._outbox_in.send_nowait(message)
        except trio.WouldBlock:
            self.distrust("It makes requests but reads no answers.")

    async def exchange(self, key: str, name: str, message: Json, seconds: float | None) -> Any:
        """Send a request, and wait for what `resolve` is given for its `key`.

        Raises what the answer is an error of, ConnectionLost, NoAnswer (naming `name`).
        """
        if self.loss is not None:
            raise ConnectionLost(self.loss)
        pending = self._pending[key] = _Pending()
        try:
            self.post(message)
            with trio.move_on_after(float("inf") if seconds is None else seconds) as waiting:
                await pending.done.wait()
            if waiting.cancelled_caught:
                raise NoAnswer(name)
        finally:
            self._pending.pop(key, None)
        assert pending.answer is not None
        return pending.answer.unwrap()

    def resolve(self, key: str, answer: outcome.Outcome[Any]) -> None:
        """Answer a request of ours; an answer to nothing is ignored."""
        pending = self._pending.get(key)
        if pending is not None:
            pending.resolve(answer)

    # --- the two tasks ----------------------------------------------------------------------

    async def serve(self) -> None:
        """Read and write until the program is gone or cannot be trusted; then all is answered."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write)
            try:
                await self._read()
                if self.loss is None:
                    with trio.move_on_after(LAST_OUTPUT_SECONDS):
                        await self._child.exited.wait()
            finally:
                self._lose(Loss(kind="gone", reason="The program ended."))
                nursery.cancel_scope.cancel()

    async def _write(self) -> None:
        try:
            async for message in self._outbox_out:
                frame = encode_line(message)
                if armed() and _is_prompt(message):
                    await self._write_prompt(frame)
                else:
                    await self._child.write(frame)
        except ChildGone:
            self._child.kill_tree()  # it may still write, but hears nothing: the reader ends

    async def _write_prompt(self, frame: bytes) -> None:
        """For a run that may be killed on the way: into a pipe in two parts."""
        if isinstance(self._child, ChildProcess):
            await self._child.write(frame[:1])
            passed("prompt.first_byte")
            frame = frame[1:]
        await self._child.write(frame)
        passed("prompt.written")

    async def _read(self) -> None:
        while self.loss is None:
            line = await self._child.next_line()
            if line is None:
                return
            if isinstance(line, LineTooLong):
                self.distrust(f"It sent a line of {line.size} bytes, which is over the bound.")
            elif line.strip():
                self._on_line(line)

    def _on_line(self, line: bytes) -> None:
        try:
            message = decode_line(line)
        except InvalidLineError as error:
            if self._preamble is not None and len(self._preamble) < MAX_PREAMBLE_LINES:
                self._preamble.append(str(error))
            else:
                self.distrust(f'It printed a line that is no message: "{error}".')
            return
        try:
            if self.dispatch(message, line):
                self._preamble = None
            else:
                self.distrust(f"It sent an object that is no message: {_begin(line)}.")
        except Exception as error:  # whatever a line holds, it costs its own program's session
            self.distrust(
                f"It sent a message that cannot be read ({type(error).__name__}): {_begin(line)}."
            )

    # --- the end ----------------------------------------------------------------------------

    def distrust(self, reason: str) -> None:
        """Nothing that this program says counts any more."""
        self._lose(Loss(kind="broken", reason=reason))

    def _lose(self, loss: Loss) -> None:
        if self.loss is not None:
            return
        self.loss = loss
        self.lost.set()
        for pending in self._pending.values():
            pending.resolve(outcome.Error(ConnectionLost(loss)))
        if self._on_lost is not None:
            self._on_lost()


def _is_prompt(message: Json) -> bool:
    return message.get("method", message.get("type")) in PROMPTS


def _begin(line: bytes) -> str:
    return excerpt(line[:2000].decode("utf-8", "replace"), 300)
