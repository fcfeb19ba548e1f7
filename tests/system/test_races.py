"""Races in a real daemon: turn ends against messages, cancels, edits and readers; two starts.

The ordinary form is short: GROUPX_RACES=4 posts a thousand messages, and makes everything else
four times as long too. The same under virtual time is tests/actors/test_turn_ends.py.
"""

import os
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Self

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.counting import count, countable
from tests.system.daemon import TERMINAL, Daemon, Json, demo_agent, of_turn
from tests.system.readers import by_socket, by_sse
from tests.system.stream import Event, EventStream
from tests.system.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1_200)]

FACTOR = int(os.environ.get("GROUPX_RACES", "1"))
AGENTS = ("ada", "bob", "cleo", "dan")
TARGETS = [*([f"agent:{name}"] for name in AGENTS * 4), ["agent:ada", "agent:dan"], ["@all"]]
LEAK_MEGABYTES = 8
"""More than a warm daemon may grow by, however many turns it runs."""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    agents = {name: demo_agent() for name in AGENTS}
    daemon = Daemon(tmp_path_factory.mktemp("races"), agents, limits={"queuePerAgent": 100})
    countable(daemon)
    try:
        daemon.start()
        for answer in [daemon.send("warm up") for _ in range(3)]:
            settled(daemon, [answer])
        yield daemon
    finally:
        daemon.dispose()


def turn_ids(answers: list[Json]) -> list[str]:
    return [turn["turnId"] for answer in answers for turn in answer["turns"]]


def settled(daemon: Daemon, answers: list[Json]) -> list[Json]:
    """The turns of these accepted messages, once all have ended."""
    found: list[Json] = []
    for turn_id in turn_ids(answers):

        def ended(turn_id: str = turn_id) -> Json | None:
            detail = daemon.get(f"/api/turns/{turn_id}")
            return detail if "terminalAt" in detail["turn"] else None

        detail = wait_until(ended, f"the end of {turn_id}", 60)
        assert detail is not None
        found.append(detail)
    return found


class Ends:
    """Lets posters post the moment a turn ends. A context manager."""

    AHEAD = 24
    """How many turns may be open before a poster waits for an end."""

    def __init__(self, daemon: Daemon) -> None:
        self._open = 0
        self._changed = threading.Condition()
        self._leave = False
        self._stream = daemon.stream(None)
        self._reader = threading.Thread(target=self._read)

    def __enter__(self) -> Self:
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._leave = True
        self._reader.join(60)
        self._stream.__exit__()

    def _read(self) -> None:
        while not self._leave:
            try:
                event = self._stream.next(1)
            except TimeoutError:
                return
            if event is not None and event["type"] in TERMINAL:
                self.opened(-1)

    def opened(self, turns: int) -> None:
        """That many more turns are open."""
        with self._changed:
            self._open += turns
            self._changed.notify_all()

    def wait(self, fewer_than: int = AHEAD) -> None:
        """Until few enough are open; whoever waits is woken by an end."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._open < fewer_than, 60), "no turn ends"


def post_at_ends(daemon: Daemon, ends: Ends, seed: int, many: int) -> list[Json]:
    """Post a message whenever some turn has ended; what was acknowledged."""
    chance, answers = random.Random(seed), []
    for number in range(many):
        ends.wait()
        body = {
            "clientCommandId": f"race-{seed}-{number}",
            "to": chance.choice(TARGETS),
            "content": f"message {number} of {seed}",
        }
        answers.append(daemon.post("/api/messages", body))
        ends.opened(len(answers[-1]["turns"]))
        if number % 10 == 0:
            assert daemon.post("/api/messages", body) == answers[-1], "the same command again"
    return answers


def test_many_messages_as_turns_end(room: Daemon):
    posters = 4
    start = room.get("/api/bootstrap")["throughSeq"]
    answers: list[Json] = []

    def post(seeds: range, many: int) -> None:
        with Ends(room) as ends, ThreadPoolExecutor(posters) as pool:
            parts = [pool.submit(post_at_ends, room, ends, seed, many) for seed in seeds]
            for part in parts:
                answers.extend(part.result())
            ends.wait(1)

    post(range(posters), 30)
    before = count(room)
    post(range(posters, 2 * posters), 31 + 63 * (FACTOR - 1))
    after = count(room)
    assert set(room.get("/api/health")["queues"].values()) == {0}
    check_turns([event for event in room.history() if event["seq"] > start], answers)
    assert after.tasks <= before.tasks + 2, "the answering of a request, at most"
    assert after.threads <= before.threads + 2, "those of the pool, at most"
    assert after.files <= before.files + 2
    assert after.megabytes < before.megabytes + LEAK_MEGABYTES, (before, after)


def check_turns(history: list[Event], answers: list[Json]) -> None:
    """One turn for each target of each acknowledged message, each ended once, in order."""
    by_type: dict[str, list[Event]] = {}
    for event in history:
        by_type.setdefault(event["type"], []).append(event)
    said = {e["eventId"]: e for e in by_type["message.created"] if e["actor"]["kind"] == "user"}
    assert sorted(said) == sorted(answer["messageEventId"] for answer in answers)
    queued = [
        (e["body"]["sourceEventId"], e["body"]["targetActorId"], e["body"]["turnId"])
        for e in by_type["turn.queued"]
    ]
    promised = [
        (answer["messageEventId"], turn["target"], turn["turnId"])
        for answer in answers
        for turn in answer["turns"]
    ]
    assert sorted(queued) == sorted(promised)
    for source, event in said.items():
        assert sorted(event["to"]) == sorted(to for message, to, _ in queued if message == source)
    assert [e["type"] for e in history if e["type"] in TERMINAL] == ["turn.completed"] * len(queued)
    ended = [e["body"]["turnId"] for e in by_type["turn.completed"]]
    assert sorted(ended) == sorted(turn for _, _, turn in queued)
    for name in AGENTS:
        mine = [turn for _, target, turn in queued if target == f"agent:{name}"]
        for step in ("turn.dispatched", "turn.started", "turn.completed"):
            order = [e["body"]["turnId"] for e in by_type[step]]
            assert [turn for turn in order if turn in set(mine)] == mine, (name, step)


# --- cancel against completion ----------------------------------------------------------------

CERTAINTIES = {
    "completed": {"delivered"},
    "cancelled": {"not_delivered", "unknown", "delivered"},
}


POINTS = (0, 0, 1, 2, 3, 5, 10, 20, 30, 1_000)
"""At which of a turn's events the race begins: at once, somewhere, or at its end."""


def until_some_point(stream: EventStream, turn_id: str, chance: random.Random) -> None:
    """Read on until some event of this turn has been seen."""
    for _ in range(chance.choice(POINTS)):
        while (event := stream.next()) is not None and event["body"].get("turnId") != turn_id:
            pass
        if event is None or event["type"] in TERMINAL:
            return


def test_a_cancel_around_the_end(room: Daemon):
    def race(name: str) -> list[Json]:
        chance, found = random.Random(name), []
        with room.stream(None) as stream:
            for _ in range(25 * FACTOR):
                answer = room.send("hello", f"agent:{name}")
                [turn_id] = turn_ids([answer])
                until_some_point(stream, turn_id, chance)
                answered = room.post(f"/api/turns/{turn_id}/cancel")
                assert answered["turnId"] == turn_id
                [detail] = settled(room, [answer])
                found.append(detail | {"answered": answered["status"]})
        return found

    with ThreadPoolExecutor(len(AGENTS)) as pool:
        details = [detail for part in pool.map(race, AGENTS) for detail in part]
    history = room.history()
    ends = Counter(e["body"]["turnId"] for e in history if e["type"] in TERMINAL)
    for detail in details:
        turn, attempts = detail["turn"], detail["attempts"]
        assert ends[turn["turnId"]] == 1
        assert turn["status"] in CERTAINTIES, turn
        assert turn["deliveryCertainty"] in CERTAINTIES[turn["status"]]
        assert detail["answered"] in ("queued", "cancelled", "cancelling", "completed")
        if detail["answered"] in ("cancelled", "completed"):
            assert turn["status"] == detail["answered"], "what was final when it was answered is"
        certainties = [attempt["deliveryCertainty"] for attempt in attempts]
        assert certainties == ([turn["deliveryCertainty"]] if attempts else [])
        assert attempts or turn["deliveryCertainty"] == "not_delivered"
        began = [attempt for attempt in attempts if "startedAt" in attempt]
        assert not began or turn["deliveryCertainty"] == "delivered"
    assert {detail["turn"]["status"] for detail in details} == set(CERTAINTIES), "both can win"
    after = settled(room, [room.send("and now?")])
    assert [detail["turn"]["status"] for detail in after] == ["completed"] * len(AGENTS)


# --- edit and remove against dispatch ---------------------------------------------------------


def test_taking_a_message_back_against_its_dispatch(room: Daemon):
    def race(name: str) -> list[tuple[str, Json, int]]:
        chance, found = random.Random(name), []
        with room.stream(None) as stream:
            for number in range(15 * FACTOR):
                first = room.send("hello", f"agent:{name}")
                second = room.send("take this back", f"agent:{name}")
                if number % 3 == 2:  # behind it: a fast machine takes back in time every time
                    stream.until(of_turn(*turn_ids([second]), "turn.dispatched"), "its dispatch")
                else:
                    until_some_point(stream, *turn_ids([first]), chance)
                how = ("withdraw", "replace")[number % 2]
                body = {"clientCommandId": f"back-{name}-{number}"}
                if how == "replace":
                    body["content"] = "say this instead"
                path = f"/api/messages/{second['messageEventId']}/{how}"
                status, answer = room.request("POST", path, body)
                assert status in (200, 202, 409), answer
                assert room.request("POST", path, body)[0] == status, "the same command again"
                settled(room, [first, second, *([answer] if status == 202 else [])])
                found.append((how, second, status))
        return found

    with ThreadPoolExecutor(len(AGENTS)) as pool:
        races = [one for part in pool.map(race, AGENTS) for one in part]
    history = room.history()
    begun = {e["body"]["turnId"] for e in history if e["type"] == "turn.dispatched"}
    taken = {e["body"]["messageEventId"]: e for e in history if e["type"] == "message.withdrawn"}
    for how, second, status in races:
        [turn_id] = turn_ids([second])
        won = status != 409
        assert (turn_id in begun) is not won, "it was taken back or it was begun, never both"
        assert (second["messageEventId"] in taken) is won
        if won:
            body = taken[second["messageEventId"]]["body"]
            assert ("replacedByEventId" in body) is (how == "replace")
        [detail] = settled(room, [second])
        assert detail["turn"]["status"] == ("cancelled" if won else "completed")
    assert {status == 409 for _, _, status in races} == {True, False}, "both can win"


# --- a stream that is dropped at every event --------------------------------------------------


@pytest.mark.parametrize("read", [by_sse, by_socket], ids=["sse", "websocket"])
def test_a_reader_that_drops_the_connection_after_every_event(
    room: Daemon, read: Callable[[Daemon, int], int]
):
    start = room.get("/api/bootstrap")["throughSeq"]
    answers: list[Json] = []

    def talk() -> None:
        for _ in range(2 * FACTOR):
            answers.append(room.send("hello"))
            settled(room, answers[-1:])

    talker = threading.Thread(target=talk)
    talker.start()
    seen, cursor = [], start
    last = None
    while last is None or cursor < last:
        cursor = read(room, cursor)
        seen.append(cursor)
        if last is None and not talker.is_alive():
            last = room.get("/api/bootstrap")["throughSeq"]
    talker.join()
    assert seen == [e["seq"] for e in room.history() if start < e["seq"] <= cursor]
    assert len(turn_ids(answers)) == len(AGENTS) * 2 * FACTOR
    wait_until(lambda: count(room).tasks < 400, "the end of the readers' tasks")


# --- two daemons at one moment ----------------------------------------------------------------


def gave_way(pair: tuple[Daemon, ...]) -> Daemon | None:
    return next((d for d in pair if d.process and d.process.poll() is not None), None)


@pytest.mark.parametrize("same", ["config", "database"])
def test_two_starts_at_one_moment(make_daemon: MakeDaemon, tmp_path: Path, same: str):
    agents = {"ada": demo_agent()}
    for number in range(FACTOR):
        first = make_daemon(agents)
        if same == "config":
            second = Daemon(first.folder, agents)
        else:
            first = make_daemon(agents, storage={"path": str(tmp_path / f"shared-{number}.db")})
            second = make_daemon(agents, storage={"path": str(tmp_path / f"shared-{number}.db")})
        pair = (first, second)
        try:
            for daemon in pair:
                daemon.launch()
            loser = wait_until(partial(gave_way, pair), "one of the two gives way", 60)
            winner = second if loser is first else first
            winner.wait_ready()
            assert loser.wait() == 1
            assert "Traceback" not in loser.said()
            told = "already" if same == "config" else str(tmp_path / f"shared-{number}.db")
            assert told in loser.said(), loser.said()
            loser.assert_no_processes()
            [detail] = settled(winner, [winner.send("who is here?", "agent:ada")])
            assert detail["turn"]["status"] == "completed"
            if same == "database":
                assert loser.run_files() == []
            assert winner.terminate() == 0
        finally:
            second.dispose()
