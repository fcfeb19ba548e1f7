"""GET /api/ws: the room over one WebSocket per browser tab."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import orjson
import trio

from groupx.actors.subscription import Encode
from groupx.domain.errors import GroupXError
from groupx.domain.wire import to_wire
from groupx.web.errors import invalid
from groupx.web.services import Services
from groupx.web.streams.announcer import Announcer
from groupx.web.streams.cursor import CursorLoop
from groupx.web.streams.first_frame import Subscribe, read_ping, read_subscribe
from groupx.web.streams.frames import frames_bytes, parts, text_frame
from groupx.web.streams.opening import Opening, open_stream

FIRST_FRAME_SECONDS = 10

GOING_AWAY = 1001
POLICY_VIOLATION = 1008
TRY_AGAIN_LATER = 1013

T = TypeVar("T")
Task = Callable[[trio.Nursery], Awaitable[None]]


class Socket(Protocol):
    """An accepted connection. A client that leaves cancels whoever serves it."""

    async def receive(self) -> str | bytes:
        """The next message of the client."""
        ...

    async def send(self, data: str) -> None:
        """One text frame."""
        ...

    async def send_frames(self, data: bytes) -> None:
        """Whole frames as they go over the wire. trio.BrokenResourceError, ClosedResourceError."""
        ...

    async def close(self, code: int, reason: str = "") -> None:
        """End it, with a code and a reason of at most 123 bytes."""
        ...


async def serve_socket(socket: Socket, services: Services, announcer: Announcer) -> None:
    """One client, from its first frame to the end of the stream."""
    await _Session(socket, services, announcer).run()


class _Session:
    def __init__(self, socket: Socket, services: Services, announcer: Announcer) -> None:
        self._socket = socket
        self._services = services
        self._announcer = announcer
        self._refusal: GroupXError | None = None

    async def run(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._until_released, nursery)
            nursery.start_soon(self._until_refused, self._converse, nursery)
        if self._refusal is None:
            await self._socket.close(GOING_AWAY, self._services.hub.released or "")
        else:
            await self._send(self._refusal.to_wire())
            theirs = self._refusal.http_status < 500
            code = POLICY_VIOLATION if theirs else TRY_AGAIN_LATER
            await self._socket.close(code, str(self._refusal.code))

    async def _converse(self, nursery: trio.Nursery) -> None:
        subscribe = await self._first_frame()
        opening = await open_stream(
            self._services.hub,
            self._services.store,
            room_id=subscribe.room_id,
            after_seq=subscribe.after_seq,
        )
        await self._greet(opening)
        nursery.start_soon(self._until_refused, self._answer_pings, nursery)
        await (self._stream_rendered if subscribe.render else self._stream)(opening)

    async def _first_frame(self) -> Subscribe:
        with trio.move_on_after(FIRST_FRAME_SECONDS):
            return read_subscribe(await self._socket.receive())
        raise invalid(f"The first frame did not arrive within {FIRST_FRAME_SECONDS} s.")

    async def _greet(self, opening: Opening) -> None:
        views = self._services.directory.views()
        hub = self._services.hub
        turns: list[dict[str, Any]] = []
        for turn in opening.active_turns:
            live = hub.live(turn.turn_id)
            turns.append(to_wire(turn) | ({} if live is None else {"live": to_wire(live)}))
        await self._send(
            {
                "subscribed": {
                    "throughSeq": opening.through_seq,
                    "activeTurns": turns,
                    "agents": to_wire(views),
                }
            }
        )
        frames = self._announcer.agents_changed(opening.room_id, views)
        if opening.reset:
            frames.insert(0, self._announcer.reset(opening.room_id))
        await self._socket.send_frames(frames_bytes(frames))

    async def _stream(self, opening: Opening) -> None:
        events = self._loop(opening, frames_bytes)
        while (data := await events.next()) is not None:
            await self._socket.send_frames(data)

    async def _stream_rendered(self, opening: Opening) -> None:
        events = self._loop(opening, parts)
        views = self._services.views
        while (found := await events.next()) is not None:
            for part in found:
                data = part if isinstance(part, bytes) else text_frame(await views.sent(part))
                await self._socket.send_frames(data)

    def _loop(self, opening: Opening, encode: Encode[T]) -> CursorLoop[T]:
        services = self._services
        return CursorLoop(
            services.hub, services.store, opening.room_id, opening.subscription, encode
        )

    async def _answer_pings(self, _nursery: trio.Nursery) -> None:
        while True:
            number = read_ping(await self._socket.receive())
            if number is not None:
                await self._send({"pong": number})

    async def _until_refused(self, task: Task, nursery: trio.Nursery) -> None:
        try:
            await task(nursery)
        except GroupXError as refusal:
            self._refusal = refusal
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the client is gone
        nursery.cancel_scope.cancel()

    async def _until_released(self, nursery: trio.Nursery) -> None:
        await self._services.hub.wait_released()
        nursery.cancel_scope.cancel()

    async def _send(self, value: Any) -> None:
        await self._socket.send(orjson.dumps(value, default=str).decode())
