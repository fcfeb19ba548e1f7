"""What a demo agent does by itself: answers, failures, silence."""

import os
import re
import sys
from collections.abc import Callable

from groupx.demo_agent.turn import END_TURN, Turn
from groupx.demo_agent.wire import CancelledByClient, RpcFailure
from groupx.domain.text import excerpt

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

And with the tools that the room gives every agent:

| say | and I will |
|---|---|
| **ask** builder and reviewer: … | ask them, wait, and sum up what they answered |
| **tell** builder: … | send it and not wait |
| **make a plan** | ask everybody else, collect, and publish the plan |
| **publish** … | say something to the room that wakes nobody |
| **read the room** | read what was said |
| **remember that** … | keep it for the room; **for yourself**, or **of** builder, works too |
| **what do you know** about … | tell what I was told with your message |
| **loop with** reviewer | send it back and forth until the room stops us |

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


def greet(turn: Turn) -> str:
    """What is said to anything else."""
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
"""Words in the current message → what happens; the first match wins."""
