"""Records what a real room sends its page: `.venv/bin/python -m tests.ui.store.record`.

The recordings beside it are what the reducer is tried with; make them anew when an event's shape
changes.
"""

import json
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.system.daemon import TERMINAL, Daemon, Json, demo_agent, of_turn
from tests.system.stream import EventStream

HERE = Path(__file__).parent
QUIET = {"adapter.heartbeat"}
LONGEST = 20.0
READ = {"seq", "eventId", "type", "occurredAt", "actor", "causationId", "replyToEventId", "body"}


class Session:
    """One daemon and the stream of its room, from the first event on."""

    def __init__(self, daemon: Daemon, stream: EventStream) -> None:
        self.daemon = daemon
        self.stream = stream

    def ask(self, path: str, body: Json | None = None) -> None:
        """A command that is accepted, whatever its answer."""
        document = {"clientCommandId": secrets.token_hex(8), **(body or {})}
        status, answer = self.daemon.request("POST", path, document)
        assert status in (200, 201, 202), (path, answer)

    def say(self, content: str, *to: str, **more: object) -> Json:
        body = {"to": [f"agent:{it}" for it in to], "content": content, **more}
        return self.daemon.post("/api/messages", body)

    def end(self, accepted: Json) -> None:
        """Until every turn of the message has ended."""
        for turn in accepted["turns"]:
            self.stream.until(of_turn(turn["turnId"], *TERMINAL), "its end", LONGEST)

    def begun(self, accepted: Json) -> str:
        """The first turn's id, once it is running."""
        turn_id = accepted["turns"][0]["turnId"]
        self.stream.until(of_turn(turn_id, "turn.started"), "its begin", LONGEST)
        return turn_id

    def all_quiet(self) -> None:
        """Until no turn of anybody is open."""
        wanted = {it["body"]["turnId"] for it in self.stream.seen if it["type"] == "turn.queued"}
        while open_ := wanted - {
            it["body"]["turnId"] for it in self.stream.seen if it["type"] in TERMINAL
        }:
            self.stream.until(of_turn(min(open_), *TERMINAL), "quiet", LONGEST)
            wanted = {
                it["body"]["turnId"] for it in self.stream.seen if it["type"] == "turn.queued"
            }

    def at_rest(self) -> None:
        """Until the last that is heard of every agent is that it is idle."""
        seen = self.stream.seen
        while True:
            agents = [it["body"]["agent"] for it in seen if it["type"] == "agent.changed"]
            now = {it["actorId"]: it["state"] for it in agents}
            if set(now.values()) == {"idle"}:
                return
            assert self.stream.next(LONGEST) is not None


def talk(room: Session) -> None:
    """Answers of every kind, side by side and after one another."""
    for content in ("think first", "a tool, please", "a broken tool", "empty"):
        room.end(room.say(content, "ada"))
    room.end(room.say("hello all", "ada", "bob"))
    room.end(room.say("tell bob: hello", "ada"))
    room.all_quiet()


def fail(room: Session) -> None:
    """Every way to end badly that needs no patience; a retry and a continued turn."""
    for content in ("fail", "quota", "refuse", "permission", "crash", "garbage"):
        room.end(room.say(content, "ada"))
    stalled = room.say("exit", "bob")
    room.end(stalled)
    turn_id = stalled["turns"][0]["turnId"]
    room.ask(f"/api/turns/{turn_id}/retry")
    room.all_quiet()


def control(room: Session) -> None:
    """A cancel, a queue, what is taken back from it, and a paused lane."""
    stalled = room.say("stall", "ada")
    turn_id = room.begun(stalled)
    gone = room.say("never mind", "ada")
    changed = room.say("a table", "ada")
    last = room.say("code", "ada")
    room.ask(f"/api/messages/{gone['messageEventId']}/withdraw")
    room.ask(f"/api/messages/{changed['messageEventId']}/replace", {"content": "hello"})
    room.ask(f"/api/turns/{turn_id}/cancel")
    room.end(stalled)
    room.end(last)
    room.ask("/api/lanes/agent:bob/pause")
    waiting = room.say("hello", "bob")
    room.ask("/api/lanes/agent:bob/resume")
    room.end(waiting)
    room.all_quiet()


def around(room: Session) -> None:
    """An observer that steers, memory, a new beginning, and a loop that is stopped."""
    watched = {"observers": ["agent:bob"], "mode": "live_steer"}
    room.end(room.say("that is the wrong way", "ada", supervision=watched))
    room.all_quiet()
    record = {"scopeType": "room", "kind": "fact", "content": "The sky is blue."}
    room.ask("/api/memory", record)
    room.ask("/api/context/reset", {"resetNativeSessions": False})
    room.end(room.say("loop with bob", "ada"))
    room.all_quiet()


PARTS: dict[str, Callable[[Session], None]] = {
    "talk": talk,
    "fail": fail,
    "control": control,
    "around": around,
}


def lean(event: Json) -> Json:
    """Without what the reducer does not read, which would be most of a file."""
    if event["type"] == "agent.changed":
        event["body"]["agent"]["capabilities"] = {}
    return {key: value for key, value in event.items() if key in READ}


def record(name: str, folder: Path) -> None:
    """Play one part in a new room; keep its first bootstrap, its stream and its last bootstrap."""
    agents = {"ada": demo_agent(name="Ada"), "bob": demo_agent(name="Bob")}
    daemon = Daemon(folder, agents, limits={"hopCount": 3})
    try:
        daemon.start()
        daemon.wait_idle()
        first = daemon.get("/api/bootstrap")
        with daemon.stream(first["throughSeq"]) as stream:
            room = Session(daemon, stream)
            PARTS[name](room)
            room.at_rest()
            last = daemon.get("/api/bootstrap")
            through = last["throughSeq"]
            stream.until(lambda it: it["seq"] == through, "the last event", LONGEST)
            seen = [it for it in stream.seen if it["type"] not in QUIET]
    finally:
        daemon.dispose()
    durable = [it["eventId"] for it in seen if it["seq"] is not None]
    events = [it["eventId"] for it in last.pop("events")]
    assert durable[-len(events) :] == events[-len(durable) :]
    parts = [json.dumps(it, ensure_ascii=False) for it in map(lean, seen)]
    head = f'"first": {json.dumps(first)},\n"last": {json.dumps(last)}'
    body = ",\n".join(parts)
    text = f'{{{head},\n"stream": [\n{body}]}}\n'
    (HERE / f"{name}.json").write_text(text.replace(str(folder), "/room"))


def main() -> None:
    for name in PARTS:
        with tempfile.TemporaryDirectory() as folder:
            record(name, Path(folder))


if __name__ == "__main__":
    main()
