"""Hypercorn's WebSocket, made strict. Uses its internals: pinned to 0.18.

What differs: a message is bounded over all of its fragments, frames that come with the upgrade
wait until it is accepted, and nothing is compressed (a few bytes could unfold to megabytes).
"""

import dataclasses
from typing import Any

import trio
from hypercorn.protocol.events import Body, Data, Event, Request, StreamClosed
from hypercorn.protocol.ws_stream import (
    ASGIWebsocketState,
    FrameTooLargeError,
    WebsocketBuffer,
    WSStream,
)
from wsproto.events import CloseConnection, Message, Ping
from wsproto.frame_protocol import CloseReason

REFUSED_SECONDS = 1.0
"""How long the sender of too much has to read that it was, and to close."""


class _Bounded(WebsocketBuffer):
    """At most `max_length` bytes, of text too."""

    def extend(self, event: Any) -> None:
        data: str | bytes = event.data
        length = self.length + len(data.encode() if isinstance(data, str) else data)
        if length > self.max_length:
            raise FrameTooLargeError
        untyped: Any = super()
        untyped.extend(event)
        self.length = length


class StrictSocket(WSStream):
    """See the module."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.buffer = _Bounded(self.config.websocket_max_message_size)
        self._decided = trio.Event()
        self._refused = False

    async def handle(self, event: Event) -> None:
        """What the client did; its frames wait for the app's decision to accept it."""
        if isinstance(event, StreamClosed):
            self._decided.set()
        elif isinstance(event, Body | Data):
            await self._decided.wait()
            if not self.handshake.accepted:
                return
        elif isinstance(event, Request):
            kept = [pair for pair in event.headers if pair[0] != b"sec-websocket-extensions"]
            event = dataclasses.replace(event, headers=kept)
        await super().handle(event)
        if self.closed:
            self._decided.set()

    async def app_send(self, message: Any) -> None:
        """What the app did."""
        try:
            await super().app_send(message)
        finally:
            if message is None or self.state is not ASGIWebsocketState.HANDSHAKE:
                self._decided.set()

    async def _handle_events(self) -> None:
        for event in self.connection.events():
            if isinstance(event, CloseConnection):
                await self._send_wsproto_event(event.response())
                await self.send(StreamClosed(stream_id=self.stream_id))
            elif self._refused:
                continue
            elif isinstance(event, Ping):
                await self._send_wsproto_event(event.response())
            elif isinstance(event, Message):
                await self._take(event)

    async def _take(self, event: Any) -> None:
        try:
            self.buffer.extend(event)
        except FrameTooLargeError:
            self._refused = True
            self.buffer.clear()
            await self._send_wsproto_event(CloseConnection(code=CloseReason.MESSAGE_TOO_BIG))
            tasks: Any = self.task_group
            tasks.spawn(self._end_soon)
            return
        if event.message_finished:
            untyped: Any = self
            await untyped.app_put(untyped.buffer.to_message())
            self.buffer.clear()

    async def _end_soon(self) -> None:
        await trio.sleep(REFUSED_SECONDS)
        if not self.closed:
            await self.send(StreamClosed(stream_id=self.stream_id))
