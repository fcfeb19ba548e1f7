"""What a demo agent does with others, through the room's tools, on words a person would use."""

import re

from groupx.demo_agent.turn import END_TURN, Turn
from groupx.demo_agent.wire import Json

NAMES = r"@?\w[\w.-]*(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)@?\w[\w.-]*)*"
_FILLER = frozenset({"and", "please"})
_COLLECTS = 4


def addressed(turn: Turn, verb: str) -> tuple[list[str], str]:
    """Who is named after the verb, and what follows."""
    found = re.search(
        rf"\b{verb}\s+({NAMES})\s*[:,]?\s*(.*)", turn.message, re.IGNORECASE | re.DOTALL
    )
    if found is None:
        return [], turn.message
    names = [name.lower().lstrip("@") for name in re.findall(r"@?\w[\w.-]*", found[1])]
    told = [name for name in names if name not in _FILLER]
    return (["@all"] if told in (["all"], ["everybody"], ["everyone"]) else told), found[2].strip()


def _answers(turn: Turn, asked: Json) -> list[Json]:
    """What was asked, collected until nothing is pending any more or patience ends."""
    results: list[Json] = asked["results"]
    for _ in range(_COLLECTS):
        if all(result["state"] != "pending" for result in results):
            break
        collected = turn.use("collect", messageEventId=asked["messageEventId"])
        results = collected["results"]
    return results


def told(results: list[Json]) -> str:
    """What came of a question, one line for each who was asked."""
    lines = ["| who | what came |", "|---|---|"]
    for result in results:
        content = " ".join(str(result.get("content") or result.get("message") or "").split())
        shown = content[:120].replace("|", "\\|")
        lines.append(f"| {result['target']} | *{result['state']}* {shown} |")
    return "\n".join(lines)


def _ask(turn: Turn) -> str:
    names, what = addressed(turn, "ask")
    turn.say(f"I ask {', '.join(names)}.\n\n")
    results = _answers(turn, turn.use("ask", to=names, content=what or "What do you think?"))
    turn.say(told(results))
    return END_TURN


def _plan(turn: Turn) -> str:
    turn.think("A plan needs the others: I ask all of them, and publish what they say.")
    turn.say("Let me ask the others what they would do.\n\n")
    asked = turn.use("ask", to=["@all"], content="What would your part in this be?")
    results = _answers(turn, asked)
    plan = f"**The plan**\n\n{told(results)}"
    turn.use("publish", content=plan)
    turn.say(f"I asked {len(results)} of us, and published the plan for everybody to read.")
    return END_TURN


def _tell(turn: Turn) -> str:
    names, what = addressed(turn, "tell")
    sent = turn.use("send", to=names, content=what or "Hello from me.")
    places = ", ".join(place["target"] for place in sent["turns"])
    turn.say(f"I sent it to {places}. I do not wait; what they say is shown in the room.")
    return END_TURN


def _publish(turn: Turn) -> str:
    what = re.sub(
        r".*?\bpublish\b[:,]?\s*", "", turn.message, count=1, flags=re.IGNORECASE | re.DOTALL
    )
    turn.use("publish", content=what or "I have nothing to add.")
    turn.say("I published it. Nobody was woken.")
    return END_TURN


def _read(turn: Turn) -> str:
    read = turn.use("read", limit=20)
    said = [event for event in read["events"] if event["type"] == "message.created"]
    who = ", ".join(dict.fromkeys(event["actorId"] for event in said))
    turn.say(f"I read {len(read['events'])} events, {len(said)} of them messages, by {who}.")
    return END_TURN


def _loop(turn: Turn) -> str:
    names, _ = addressed(turn, "loop with")
    turn.say(f"I pass it on to {names[0]}, and hope that the room stops us. ")
    turn.use("send", to=names[:1], content=f"loop with {turn.agent_id}")
    return END_TURN


TEAMWORK = (
    (r"loop with", _loop),
    (r"ask (?!me\b|for\b|to\b)\w+", _ask),
    (r"tell (?!me\b)\w+", _tell),
    (r"make a plan|plan (?:a|an|how|our|my)", _plan),
    (r"publish", _publish),
    (r"read the room", _read),
)
"""Words in the current message → what happens; the first match wins."""
