"""The agent side of ACP: sessions, prompts one at a time, cancel."""

import os
import re
import threading
from collections.abc import Callable
from typing import Any

from groupx.demo_agent.casting import assistants_scene_for, scene_for
from groupx.demo_agent.compacting import checkpoint_for
from groupx.demo_agent.packet import read_packet
from groupx.demo_agent.remembering import memory_for
from groupx.demo_agent.room_tools import RoomTools, ToolRefused
from groupx.demo_agent.scenes import Scene
from groupx.demo_agent.turn import END_TURN, Turn
from groupx.demo_agent.wire import CancelledByClient, Json, RpcFailure, Wire
from groupx.domain.text import without_surrogates

SESSION_ID = re.compile(r"demo-[0-9a-f]{16}")
"""A session is nothing but its name: every answer is to the current message alone. So any name of
ours can be gone on with, by any process, and there is no history to replay."""


class DemoAgent:
    """Answers the client; one prompt runs at a time, on a thread of its own."""

    def __init__(
        self, wire: Wire, *, name: str, pace: float, cast: Callable[[str], Scene] = scene_for
    ) -> None:
        self._wire = wire
        self._cast = cast
        self._name = name
        self._pace = pace
        self._turn: Turn | None = None
        self._tools: RoomTools | None = None

    def serve(self) -> None:
        """Until the client closes its end."""
        for message in self._wire.lines():
            method, request_id = message.get("method"), message.get("id")
            if method is None:
                if request_id == "demo-permission" and self._turn is not None:
                    self._turn.answered.set()
            elif request_id is None:
                if method == "session/cancel" and self._turn is not None:
                    self._turn.cancel.set()
            else:
                self._request(request_id, str(method), message.get("params") or {})

    def _request(self, request_id: Any, method: str, params: Json) -> None:
        if method == "session/prompt":
            self._prompt(request_id, params)
            return
        if method == "session/load" and not SESSION_ID.fullmatch(str(params.get("sessionId"))):
            self._error(request_id, -32002, "This is no session of the demo agent.")
            return
        if method in ("session/new", "session/load"):
            self._tools = RoomTools.of(params.get("mcpServers") or [])
        results: dict[str, Json] = {
            "initialize": {
                "protocolVersion": 1,
                "agentCapabilities": {
                    "loadSession": True,
                    "sessionCapabilities": {"close": {}},
                    "mcpCapabilities": {"http": True, "sse": False},
                },
                "agentInfo": {"name": "groupx-demo-agent", "title": self._name, "version": "1"},
                "authMethods": [],
            },
            "session/new": {"sessionId": f"demo-{os.urandom(8).hex()}"},
            "session/load": {},
            "session/close": {},
        }
        if method in results:
            self._wire.send(id=request_id, result=results[method])
        else:
            self._error(request_id, -32601, f"Method not found: {method}")

    def _prompt(self, request_id: Any, params: Json) -> None:
        if self._turn is not None:
            self._error(request_id, -32600, "Another turn is already in progress.")
            return
        blocks: list[Json] = params.get("prompt") or []
        packet = without_surrogates("\n".join(str(block.get("text") or "") for block in blocks))
        message, name = read_packet(packet)
        self._turn = Turn(
            wire=self._wire,
            session_id=str(params.get("sessionId")),
            message=message,
            packet=packet,
            name=name or self._name,
            agent_id=self._name,
            pace=self._pace,
            tools_of_room=self._tools,
        )
        threading.Thread(target=self._run, args=(request_id, self._turn), daemon=True).start()

    def _run(self, request_id: Any, turn: Turn) -> None:
        try:
            stop_reason = self._played(turn)
        except CancelledByClient:
            stop_reason = "cancelled"
        except RpcFailure as failure:
            self._turn = None
            self._error(request_id, failure.code, str(failure))
            return
        read, written = len(turn.packet) // 4 + 1, turn.words
        turn.update("usage_update", used=read + written, size=128_000)
        usage = {"inputTokens": read, "outputTokens": written, "totalTokens": read + written}
        self._turn = None
        self._wire.send(id=request_id, result={"stopReason": stop_reason, "usage": usage})

    def _error(self, request_id: Any, code: int, message: str) -> None:
        self._wire.send(id=request_id, error={"code": code, "message": message})

    def _played(self, turn: Turn) -> str:
        written = memory_for(turn.packet) or checkpoint_for(turn.packet)
        if written is not None:
            turn.say_at_once(written)
            return END_TURN
        try:
            assists = turn.tools_of_room is not None and turn.tools_of_room.is_operators
            scene = assistants_scene_for if assists else self._cast
            return scene(turn.message)(turn)
        except ToolRefused as refused:
            turn.say(f"The room refused: `{refused.code}`. {refused}")
            return END_TURN
