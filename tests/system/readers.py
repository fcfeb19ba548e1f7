"""Clients that read one durable event behind a cursor, and are gone."""

import http.client
import json

import trio
from trio_websocket import open_websocket_url

from tests.system.daemon import Daemon

MAIN_ROOM = "room:main"


def by_sse(daemon: Daemon, after: int) -> int:
    """The seq of the next event behind `after`, as a browser reconnects: with an old URL and a
    newer Last-Event-ID."""
    link = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=30)
    headers = {"Authorization": f"Bearer {daemon.token}", "Last-Event-ID": str(after)}
    try:
        link.request("GET", "/api/events?afterSeq=0", headers=headers)
        with link.getresponse() as response:
            assert response.status == 200
            for line in response:
                if line.startswith(b"id: "):
                    return int(line[4:])
    finally:
        link.close()
    raise AssertionError("the stream ended")


def by_socket(daemon: Daemon, after: int) -> int:
    """The same over a WebSocket."""
    return trio.run(_by_socket, daemon, after)


async def _by_socket(daemon: Daemon, after: int) -> int:
    headers = [(b"Authorization", f"Bearer {daemon.token}".encode())]
    url = f"ws://127.0.0.1:{daemon.port}/api/ws"
    with trio.fail_after(30):
        async with open_websocket_url(url, extra_headers=headers) as socket:
            ask = {"subscribe": {"roomId": MAIN_ROOM, "afterSeq": after}}
            await socket.send_message(json.dumps(ask))
            while True:
                event = json.loads(await socket.get_message())
                if event.get("seq") is not None:
                    return int(event["seq"])
