"""A demo agent that puts many questions at once when it is told to, and keeps what came of each.

`asker.py NAME LOG`; told "put 25 questions, 2 at a time, to agent1 agent2 and to agent3 which is
busy", it asks the free ones in turn, and collects what is pending. A few questions go to the busy
one, to itself and to nobody. A line of JSON for each goes to LOG.
"""

import json
import re
import sys
import threading
import time
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from queue import Empty, SimpleQueue

from groupx.demo_agent.agent import DemoAgent
from groupx.demo_agent.casting import scene_for
from groupx.demo_agent.room_tools import ToolRefused
from groupx.demo_agent.scenes import Scene
from groupx.demo_agent.turn import END_TURN, Turn
from groupx.demo_agent.wire import Json, Wire

TIMEOUT_MS = 5_000
COLLECT_MS = 50_000
_TOLD = re.compile(r"put (\d+) questions, (\d+) at a time, to ([\w ]+) and to (\w+) which is busy")
_EVERY = 20
_BUSY, _ITSELF, _NOBODY = 3, 7, 13
"""Of twenty questions, these go where no answer comes from."""


class Asker:
    """The questions of one program."""

    def __init__(self, name: str, log: Path) -> None:
        self._name = name
        self._log = log
        self._writing = threading.Lock()

    def cast(self, message: str) -> Scene:
        """Questions when told so, else what a demo agent does."""
        return self._put if _TOLD.search(message) else scene_for(message)

    def _put(self, turn: Turn) -> str:
        told = _TOLD.search(turn.message)
        assert told is not None
        count, width = int(told[1]), int(told[2])
        turn.use("read", limit=1)  # opens the way to the tools, before there are threads
        questions: SimpleQueue[tuple[int, str]] = SimpleQueue()
        odd = {_BUSY: told[4], _ITSELF: self._name, _NOBODY: "nobody"}
        for number, name in enumerate(islice(cycle(told[3].split()), count)):
            questions.put((number, odd.get(number % _EVERY, name)))
        work = partial(self._work, turn, questions)
        threads = [threading.Thread(target=work) for _ in range(width)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        turn.say(f"I put {count} questions.")
        return END_TURN

    def _work(self, turn: Turn, questions: "SimpleQueue[tuple[int, str]]") -> None:
        while True:
            try:
                number, name = questions.get_nowait()
            except Empty:
                return
            record = self._put_one(turn, number, name)
            with self._writing, self._log.open("a") as log:
                log.write(json.dumps(record) + "\n")

    def _put_one(self, turn: Turn, number: int, name: str) -> Json:
        assert turn.tools_of_room is not None
        call = partial(turn.tools_of_room.call, cancel=turn.cancel)
        record: Json = {"asker": self._name, "to": name, "began": time.monotonic()}
        try:
            answer = call("ask", to=[name], content=f"Number {number}?", timeoutMs=TIMEOUT_MS)
        except ToolRefused as refused:
            now = time.monotonic()
            return record | {"state": "refused", "code": refused.code, "ended": now, "left": now}
        message, [result] = answer["messageEventId"], answer["results"]
        record |= {"ended": time.monotonic(), "state": result["state"], "messageEventId": message}
        if result["state"] == "pending" and number % _EVERY != _BUSY:
            later = call("collect", messageEventId=message, timeoutMs=COLLECT_MS)
            record["collected"] = later["results"][0]["state"]
        return record | {"left": time.monotonic()}


if __name__ == "__main__":
    name, log = sys.argv[1:]
    DemoAgent(Wire(), name=name, pace=0.0, cast=Asker(name, Path(log)).cast).serve()
