"""What the model says to one request, by the words that it finds in the user's last text.

SAY:word        answer with that word
THINK           reason first
SLOW            60 pieces, one every 50 ms
EMPTY           answer nothing
CALL:part ARGS:{…}   call the first offered tool whose name contains `part`
FAIL:429        answer with that HTTP status
"""

import re
from typing import Any

Json = dict[str, Any]
MODEL = "mock-model"
GREETING = ["Hello ", "from ", "the ", "mock ", "model."]
SLOW_PIECES, SLOW_SECONDS = 60, 0.05
INPUT_TOKENS, OUTPUT_TOKENS = 100, 5
TOTAL_TOKENS = INPUT_TOKENS + OUTPUT_TOKENS
REMINDERS = (
    "<system-reminder",
    "<environment",
    "<user_info",
    "<project",
    "<session_context",
    "[Request",
)
"""How the texts begin that programs add in the user's name."""


class Plan:
    """The pieces of one answer. `said` is what the user said last, `tool_result` what a tool
    answered since the model spoke last."""

    def __init__(self, said: str, tools: list[str], tool_result: str | None) -> None:
        # In a context packet, what others said before is told too; only the last section asks.
        user = said.rpartition("current_message")[2]
        self.reasoning: list[str] = []
        self.pieces: list[str] = list(GREETING)
        self.pause = 0.0
        self.call: tuple[str, str] | None = None
        """A tool's name, and its arguments as JSON."""
        self.status = 200
        if tool_result is not None:
            self.pieces = [f"The tool said: {tool_result[:1000]}"]
            return
        if "THINK" in user:
            self.reasoning = ["I ", "am ", "thinking. "]
        if word := re.search(r"SAY:(\S+)", user):
            self.pieces = [word[1]]
        if "EMPTY" in user:
            self.pieces = []
        if "SLOW" in user:
            self.pieces = [f"tick{number} " for number in range(SLOW_PIECES)]
            self.pause = SLOW_SECONDS
        if failure := re.search(r"FAIL:(\d{3})", user):
            self.status = int(failure[1])
        if called := re.search(r"CALL:(\S+)", user):
            arguments = re.search(r"ARGS:(\{.*\})", user)
            name = next((tool for tool in tools if called[1] in tool), None)
            self.pieces = ["Calling a tool. "] if name else [f"No such tool: {called[1]}"]
            self.call = (name, arguments[1] if arguments else "{}") if name else None

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def flat(content: Any) -> str:
    """The text of a message's content, whatever its form."""
    if isinstance(content, list):
        return "\n".join(flat(part) for part in content)
    if isinstance(content, dict):
        return flat(content.get("text") or content.get("content") or "")
    return content if isinstance(content, str) else ""


def after_last_answer(messages: list[Json], role: str = "assistant") -> list[Json]:
    answered = [index for index, m in enumerate(messages) if m.get("role") == role]
    return messages[answered[-1] + 1 :] if answered else messages


def last_said(texts: list[str]) -> str:
    """What the user said last, without what the program added in the user's name."""
    said = [text for text in texts if text.strip() and not text.lstrip().startswith(REMINDERS)]
    return said[-1] if said else ""


def last_user_text(messages: list[Json]) -> str:
    return last_said([flat(m.get("content")) for m in messages if m.get("role") == "user"])
