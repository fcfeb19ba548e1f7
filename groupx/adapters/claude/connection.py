"""Frames of the stream-json protocol, both ways, over the lines of a child process."""

import uuid
from collections.abc import Callable

import outcome

from groupx.adapters.connection import Connection
from groupx.adapters.json_lines import Json, is_object, object_of, text_of
from groupx.domain.text import excerpt
from groupx.process.child import ChildProcess

FrameHandler = Callable[[Json], None]
RequestHandler = Callable[[str, Json], Json | None]
"""Gets what the program asks (subtype, request) and answers at once; None = unsupported."""


class ControlRefused(Exception):
    """The program answered a control request with an error."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message, code)
        self.message = message
        self.code = code


class StreamConnection(Connection):
    """One program's frames and control requests.

    Frames of an unknown type are the handler's to ignore.
    """

    def __init__(
        self,
        child: ChildProcess,
        *,
        on_frame: FrameHandler,
        on_request: RequestHandler,
        on_loss: Callable[[], None],
    ) -> None:
        super().__init__(child, on_loss)
        self._on_frame = on_frame
        self._on_request = on_request

    async def ask(self, request: Json, *, seconds: float | None = None) -> Json:
        """A control request and its answer. Raises ControlRefused, ConnectionLost, NoAnswer."""
        request_id = str(uuid.uuid4())
        message = _control(request, request_id)
        return await self.exchange(request_id, text_of(request.get("subtype")), message, seconds)

    def tell(self, request: Json) -> None:
        """A control request whose answer does not matter."""
        self.post(_control(request, str(uuid.uuid4())))

    def dispatch(self, message: Json, line: bytes) -> bool:
        """See Connection."""
        kind = message.get("type")
        if not isinstance(kind, str):
            return False
        if kind == "control_response":
            self._answered(object_of(message.get("response")))
        elif kind == "control_request":
            self._asked(message)
        else:
            self._on_frame(message)
        return True

    def _answered(self, response: Json) -> None:
        answer: outcome.Outcome[Json]
        if response.get("subtype") == "success":
            answer = outcome.Value(object_of(response.get("response")))
        else:
            message = text_of(response.get("error")) or "no reason given"
            code = text_of(response.get("error_code"))
            answer = outcome.Error(ControlRefused(message, code))
        self.resolve(text_of(response.get("request_id")), answer)

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


def _control(request: Json, request_id: str) -> Json:
    return {"type": "control_request", "request_id": request_id, "request": request}
