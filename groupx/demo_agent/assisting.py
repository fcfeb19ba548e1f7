"""What a demo agent does as the room's assistant, through the operator's tools."""

from groupx.demo_agent.teamwork import addressed, told
from groupx.demo_agent.turn import END_TURN, Turn
from groupx.demo_agent.wire import Json

HELP = """I am the demo room's assistant. No model is behind me, but what I do in the room is real.

| say | and I will |
|---|---|
| **status** | tell who does what, and what waits |
| **dispatch to** builder: … | give builder work, without a message in the room |
| **ask** builder and reviewer: … | give them work and wait for their answers |
| **say to** builder: … | say it in the room, for all to read |
| **pass it on to** reviewer | give reviewer the newest answer of another agent as work |
| **stop** builder | cancel what builder does now |
| **restart** builder | end builder's program and start it anew |
| **read the room** | tell what was said last |"""


def _help(turn: Turn) -> str:
    turn.say(HELP)
    return END_TURN


def _status(turn: Turn) -> str:
    agents = turn.use("room_status")["agents"]
    rows = [f"| {agent['agentId']} | {agent['state']} | {agent['queued']} |" for agent in agents]
    turn.say("\n".join(("| who | state | waits |", "|---|---|---|", *rows)))
    return END_TURN


def _dispatch(turn: Turn) -> str:
    names, what = addressed(turn, "dispatch to")
    done = turn.use("worker_dispatch", to=names, content=what or "Please report.")
    turn.say(f"I gave it to {_places(done)}. What comes of it is shown in the room.")
    return END_TURN


def _ask(turn: Turn) -> str:
    names, what = addressed(turn, "ask")
    turn.say(f"I ask {', '.join(names)}.\n\n")
    asked = turn.use("worker_ask", to=names, content=what or "What do you think?")
    turn.say(told(asked["results"]))
    return END_TURN


def _say(turn: Turn) -> str:
    names, what = addressed(turn, "say to")
    sent = turn.use("send", to=names, content=what or "Hello from the assistant.")
    turn.say(f"I said it in the room, and woke {_places(sent)}.")
    return END_TURN


def _pass_on(turn: Turn) -> str:
    names, _ = addressed(turn, "pass it on to")
    event = _newest_answer(turn, names)
    if event is None:
        turn.say("Nobody else has answered anything yet, so there is nothing to pass on.")
        return END_TURN
    done = turn.use("dispatch_event", to=names, eventId=event["eventId"])
    turn.say(f"I gave what {event['actorId']} said to {_places(done)}.")
    return END_TURN


def _newest_answer(turn: Turn, but_of: list[str]) -> Json | None:
    others = [
        event
        for event in turn.use("read", limit=100)["events"]
        if event["type"] == "message.created"
        and event["actorId"].startswith("agent:")
        and event["actorId"].removeprefix("agent:") not in but_of
    ]
    return others[-1] if others else None


def _stop(turn: Turn) -> str:
    names, _ = addressed(turn, "stop")
    agents = turn.use("room_status")["agents"]
    for agent in agents:
        if agent["agentId"].lower() in names and "activeTurnId" in agent:
            turn.use("cancel_turn", turnId=agent["activeTurnId"])
            turn.say(f"I asked {agent['agentId']} to stop. ")
            return END_TURN
    turn.say(f"{', '.join(names)} does nothing that could be stopped.")
    return END_TURN


def _restart(turn: Turn) -> str:
    names, _ = addressed(turn, "restart")
    agent = turn.use("restart_agent", agent=names[0])["agent"]
    turn.say(f"{agent['agentId']} is {agent['state']}.")
    return END_TURN


def _read(turn: Turn) -> str:
    events = turn.use("read")["events"]
    said = [event for event in events if "content" in event]
    lines = [f"- {event['actorId']}: {' '.join(event['content'].split())[:80]}" for event in said]
    turn.say("\n".join(lines) or "Nothing was said yet.")
    return END_TURN


def _places(accepted: Json) -> str:
    return ", ".join(turn["target"] for turn in accepted["turns"])


ASSISTING = (
    (r"dispatch to", _dispatch),
    (r"pass it on to", _pass_on),
    (r"say to", _say),
    (r"ask (?!me\b|for\b|to\b)\w+", _ask),
    (r"restart \w+", _restart),
    (r"stop \w+", _stop),
    (r"read the room", _read),
    (r"status|who works|.*(?:状态|谁在).*", _status),
    (r"help|what can (you|i)|hello|hi", _help),
)
"""Words in the user's message → what happens; the first match wins."""
