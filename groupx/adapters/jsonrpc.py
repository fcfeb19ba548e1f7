"""JSON-RPC 2.0, both ways, over the lines of a child process."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs
import outcome
import trio

from groupx.adapters.json_lines import (
    InvalidLineError,
    Json,
    decode_line,
    encode_line,
    is_object,
    quote,
)
from groupx.domain.text import excerpt
from groupx.process.child import ChildGone, ChildProcess
from groupx.process.framing import LineTooLong

OUTBOX_FRAMES = 256
"""More unsent frames than this mean a program that asks but does not read."""
MAX_PREAMBLE_LINES = 50
LAST_OUTPUT_SECONDS = 1.0
"""How long after the end of output the exit is waited for, so that its status can be told."""

METHOD_NOT_FOUND = -32601


class RpcError(Exception):
    """The program answered a request with an error."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.data = data


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


Answer = Callable[[Json], None]
RequestHandler = Callable[[Json, Answer], None]
"""Gets the params of a request that the program makes, and answers it with a result at once."""
NotificationHandler = Callable[[Json], None]


@attrs.define
class _Pending:
    done: trio.Event = attrs.field(factory=trio.Event)
    answer: outcome.Outcome[Any] | None = None

    def resolve(self, answer: outcome.Outcome[Any]) -> None:
        """The first answer counts."""
        if self.answer is None:
            self.answer = answer
            self.done.set()


class RpcConnection:
    """One program's requests, answers and notifications.

    The reading task does only synchronous work: it never waits for a handler or for the pipe
    into the program. Unknown requests are answered -32601, unknown notifications ignored.
    """

    def __init__(
        self,
        child: ChildProcess,
        *,
        requests: Mapping[str, RequestHandler],
        notifications: Mapping[str, NotificationHandler],
    ) -> None:
        self._child = child
        self._requests = requests
        self._notifications = notifications
        self._pending: dict[str, _Pending] = {}
        self._next_id = 1
        self._outbox_in, self._outbox_out = trio.open_memory_channel[Json](OUTBOX_FRAMES)
        self._preamble: list[str] | None = []
        self.loss: Loss | None = None
        self.lost = trio.Event()
        """Set once there is a `loss`."""

    @property
    def preamble(self) -> str:
        """What the program printed before its first message; bounded."""
        return "\n".join(self._preamble or [])

    @property
    def waiting(self) -> bool:
        """Whether a request of ours is still unanswered."""
        return any(not pending.done.is_set() for pending in self._pending.values())

    # --- what we send -----------------------------------------------------------------------

    async def request(
        self, method: str, params: Json | None, *, seconds: float | None = None
    ) -> Any:
        """Ask, and wait for the answer. Raises RpcError, ConnectionLost, NoAnswer."""
        if self.loss is not None:
            raise ConnectionLost(self.loss)
        pending = _Pending()
        request_id = self._next_id
        self._next_id += 1
        self._pending[str(request_id)] = pending
        try:
            self._post(_message({"id": request_id, "method": method}, params))
            with trio.move_on_after(float("inf") if seconds is None else seconds) as waiting:
                await pending.done.wait()
            if waiting.cancelled_caught:
                raise NoAnswer(method)
        finally:
            self._pending.pop(str(request_id), None)
        assert pending.answer is not None
        return pending.answer.unwrap()

    def notify(self, method: str, params: Json | None) -> None:
        """Tell; nothing happens when the connection is lost."""
        self._post(_message({"method": method}, params))

    def _post(self, message: Json) -> None:
        if self.loss is not None:
            return
        try:
            self._outbox_in.send_nowait(message)
        except trio.WouldBlock:
            self._lose(Loss(kind="broken", reason="It makes requests but reads no answers."))

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
                await self._child.write(encode_line(message))
        except ChildGone:
            self._child.kill_tree()  # it may still write, but hears nothing: the reader ends

    async def _read(self) -> None:
        while self.loss is None:
            line = await self._child.next_line()
            if line is None:
                return
            if isinstance(line, LineTooLong):
                self._break(f"It sent a line of {line.size} bytes, which is over the bound.")
            elif line.strip():
                self._on_line(line)

    def _on_line(self, line: bytes) -> None:
        try:
            message = decode_line(line)
        except InvalidLineError as error:
            if self._preamble is not None and len(self._preamble) < MAX_PREAMBLE_LINES:
                self._preamble.append(str(error))
            else:
                self._break(f'It printed a line that is no message: "{error}".')
            return
        try:
            self._on_message(message, line)
        except Exception as error:  # whatever a line holds, it costs its own program's session
            self._break(
                f"It sent a message that cannot be read ({type(error).__name__}): {_begin(line)}."
            )

    def _on_message(self, message: Json, line: bytes) -> None:
        method = message.get("method")
        if isinstance(method, str):
            self._preamble = None
            self._on_call(method, message)
        elif "result" in message or "error" in message:
            self._preamble = None
            self._on_answer(message)
        else:
            self._break(f"It sent an object that is no message: {_begin(line)}.")

    def _on_call(self, method: str, message: Json) -> None:
        params = message.get("params")
        params = params if is_object(params) else {}
        request_id = message.get("id")
        if request_id is None:
            notified = self._notifications.get(method)
            if notified is not None:
                notified(params)
            return
        if not _is_id(request_id):
            self._break(f"It made a request whose id is no id: {quote(request_id)}.")
            return
        head: Json = {"jsonrpc": "2.0", "id": request_id}
        handler = self._requests.get(method)
        if handler is None:
            error = {
                "code": METHOD_NOT_FOUND,
                "message": f"Method not found: {excerpt(method, 200)}",
            }
            self._post({**head, "error": error})
        else:
            handler(params, lambda result: self._post({**head, "result": result}))

    def _on_answer(self, message: Json) -> None:
        pending = self._pending.get(str(message.get("id")))
        if pending is None:
            return
        error = message.get("error")
        pending.resolve(
            outcome.Value(message.get("result"))
            if error is None
            else outcome.Error(_as_rpc_error(error))
        )

    # --- the end ----------------------------------------------------------------------------

    def _break(self, reason: str) -> None:
        self._lose(Loss(kind="broken", reason=reason))

    def _lose(self, loss: Loss) -> None:
        if self.loss is None:
            self.loss = loss
            self.lost.set()
        for pending in self._pending.values():
            pending.resolve(outcome.Error(ConnectionLost(self.loss)))


def _message(head: Json, params: Json | None) -> Json:
    message = {"jsonrpc": "2.0", **head}
    return message if params is None else {**message, "params": params}


def _is_id(value: object) -> bool:
    """Whether it can be sent back as it came: text, or a number of 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int):
        return isinstance(value, str)
    return -(2**63) <= value < 2**63


def _begin(line: bytes) -> str:
    return excerpt(line[:2000].decode("utf-8", "replace"), 300)


def _as_rpc_error(error: object) -> RpcError:
    if not is_object(error):
        return RpcError(0, quote(error))
    code, message = error.get("code"), error.get("message") or "no message"
    return RpcError(
        code if isinstance(code, int) else 0,
        message if isinstance(message, str) else quote(message),
        error.get("data"),
    )
