"""A scripted program of any driver family that keeps, on disk, every frame it ever received.

`python recording_agent.py FAMILY SCENARIO.json LOG.jsonl …`. All its processes write to one log;
what a process was killed in the middle of reading is a line that is no JSON.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "conformance" / "agents"))

from acp_scripted import ScriptedAgent
from app_server_scripted import ScriptedAppServer
from stream_json_scripted import ScriptedStream


class RecordingAppServer(ScriptedAppServer):
    """Like the real one, it can tell after a restart what became of its turns."""

    def __init__(self, scenario, log):
        super().__init__(scenario, log)
        self.record = Path(f"{sys.argv[3]}.turns")

    @property
    def turn_id(self):
        return f"turn-{os.getpid()}-{self.prompts}"

    def do_turn(self, step, request):
        said = {"type": "agentMessage", "id": "msg-1", "text": "This answer takes its time."}
        asked = {"type": "userMessage", "id": "user-1", "content": []}
        if "params" in request and "clientUserMessageId" in request["params"]:
            asked["clientId"] = request["params"]["clientUserMessageId"]
        ended = step["turn"] == "completed"
        turn = {"id": self.turn_id, "status": "completed" if ended else "inProgress"}
        with self.record.open("a") as record:
            items = [asked, said] if ended else [asked]
            record.write(json.dumps({**turn, "items": items, "error": None}) + "\n")
        super().do_turn(step, request)

    def steps_for(self, method):
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        latest = {turn["id"]: turn for turn in map(json.loads, lines)}
        self.scenario["turns"] = [*reversed(latest.values())]
        return super().steps_for(method)


FAMILIES = {"acp": ScriptedAgent, "codex": RecordingAppServer, "claude": ScriptedStream}


class Record:
    """On disk before the agent acts on it."""

    def __init__(self, path):
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, line):
        os.write(self._fd, line if line.endswith(b"\n") else line + b"\n")

    def flush(self):
        os.fsync(self._fd)


if __name__ == "__main__":
    family, scenario, log = sys.argv[1:4]
    FAMILIES[family](json.loads(Path(scenario).read_text()), Record(log)).serve()
