"""An agent whose program can be made to never answer, from one of its starts to the next."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from conformance.scenario import Step

SCRIPTED = Path(__file__).parents[2] / "conformance" / "agents" / "acp_scripted.py"
HANGS: Step = {"hang": True}


class Keeper:
    """A demo agent; while its switch is there, each new program of it never answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.switch = folder / "hangs"
        self.scenario = folder / "scenario.json"
        self.scenario.write_text(json.dumps({"session/prompt": [[HANGS]]}))

    @property
    def config(self) -> dict[str, Any]:
        python, switch = shlex.quote(sys.executable), shlex.quote(str(self.switch))
        files = " ".join(shlex.quote(str(it)) for it in (SCRIPTED, self.scenario))
        log = shlex.quote(str(self.folder / "hung-"))
        words = (
            f"if [ -e {switch} ]; then exec {python} -E -s -S {files} {log}$$; "
            f"else exec {python} -m groupx.demo_agent --name keeper --pace 0; fi"
        )
        return {"driver": "acp", "command": ["sh", "-c", words], "cwd": "."}

    def prompts(self) -> list[str]:
        """What its hanging programs were asked."""
        logs = [path.read_bytes() for path in sorted(self.folder.glob("hung-*"))]
        frames = [json.loads(line) for log in logs for line in log.split(b"\n")[:-1]]
        return [
            frame["params"]["prompt"][0]["text"]
            for frame in frames
            if frame.get("method") == "session/prompt"
        ]
