"""JSON-RPC 2.0, both ways, over the frames of a program."""

from collections.abc import Callable, Mapping
from typing import Any

import outcome

from groupx.adapters.connection import Connection
from groupx.adapters.duplex import Duplex
from groupx.adapters.json_lines import Json, is_object, quote
from groupx.domain.text import excerpt

METHOD_NOT_FOUND = -32601

Answer = Callable[[Json], None]
RequestHandler = Callable[[Json, Answer], None]
"""Gets the params of a request that the program makes, and answers it with a result at once."""
NotificationHandler = Callable[[Json], None]


class RpcError(Exception):
    """The program answered a request with an error."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.data = data


class RpcConnection(Connection):
    """One program's requests, answers and notifications.

    Unknown requests are answered -32601, unknown notifications ignored.
    """

    def __init__(
        self,
        child: Duplex,
        *,
        requests: Mapping[str, RequestHandler],
        notifications: Mapping[str, NotificationHandler],
    ) -> None:
        super().__init__(child)
        self._requests = requests
        self._notifications = notifications
        self._next_id = 1

    async def request(
        self, method: str, params: Json | None, *, seconds: float | None = None
    ) -> Any:
        """Ask, and wait for the answer. Raises RpcError, ConnectionLost, NoAnswer."""
        request_id = self._next_id
        self._next_id += 1
        message = _message({"id": request_id, "method": method}, params)
        return await self.exchange(str(request_id), method, message, seconds)

    def notify(self, method: str, params: Json | None) -> None:
        """Tell; nothing happens when the connection is lost."""
        self.post(_message({"method": method}, params))

    def dispatch(self, message: Json, line: bytes) -> bool:
        """See Connection."""
        method = message.get("method")
        if isinstance(method, str):
            self._on_call(method, message)
        elif "result" in message or "error" in message:
            self._on_answer(message)
        else:
            return False
        return True

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
            self.distrust(f"It made a request whose id is no id: {quote(request_id)}.")
            return
        head: Json = {"jsonrpc": "2.0", "id": request_id}
        handler = self._requests.get(method)
        if handler is None:
            error = {
                "code": METHOD_NOT_FOUND,
                "message": f"Method not found: {excerpt(method, 200)}",
            }
            self.post({**head, "error": error})
        else:
            handler(params, lambda result: self.post({**head, "result": result}))

    def _on_answer(self, message: Json) -> None:
        error = message.get("error")
        self.resolve(
            str(message.get("id")),
            outcome.Value(message.get("result"))
            if error is None
            else outcome.Error(_as_rpc_error(error)),
        )


def _message(head: Json, params: Json | None) -> Json:
    message = {"jsonrpc": "2.0", **head}
    return message if params is None else {**message, "params": params}


def _is_id(value: object) -> bool:
    """Whether it can be sent back as it came: text, or a number of 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int):
        return isinstance(value, str)
    return -(2**63) <= value < 2**63


def _as_rpc_error(error: object) -> RpcError:
    if not is_object(error):
        return RpcError(0, quote(error))
    code, message = error.get("code"), error.get("message") or "no message"
    return RpcError(
        code if isinstance(code, int) else 0,
        message if isinstance(message, str) else quote(message),
        error.get("data"),
    )
