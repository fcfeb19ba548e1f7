"""A program that gets ready and dies at once: a bounded number of starts, and a visible end."""

import sys

import pytest

from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, of_turn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

PROGRAM = """
import json, sys
open("starts", "a").write("x")
for line in sys.stdin:
    asked = json.loads(line)
    result = {"protocolVersion": 1} if asked["method"] == "initialize" else {"sessionId": "s"}
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}) + "\\n")
    sys.stdout.flush()
    if asked["method"] == "session/new":
        sys.exit(1)
"""


def test_it_is_not_started_for_ever(make_daemon: MakeDaemon) -> None:
    command = [sys.executable, "-I", "-S", "-c", PROGRAM]
    daemon = make_daemon({"brief": {"driver": "acp", "command": command, "cwd": "."}})
    daemon.start()
    with daemon.stream() as stream:
        turns = [daemon.send(f"hello {n}", "agent:brief")["turns"][0]["turnId"] for n in range(3)]
        for turn in turns:
            ended = stream.until(of_turn(turn, *TERMINAL), "the end of the turn", 60)
            assert ended["type"] in ("turn.failed", "turn.interrupted")
            assert ended["body"]["errorCode"] == "ADAPTER_EXITED"
        stream.until(is_failed, "the agent shown as failed")
    assert daemon.terminate() == 0
    daemon.assert_no_processes()
    # One without being asked; then three for what is queued, or one for each turn that the
    # program lived long enough to be sent.
    assert 3 <= len((daemon.folder / "starts").read_text()) <= 1 + 3 * len(turns)


def is_failed(event) -> bool:
    return event["type"] == "agent.changed" and event["body"]["agent"]["state"] == "failed"
