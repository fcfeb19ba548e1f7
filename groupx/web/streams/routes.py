"""What quart serves: the streams. Their policies are `events`, `export` and `socket`."""

from typing import Any, cast

import trio
from quart import Response, Websocket, request, websocket
from quart_trio import QuartTrio

from groupx.actors.mailbox import ActorCrashed
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.web.asgi import CONNECTION
from groupx.web.connection import Connection
from groupx.web.errors import Answer, error_answer, internal_error
from groupx.web.guards import CALL, Call
from groupx.web.services import Services
from groupx.web.streams.announcer import Announcer
from groupx.web.streams.export import headers_of, open_export, request_of
from groupx.web.streams.sse import HEADERS, cursor_of, open_events
from groupx.web.streams.websocket import serve_socket


def create_app(services: Services) -> QuartTrio:
    """The app of every stream."""
    app = QuartTrio("groupx", static_folder=None, template_folder=None)
    announcer = Announcer(services.ids, services.now_ms)

    async def events() -> Response:
        call: Call = cast("dict[str, Any]", request.scope)[CALL]
        try:
            cursor = cursor_of(request.headers.get("last-event-id"), call.query.get("afterSeq"))
            room_id = call.query.get("roomId")
            stream = await open_events(services, announcer, cursor, room_id)
        except (GroupXError, ActorCrashed) as error:
            return _refused(error)
        response = Response(stream, headers=HEADERS)
        response.timeout = None
        return response

    async def export() -> Response:
        call: Call = cast("dict[str, Any]", request.scope)[CALL]
        try:
            body = await open_export(services.store, call)
        except (GroupXError, ActorCrashed) as error:
            return _refused(error)
        response = Response(body, headers=headers_of(request_of(call)))
        response.timeout = None
        return response

    async def socket() -> None:
        # The proxy belongs to this task; the session has several.
        accepted = cast("Websocket", websocket._get_current_object())  # pyright: ignore
        await serve_socket(_Accepted(accepted), services, announcer)

    app.add_url_rule("/api/events", "events", events, provide_automatic_options=False)
    app.add_url_rule("/api/export", "export", export, provide_automatic_options=False)
    app.add_websocket("/api/ws", "socket", socket)
    app.register_error_handler(Exception, _unexpected)
    return app


class _Accepted:
    """quart's WebSocket, and past it, for what goes to every client alike, its connection."""

    def __init__(self, accepted: Websocket) -> None:
        self._accepted = accepted
        self.receive = accepted.receive
        self.send = accepted.send
        self.close = accepted.close

    async def send_frames(self, data: bytes) -> None:
        state = cast("dict[str, Any]", self._accepted.scope)["state"]
        connection: Connection = state[CONNECTION]
        # A frame that was begun must be ended, or the closing one could not be read. The
        # connection bounds this, and its reset ends it.
        with trio.CancelScope(shield=True):
            await connection.send_all(data)


async def _unexpected(error: Exception) -> Response:
    return _response(error_answer(internal_error("routing", error)))


def _refused(error: GroupXError | ActorCrashed) -> Response:
    if isinstance(error, ActorCrashed):
        error = GroupXError(
            ErrorCode.STORE_UNAVAILABLE,
            "The store stopped, so there is nothing to stream. Start GroupX again.",
        )
    return _response(error_answer(error))


def _response(answer: Answer) -> Response:
    response = Response(answer.content, answer.status, content_type=answer.content_type)
    for name, value in answer.headers:
        response.headers.add(name, value)
    return response
