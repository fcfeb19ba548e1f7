"""Makes the frozen databases of format 10, with the real daemon and its demo agents.

`python -m tests.store.make_fixture_10 FOLDER` writes `format-10.db` (a new room) and
`format-10-upgraded.db` (a room of format 9 that went on). Only for a format that is not released
yet: what a release wrote is never made again.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from tests.store.released import copy_of, reading
from tests.system.daemon import TERMINAL, Daemon, demo_agent, of_turn

AGENTS = {
    "grok": demo_agent(name="Grok"),
    "kimi": demo_agent(pace=0.02, name="基米"),
    "codex": demo_agent(name="Codex"),
}
ODD = (
    "Path C:\\new\ttab \"double\" 'single' `tick` \\u0041\r\nline </script> 🚀 ; DROP TABLE events;"
)
SCENES = (
    ("hello", ["@all"]),
    ("请检查发布流程：先跑测试，再打包，最后上传。", ["agent:kimi"]),
    (ODD, ["agent:grok"]),
    ("row 数据 data\n" * 500, ["agent:grok"]),
    ("think, then use a tool", ["agent:codex"]),
    ("ponder this", ["agent:codex"]),
    ("run a tool", ["agent:codex"]),
    ("use a broken tool", ["agent:codex"]),
    ("say nothing", ["agent:grok"]),
    ("max tokens", ["agent:grok"]),
    ("please fail", ["agent:grok"]),
    ("refuse", ["agent:grok"]),
    ("quota", ["agent:codex"]),
    ("permission", ["agent:grok"]),
    ("crash", ["agent:grok"]),
    ("exit", ["agent:codex"]),
)


def talk(daemon: Daemon) -> None:
    """One of everything that a user can do."""
    daemon.start()
    with daemon.stream() as events:

        def ended(accepted: dict[str, object]) -> list[str]:
            turns = [turn["turnId"] for turn in accepted["turns"]]  # type: ignore[index]
            for turn_id in turns:
                events.until(of_turn(turn_id, *TERMINAL), f"the end of {turn_id}", 60)
            return turns

        results = [ended(daemon.send(text, *to)) for text, to in SCENES]
        failed = results[10][0]
        ended(daemon.post(f"/api/turns/{failed}/retry"))
        ended(daemon.post(f"/api/turns/{results[0][0]}/continue"))

        running = daemon.send("a long answer, slowly", "agent:kimi")["turns"][0]["turnId"]
        events.until(of_turn(running, "turn.content.delta"), "its first words")
        withdrawn = daemon.send("never mind", "agent:kimi")
        daemon.post(f"/api/messages/{withdrawn['messageEventId']}/withdraw", status=200)
        replaced = daemon.send("helo", "agent:kimi")
        daemon.post(f"/api/messages/{replaced['messageEventId']}/replace", {"content": "hello"})
        daemon.post(f"/api/turns/{running}/cancel")
        events.until(of_turn(running, *TERMINAL), "the end of the cancelled turn")

        interrupted = daemon.send("slowly, please", "agent:kimi")["turns"][0]["turnId"]
        events.until(of_turn(interrupted, "turn.content.delta"), "the words before the kill")
    daemon.kill()
    daemon.assert_no_processes()

    daemon.start()
    daemon.post("/api/lanes/codex/pause", {"reason": "lunch 午饭"}, status=200)
    daemon.send("when you are back", "agent:codex")
    with daemon.stream() as events:
        accepted = daemon.send("table", "agent:grok")
        (turn,) = accepted["turns"]
        events.until(of_turn(turn["turnId"], *TERMINAL), "the last answer")
    assert daemon.terminate() == 0
    daemon.assert_no_processes()


def make(folder: Path, home: Path) -> None:
    """Both databases, into `folder`."""
    for name, source in (("format-10", None), ("format-10-upgraded", "format-9")):
        room = home / name
        room.mkdir()
        daemon = Daemon(room, AGENTS)
        database = daemon.data / "groupx-local.db"
        if source is not None:
            daemon.data.mkdir(mode=0o700)
            copy_of(source, room / "old").rename(database)
        try:
            talk(daemon)
        finally:
            daemon.dispose()
        with reading(database) as conn:
            assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert not database.with_name(f"{database.name}-wal").exists()
        shutil.copyfile(database, folder / f"{name}.db")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="room-") as made:
        make(Path(sys.argv[1]), Path(made))
