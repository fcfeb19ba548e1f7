"""Frames of the stream-json protocol, both ways, over the lines of a child process."""

import uuid
from collections.abc import Callable

import attrs
import outcome
import trio

from groupx.adapters.json_lines import (
    InvalidLineError,
    Json,
    decode_line,
    encode_line,
    is_object,
    object_of,
    text_of,
)
from groupx.adapters.jsonrpc import (
    LAST_OUTPUT_SECONDS,
    MAX_PREAMBLE_LINES,
    OUTBOX_FRAMES,
    ConnectionLost,
    Loss,
    NoAnswer,
)
from groupx.domain.text import excerpt
from groupx.process.child import ChildGone, ChildProcess
from groupx.process.framing import LineTooLong

FrameHandler = Callable[[Json], None]
RequestHandler = Callable[[str, Json], Json | None]
"""Gets what the program asks (subtype, request) and answers at once; None = unsupported."""


class ControlRefused(Exception):
    """The program answered a control request with an error."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message, code)
        self.message = message
        self.code = code


@attrs.define
class _Pending:
    done: trio.Event = attrs.field(factory=trio.Event)
    answer: outcome.Outcome[Json] | None = None

    def resolve(self, answer: outcome.Outcome[Json]) -> None:
        """The first answer counts."""
        if self.answer is None:
            self.answer = answer
            self.done.set()


class StreamConnection:
    """One program's frames and control requests.

    The reading task does only synchronous work: it never waits for a handler or for the pipe
    into the program. Frames of an unknown type are the handler's to ignore.
    """

    def __init__(
        self,
        child: ChildProcess,
        *,
        on_frame: FrameHandler,
        on_request: RequestHandler,
        on_loss: Callable[[], None],
    ) -> None:
        self._child = child
        self._on_frame = on_frame
        self._on_request = on_request
        self._on_loss = on_loss
        self._pending: dict[str, _Pending] = {}
        self._outbox_in, self._outbox_out = trio.open_memory_channel[Json](OUTBOX_FRAMES)
        self._preamble: list[str] | None = []
        self.loss: Loss | None = None

    @property
    def preamble(self) -> str:
        """What the program printed before its first frame; bounded."""
        return "\n".join(self._preamble or [])

    # --- what we send -----------------------------------------------------------------------

    async def ask(self, request: Json, *, seconds: float | None = None) -> Json:
        """A control request and its answer.

        Raises ControlRefused, ConnectionLost, NoAnswer.
        """
        if self.loss is not None:
            raise ConnectionLost(self.loss)
        pending, request_id = _Pending(), str(uuid.uuid4())
        self._pending[request_id] = pending
        try:
            self.tell(request, request_id)
            with trio.move_on_after(float("inf") if seconds is None else seconds) as waiting:
                await pending.done.wait()
            if waiting.cancelled_caught:
                raise NoAnswer(text_of(request.get("subtype")))
        finally:
            self._pending.pop(request_id, None)
        assert pending.answer is not None
        return pending.answer.unwrap()

    def tell(self, request: Json, request_id: str | None = None) -> None:
        """A control request whose answer does not matter."""
        request_id = request_id or str(uuid.uuid4())
        self.post({"type": "control_request", "request_id": request_id, "request": request})

    def post(self, frame: Json) -> None:
        """Send a frame; nothing happens when the connection is lost."""
        if self.loss is not None:
            return
        try:
            self._outbox_in.send_nowait(frame)
        except trio.WouldBlock:
            self.distrust("It makes requests but reads no answers.")

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
            async for frame in self._outbox_out:
                await self._child.write(encode_line(frame))
        except ChildGone:
            self._child.kill_tree()  # it may still write, but hears nothing: the reader ends

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
            frame = decode_line(line)
        except InvalidLineError as error:
            if self._preamble is not None and len(self._preamble) < MAX_PREAMBLE_LINES:
                self._preamble.append(str(error))
            else:
                self.distrust(f'It printed a line that is no message: "{error}".')
            return
        try:
            self._dispatch(frame, line)
        except Exception as error:  # whatever a line holds, it costs its own program's session
            self.distrust(
                f"It sent a message that cannot be read ({type(error).__name__}): {_begin(line)}."
            )

    def _dispatch(self, frame: Json, line: bytes) -> None:
        kind = frame.get("type")
        if not isinstance(kind, str):
            self.distrust(f"It sent an object that is no message: {_begin(line)}.")
            return
        self._preamble = None
        if kind == "control_response":
            self._answered(object_of(frame.get("response")))
        elif kind == "control_request":
            self._asked(frame)
        else:
            self._on_frame(frame)

    def _answered(self, response: Json) -> None:
        pending = self._pending.get(text_of(response.get("request_id")))
        if pending is None:
            return
        if response.get("subtype") == "success":
            pending.resolve(outcome.Value(object_of(response.get("response"))))
            return
        message = text_of(response.get("error")) or "no reason given"
        code = text_of(response.get("error_code"))
        pending.resolve(outcome.Error(ControlRefused(message, code)))

    def _asked(self, frame: Json) -> None:
        request, request_id = frame.get("request"), frame.get("request_id")
        if not is_object(request) or not isinstance(request_id, str):
            self.distrust("It made a request without an id or a content.")
            return
        subtype = text_of(request.get("subtype"))
        answer = self._on_request(subtype, request)
        response: Json = {"subtype": "success", "request_id": request_id, "response": answer}
        if answer is None:
            error = f"Unsupported control request subtype: {excerpt(subtype, 200)}"
            response = {"subtype": "error", "request_id": request_id, "error": error}
        self.post({"type": "control_response", "response": response})

    # --- the end ----------------------------------------------------------------------------

    def distrust(self, reason: str) -> None:
        """Nothing that this program says counts any more."""
        self._lose(Loss(kind="broken", reason=reason))

    def _lose(self, loss: Loss) -> None:
        if self.loss is not None:
            return
        self.loss = loss
        for pending in self._pending.values():
            pending.resolve(outcome.Error(ConnectionLost(loss)))
        self._on_loss()


def _begin(line: bytes) -> str:
    return excerpt(line[:2000].decode("utf-8", "replace"), 300)
