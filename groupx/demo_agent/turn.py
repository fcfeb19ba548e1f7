"""One running prompt, and all that it can do to the client."""

import re
import threading
import time
from typing import Any, NoReturn

from groupx.demo_agent.room_tools import RoomTools, ToolRefused
from groupx.demo_agent.wire import Cancel, CancelledByClient, Json, Wire

END_TURN = "end_turn"


class Turn:
    """One running prompt: what a scene can do to the client."""

    def __init__(
        self,
        *,
        wire: Wire,
        session_id: str,
        message: str,
        packet: str,
        name: str,
        agent_id: str,
        pace: float,
        tools_of_room: RoomTools | None = None,
    ) -> None:
        self.wire = wire
        self.session_id = session_id
        self.message = message
        self.packet = packet
        self.name = name
        self.agent_id = agent_id
        self.pace = pace
        self.tools_of_room = tools_of_room
        self.cancel = Cancel()
        self.answered = threading.Event()
        """The client answered the permission request."""
        self.deaf = False
        """Ignores cancel."""
        self.words = 0
        self.tools = 0

    def update(self, variant: str, /, **fields: Any) -> None:
        """Send one session/update."""
        self.wire.send(
            method="session/update",
            params={"sessionId": self.session_id, "update": {"sessionUpdate": variant, **fields}},
        )

    def wait(self, paces: float = 1) -> None:
        """Let time pass; a cancel ends it at once, unless the scene is deaf."""
        if self.deaf:
            time.sleep(max(self.pace, 0.01) * paces)
        elif self.cancel.wait(self.pace * paces):
            raise CancelledByClient

    def say(self, text: str) -> None:
        """Stream an answer in small pieces."""
        self._stream("agent_message_chunk", text)

    def say_at_once(self, text: str) -> None:
        """An answer that nobody reads along."""
        self.words += len(text.split())
        self.update("agent_message_chunk", content={"type": "text", "text": text})

    def think(self, text: str) -> None:
        """Stream reasoning in small pieces."""
        self._stream("agent_thought_chunk", text)

    def _stream(self, kind: str, text: str) -> None:
        for piece in re.findall(r"\s*\S+\s*?(?=\s|$)|\s+", text):
            self.wait()
            self.words += 1
            self.update(kind, content={"type": "text", "text": piece})

    def stall(self) -> NoReturn:
        """Do nothing until the client cancels."""
        self.cancel.wait()
        raise CancelledByClient

    def use(self, tool: str, **arguments: Any) -> Json:
        """Use one of the room's tools, shown like any other. ToolRefused."""
        if self.tools_of_room is None:
            raise ToolRefused("MCP_UNAVAILABLE", "This session was given no tools of the room.")
        self.tools += 1
        call: Json = {"toolCallId": f"demo-tool-{self.tools}"}
        self.update("tool_call", **call, title=f"groupx {tool}", kind="other", status="in_progress")
        status = "failed"
        try:
            answer = self.tools_of_room.call(tool, self.cancel, **arguments)
            status = "completed"
            return answer
        finally:
            self.update("tool_call_update", **call, status=status)

    def tool(self, title: str, kind: str, steps: tuple[str, ...], *, fails: bool = False) -> None:
        """Pretend to run a tool, with its progress."""
        self.tools += 1
        call: Json = {"toolCallId": f"demo-tool-{self.tools}"}
        self.update("tool_call", **call, title=title, kind=kind, status="pending")
        for count in range(1, len(steps) + 1):
            self.wait(4)
            self.update(
                "tool_call_update", **call, status="in_progress", content=_text(steps[:count])
            )
        self.wait(2)
        status = "failed" if fails else "completed"
        self.update("tool_call_update", **call, status=status, content=_text(steps))


def _text(lines: tuple[str, ...]) -> list[Json]:
    return [{"type": "content", "content": {"type": "text", "text": "\n".join(lines)}}]
