"""The room's tools over MCP (streamable HTTP, 2025-06-18), with the standard library only."""

import itertools
import json
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from groupx.demo_agent.wire import Cancel, CancelledByClient, Json

if TYPE_CHECKING:
    from http.client import HTTPResponse

VERSION = "2025-06-18"
SECONDS = 70.0


class ToolRefused(Exception):
    """The room answered with an error; `code` is its name."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class RoomTools:
    """One MCP endpoint, as a session was given it."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self._place = urlsplit(url)
        self.is_operators = self._place.path.endswith("/operator")
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            **headers,
        }
        self._ids = itertools.count(1)
        self._opened = False

    @classmethod
    def of(cls, servers: list[Json]) -> "RoomTools | None":
        """The first HTTP server of a `session/new`; None when it names none."""
        for server in servers:
            if server.get("type") == "http":
                headers = {item["name"]: item["value"] for item in server.get("headers", [])}
                return cls(server["url"], headers)
        return None

    def call(self, tool: str, cancel: Cancel, **arguments: Any) -> Json:
        """What the tool answers. ToolRefused; CancelledByClient, and the call is dropped."""
        try:
            if not self._opened:
                self._open(cancel)
            answer = self._request("tools/call", cancel, name=tool, arguments=arguments)
            result: Json = answer["result"]
            text: str = result["content"][0]["text"]
        except LookupError:
            self._opened = False
            raise ToolRefused("MCP_UNAVAILABLE", "The room's tools did not answer.") from None
        try:
            told: Json = json.loads(text)
        except ValueError:
            told = {"text": text}
        if result.get("isError"):
            error = told.get("error", {"code": "UNKNOWN", "message": text})
            raise ToolRefused(error["code"], error["message"])
        return told

    def _open(self, cancel: Cancel) -> None:
        client = {"name": "groupx-demo-agent", "version": "1"}
        self._headers.pop("Mcp-Session-Id", None)
        self._request(
            "initialize", cancel, protocolVersion=VERSION, capabilities={}, clientInfo=client
        )
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"}, cancel)
        self._opened = True

    def _request(self, method: str, cancel: Cancel, **params: Any) -> Json:
        request_id = next(self._ids)
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        for answer in self._post(message, cancel):
            if answer.get("id") == request_id:
                return answer
        raise LookupError(method)

    def _post(self, message: Json, cancel: Cancel) -> list[Json]:
        """Every message of the answer; none when there was no answer."""
        from http.client import HTTPConnection, HTTPException  # noqa: PLC0415  few turns need it
        from socket import SHUT_RDWR  # noqa: PLC0415

        connection = HTTPConnection(self._place.hostname or "", self._place.port, timeout=SECONDS)
        try:
            connection.connect()
            with cancel.ends(partial(connection.sock.shutdown, SHUT_RDWR)):
                body = json.dumps(message).encode()
                connection.request("POST", self._place.path, body, self._headers)
                response = connection.getresponse()
                session = response.getheader("Mcp-Session-Id")
                if session is not None:
                    self._headers["Mcp-Session-Id"] = session
                return _messages(response)
        except (OSError, HTTPException, ValueError):
            if cancel.is_set():
                raise CancelledByClient from None
            return []
        finally:
            connection.close()


def _messages(response: "HTTPResponse") -> list[Json]:
    body = response.read().decode()
    if response.headers.get_content_type() == "text/event-stream":
        data = [line[len("data:") :] for line in body.split("\n") if line.startswith("data:")]
        return [json.loads(line) for line in data if line.strip()]
    return [json.loads(body)] if body.strip() else []
