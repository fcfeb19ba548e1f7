"""What the model says to one request, by the words that it finds in the user's last text.

SAY:word        answer with that word
RECALL          answer with the word after the last "Remember the word" that was said before
THINK           reason first
SLOW            60 pieces, one every 50 ms
EMPTY           answer nothing
CALL:part ARGS:{…}   call the first offered tool whose name contains `part`; of several, one a
                line, the next is called when the last has answered, and `$name` in the arguments
                is the text under "name" in that answer
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
    """The pieces of one answer. `said` is what the user said last, `results` what tools answered
    since, `earlier` all that was said before."""

    def __init__(self, said: str, tools: list[str], results: list[str], earlier: str = "") -> None:
        # In a context packet, what others said before is told too; only the last section asks.
        user = said.rpartition("current_message")[2]
        self.reasoning: list[str] = []
        self.pieces: list[str] = list(GREETING)
        self.pause = 0.0
        self.call: tuple[str, str] | None = None
        """A tool's name, and its arguments as JSON."""
        self.status = 200
        calls = re.findall(r"CALL:(\S+)(?: ARGS:(\{.*\}))?", user)
        if results:
            self.pieces = [f"The tool said: {results[-1][:1000]}"]
            self._call_next(calls[len(results) :], tools, results[-1])
            return
        if "THINK" in user:
            self.reasoning = ["I ", "am ", "thinking. "]
        if word := re.search(r"SAY:(\S+)", user):
            self.pieces = [word[1]]
        if "RECALL" in user:
            self.pieces = re.findall(r"Remember the word (\S+)", earlier)[-1:] or ["nothing"]
        if "EMPTY" in user:
            self.pieces = []
        if "SLOW" in user:
            self.pieces = [f"tick{number} " for number in range(SLOW_PIECES)]
            self.pause = SLOW_SECONDS
        if failure := re.search(r"FAIL:(\d{3})", user):
            self.status = int(failure[1])
        self._call_next(calls, tools, "")

    def _call_next(self, calls: list[tuple[str, str]], tools: list[str], result: str) -> None:
        """The first of these calls, if there is one, and its tool."""
        if not calls:
            return
        part, arguments = calls[0]
        name = next((tool for tool in tools if part in tool), None)
        self.pieces = ["Calling a tool. "] if name else [f"No such tool: {part}"]
        self.call = (name, filled(arguments or "{}", result)) if name else None

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def filled(arguments: str, result: str) -> str:
    """The arguments, with what the result has under the name in the place of each `$name`. (A
    program may tell a result as JSON within JSON.)"""

    def value(name: re.Match[str]) -> str:
        found = re.search(rf'\\*"{name[1]}\\*"\s*:\s*\\*"([^"\\]+)', result)
        return found[1] if found else name[0]

    return re.sub(r"\$([A-Za-z]\w*)", value, arguments)


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
    said = [text for text in texts if _is_said(text)]
    return said[-1] if said else ""


def _is_said(text: str) -> bool:
    return bool(text.strip()) and not text.lstrip().startswith(REMINDERS)


def task_of(user: str, heard: list[tuple[bool, str]]) -> tuple[str, list[str]]:
    """What the user said last, and what tools answered since. `user` is what was said since the
    model spoke; `heard` the whole conversation: whether it is a tool's answer, and the text."""
    asked = [at for at, (is_result, text) in enumerate(heard) if not is_result and _is_said(text)]
    last = asked[-1] if asked else -1
    results = [text for is_result, text in heard[last + 1 :] if is_result]
    return (heard[last][1] if results and asked else user), results


def last_user_text(messages: list[Json]) -> str:
    return last_said([flat(m.get("content")) for m in messages if m.get("role") == "user"])
