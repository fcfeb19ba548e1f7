"""A small offline agent that speaks ACP over stdio: the demo room's member, and a test agent.

`python -m groupx.demo_agent [--name NAME] [--pace SECONDS]`; the pace, the delay before each
piece of text, may also come from the environment as DEMO_AGENT_PACE. What it does is decided by
plain words in the current message: see `SCENES`. Same message, same answer; no network, no files.
"""

import argparse
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import attrs

from groupx.domain.text import excerpt, without_surrogates

Json = dict[str, Any]
END_TURN = "end_turn"
SESSION_ID = re.compile(r"demo-[0-9a-f]{16}")
"""A session is nothing but its name: every answer is to the current message alone. So any name of
ours can be gone on with, by any process, and there is no history to replay."""


class CancelledByClient(Exception):
    """The client asked to stop, and this scene listens."""


class RpcFailure(Exception):
    """The prompt is answered with this JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Wire:
    """Newline-delimited JSON-RPC; whole lines only, from any thread."""

    def __init__(self) -> None:
        self._out = sys.stdout.buffer
        self._lock = threading.Lock()

    def raw(self, data: bytes) -> None:
        """Write bytes as they are; a client that is gone ends the program."""
        with self._lock:
            try:
                self._out.write(data)
                self._out.flush()
            except OSError:
                os._exit(0)

    def send(self, **message: Any) -> None:
        """Write one message."""
        self.raw(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")

    def lines(self) -> Iterator[Json]:
        """Messages until the client closes; what is not an object is skipped."""
        for line in sys.stdin.buffer:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                yield message


@attrs.define(kw_only=True)
class Turn:
    """One running prompt: what a scene can do to the client."""

    wire: Wire
    session_id: str
    message: str
    packet: str
    name: str
    pace: float
    cancel: threading.Event = attrs.field(factory=threading.Event)
    answered: threading.Event = attrs.field(factory=threading.Event)
    """The client answered the permission request."""
    deaf: bool = False
    """Ignores cancel."""
    words: int = 0
    tools: int = 0

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


# --- scenes: what the agent does -------------------------------------------------------------

HELP = """I am a demo agent. No model is behind me, but everything around me is real: \
I am a process of my own, GroupX talks to me as it talks to any agent, and every word here is \
kept in a local database.

Things to ask me for:

| say something with… | and I will |
|---|---|
| **think** | reason first, then answer |
| **tool** | run a pretend tool and report its progress |
| **long** or **slow** | write for a while, so that you can press *Stop* |
| **table** or **code** | answer in Markdown |
| **fail**, **quota**, **log in**, **refuse** | end the turn in that way |
| **stall** or **ignore cancel** | go silent, or keep talking after *Stop* |
| **permission** | ask for leave, which GroupX never grants |
| **crash** or **exit** | die, so that you can see how the room recovers |

Address several of us at once, or everyone with `@all`."""

LONG = (
    "You address one agent, several, or all of them, and each gets its own turn in its own queue.",
    "A message is in the database before any agent hears of it, so nothing is lost when a "
    "program, or this machine, stops in the middle.",
    "Every agent keeps its native session, and is told only what it has not heard yet.",
    "When it is not certain that an agent received something, the room says so. It does not guess.",
    "Stopping a turn stops the real program's turn; the words written until then stay.",
    "Agents work at the same time. One that is slow, or dead, holds up nobody else.",
)

OPENINGS = (
    "Hello! {name} here.",
    "{name} at your service.",
    "Good to hear from you; this is {name}.",
    "Hi, {name} speaking.",
)

TABLE = """Here is how a turn can end:

| ending | what it means |
|---|---|
| `completed` | the program finished, and this is its answer |
| `failed` | it refused, or something broke, and the reason is kept |
| `cancelled` | you stopped it, and it confirmed |
| `interrupted` | it vanished; what had arrived is kept |
"""

CODE = """A room is a file of plain settings:

```json
{
  "agents": {
    "kimi": { "command": "kimi", "cwd": "." },
    "ada": { "driver": "demo", "name": "Ada", "cwd": "." }
  }
}
```

Save it as `groupx.json`, then start the room with `groupx run`.
"""


def _greet(turn: Turn) -> str:
    opening = OPENINGS[sum(turn.name.encode()) % len(OPENINGS)].format(name=turn.name)
    quoted = excerpt(" ".join(turn.message.split()), 160)
    heard = f' I received: "{quoted}"' if quoted else ""
    turn.say(f"{opening}{heard}\n\n")
    if re.search("[\u3400-\u9fff]", turn.message):
        turn.say("我是演示代理:没有模型, 但进程, 协议和数据库都是真的.\n\n")
    turn.say(
        "I am a demo agent, so my answers are written in advance; the room around me is not. "
        "Say **help** to see what I can do, or ask for a *tool*, a *long* answer, or a *crash*."
    )
    return END_TURN


def _help(turn: Turn) -> str:
    turn.say(HELP)
    return END_TURN


def _think(turn: Turn) -> str:
    turn.think("The message asks me to think. I shall look at who is in the room, ")
    turn.think("what was said before, and then choose the shortest useful answer.")
    turn.say(
        "I thought about it. What you see folded above is my reasoning: it is kept beside the "
        "answer, it is not part of it, and other agents never get to read it."
    )
    return END_TURN


def _tool(turn: Turn) -> str:
    turn.say("Let me look at that with a tool.")
    turn.tool(
        "Run the tests",
        "execute",
        ("collecting…", "12 tests found", "7 of 12 passed", "12 of 12 passed"),
        fails="broken tool" in turn.message.lower(),
    )
    turn.say(
        "Done. The line above was one tool call: it opened, reported its progress and closed. "
        "Unfold it to see what it said."
    )
    return END_TURN


def _long(turn: Turn) -> str:
    for number, sentence in enumerate(LONG * 4, start=1):
        turn.say(f"{number}. {sentence}\n\n")
    turn.say("That was the long answer. Next time, press *Stop* half-way.")
    return END_TURN


def _slow(turn: Turn) -> str:
    turn.pace *= 5
    for count in range(1, 41):
        turn.say(f"Step {count} of 40 takes its time. ")
    return END_TURN


def _deaf(turn: Turn) -> str:
    turn.deaf = True
    for count in range(1, 121):
        heard = " I heard the stop, and I ignore it." if turn.cancel.is_set() else ""
        turn.say(f"I keep going, {count}.{heard} ")
    return END_TURN


def _fail(turn: Turn) -> str:
    turn.say("I begin, and then ")
    raise RpcFailure(-32603, "The demo agent failed because the message asked it to.")


def _quota(_turn: Turn) -> str:
    raise RpcFailure(-32603, "Usage limit reached: the pretend quota of the demo is used up.")


def _login(_turn: Turn) -> str:
    raise RpcFailure(-32000, "Authentication required")


def _stall(turn: Turn) -> str:
    if "silent" not in turn.message.lower():
        turn.say("I shall now say nothing more until you stop me.")
    turn.stall()


def _permission(turn: Turn) -> str:
    turn.say("I need leave to go on. ")
    turn.wire.send(
        id="demo-permission",
        method="session/request_permission",
        params={
            "sessionId": turn.session_id,
            "toolCall": {"toolCallId": "demo-danger", "title": "Delete the pretend database"},
            "options": [
                {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
                {"optionId": "no", "name": "Reject", "kind": "reject_once"},
            ],
        },
    )
    turn.answered.wait(60)
    turn.cancel.wait(1)
    raise CancelledByClient


def _crash(turn: Turn) -> str:
    turn.say("This is the last thing I say before I ")
    sys.stderr.write("demo agent: crashing because the message asked for it\n")
    sys.stderr.flush()
    os._exit(3)


def _garbage(turn: Turn) -> str:
    turn.say("My next line makes no sense. ")
    turn.wire.raw(b"Traceback: this is not a protocol message\n")
    turn.stall()


def _flood(turn: Turn) -> str:
    for count in range(5000):
        if turn.cancel.is_set():
            raise CancelledByClient
        turn.update("agent_message_chunk", content={"type": "text", "text": f"{count} "})
    return END_TURN


def _empty(_turn: Turn) -> str:
    return END_TURN


def _refuse(_turn: Turn) -> str:
    return "refusal"


def _cut(turn: Turn) -> str:
    turn.say("I stop in the middle because my pretend budget of tokens is")
    return "max_tokens"


def _leave(_turn: Turn) -> str:
    os._exit(0)


def _table(turn: Turn) -> str:
    turn.say(TABLE)
    return END_TURN


def _code(turn: Turn) -> str:
    turn.say(CODE)
    return END_TURN


Scene = Callable[[Turn], str]
SCENES: tuple[tuple[str, Scene], ...] = (
    (r"help|what can (you|i)", _help),
    (r"ignor\w* (the |my |any )?(cancel|stop)", _deaf),
    (r"permission|approval", _permission),
    (r"crash|die", _crash),
    (r"exit|quit", _leave),
    (r"garbage|nonsense", _garbage),
    (r"flood", _flood),
    (r"stall|hang|silent", _stall),
    (r"quota|rate limit|usage limit", _quota),
    (r"log ?in|sign in", _login),
    (r"refuse", _refuse),
    (r"fail|error", _fail),
    (r"empty|say nothing", _empty),
    (r"max tokens|cut off", _cut),
    (r"slow|slowly", _slow),
    (r"long|longer", _long),
    (r"tools?|tests?|command", _tool),
    (r"think|reason|ponder", _think),
    (r"table|endings", _table),
    (r"code|config|settings", _code),
)
"""Words in the current message → what happens; the first match wins, no match greets."""


def scene_for(message: str) -> Scene:
    """What the agent does about `message`."""
    for words, scene in SCENES:
        if re.search(rf"\b(?:{words})\b", message, re.IGNORECASE):
            return scene
    return _greet


def read_packet(packet: str) -> tuple[str, str | None]:
    """The current message of a context packet, and our name in it; without one, all of it."""
    head = re.match(r"\[groupx_protocol (\S+)\]\n", packet)
    if head is None:
        return packet.strip(), None
    mark = head[1]
    opened, closed = f"<entry {re.escape(mark)} ", f"\n</entry {re.escape(mark)}>"

    def entries(section: str) -> list[str]:
        text = packet.partition(f"\n[{section} {mark}]\n")[2]
        text = re.split(rf"^\[\w+ {re.escape(mark)}\]$", text, maxsplit=1, flags=re.MULTILINE)[0]
        return re.findall(rf"^{opened}[^\n]*>\n(.*?){closed}$", text, re.DOTALL | re.MULTILINE)

    identity = "\n".join(entries("configured_agent_identity"))
    name = re.match(r"name: ([^\n]+)", identity)
    return "\n".join(entries("current_message")).strip(), name[1] if name else None


# --- the agent side of ACP -------------------------------------------------------------------


class DemoAgent:
    """Answers the client; one prompt runs at a time, on a thread of its own."""

    def __init__(self, wire: Wire, *, name: str, pace: float) -> None:
        self._wire = wire
        self._name = name
        self._pace = pace
        self._turn: Turn | None = None

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
        results: dict[str, Json] = {
            "initialize": {
                "protocolVersion": 1,
                "agentCapabilities": {
                    "loadSession": True,
                    "sessionCapabilities": {"close": {}},
                    "mcpCapabilities": {"http": False, "sse": False},
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
            pace=self._pace,
        )
        threading.Thread(target=self._run, args=(request_id, self._turn), daemon=True).start()

    def _run(self, request_id: Any, turn: Turn) -> None:
        try:
            stop_reason = scene_for(turn.message)(turn)
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


def main() -> None:
    """Serve one client on stdin and stdout."""
    parser = argparse.ArgumentParser(prog="groupx.demo_agent", description=__doc__)
    parser.add_argument("--name", default="Demo")
    parser.add_argument(
        "--pace",
        type=float,
        default=float(os.environ.get("DEMO_AGENT_PACE", "0.03")),
        help="seconds before each piece of text",
    )
    arguments = parser.parse_args()
    DemoAgent(Wire(), name=arguments.name, pace=max(0.0, arguments.pace)).serve()


if __name__ == "__main__":
    main()
