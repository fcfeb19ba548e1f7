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

FAMILIES = {"acp": ScriptedAgent, "codex": ScriptedAppServer, "claude": ScriptedStream}


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
