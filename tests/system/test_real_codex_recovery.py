"""The real Codex: its record of cut-off turns, and the same driver over a socket."""

import os
import re
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import attrs
import pytest
import trio
import trio.testing

from groupx.adapters.codex.adapter import CodexAdapter
from groupx.adapters.codex.programs import native_prefix
from groupx.adapters.contract import Cancelled, Completed, ContentDelta, PastAttempt, Reconciled
from groupx.domain.attempts import Reconciliation
from groupx.process.environment import child_environment
from tests.system.conftest import MakeDaemon
from tests.system.daemon import TERMINAL, of_turn
from tests.system.real_turns import Turn, ask, ask_and_cancel, opened

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.timeout(180),
    pytest.mark.parametrize("program", ["codex"], indirect=True),
]
FOUND = Reconciliation.MATCHED_TERMINAL


async def record_of(profile, spawner, thread, *, attempt="attempt-1", turn=None, stopped=False):
    events = []
    past = PastAttempt(attempt_id=attempt, native_session_id=thread, native_turn_id=turn)
    if stopped:
        past.stop.set()
    with trio.fail_after(60):
        found = await CodexAdapter().reconcile(profile, spawner, past, events.append)
    return found, "".join(event.text for event in events if isinstance(event, ContentDelta))


async def cut_off(session, text, attempt_id, cut: Callable[[], None]) -> Turn:
    """A prompt whose connection or program is lost once its text has begun."""
    turn = Turn()

    async def run() -> None:
        turn.end = await session.prompt(text, turn.sink, attempt_id=attempt_id)

    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            await turn.text_began.wait()
            cut()
    return turn


async def test_its_record_says_what_became_of_a_turn(profile, spawner):
    async with opened("codex", profile, spawner) as session:
        thread = session.facts.native_session_id
        assert (await record_of(profile, spawner, thread))[0] == Reconciled(
            Reconciliation.NOT_FOUND  # it never had a turn
        )
        turn = Turn()
        turn.end = await session.prompt("SAY:remembered", turn.sink, attempt_id="attempt-1")
        assert isinstance(turn.end, Completed)
        began = turn.events[0].native_turn_id
        killed = await cut_off(session, "SLOW", "attempt-2", session.kill)
    cut_turn = killed.events[0].native_turn_id

    expected = (Reconciled(FOUND, Completed(), began), "remembered")
    assert await record_of(profile, spawner, thread, turn=began) == expected
    assert await record_of(profile, spawner, thread) == expected  # by its attempt's id alone
    stopped = (Reconciled(FOUND, Cancelled(), cut_turn), "")
    assert await record_of(profile, spawner, thread, attempt="attempt-2") == stopped
    assert await record_of(profile, spawner, thread, turn=cut_turn) == stopped
    nowhere = Reconciled(Reconciliation.NOT_FOUND)
    assert (await record_of(profile, spawner, thread, attempt="attempt-3"))[0] == nowhere
    other = "01a22d84-9e81-7171-99c8-000000000000"
    assert (await record_of(profile, spawner, other))[0] == nowhere


@pytest.fixture
def listening(profile, spawner, tmp_path):
    """`async with listening(scheme) as profile`: a Codex that GroupX did not start."""

    @asynccontextmanager
    async def listen(scheme: str) -> AsyncIterator:
        path = tmp_path / "codex.sock"
        address = "ws://127.0.0.1:0" if scheme == "ws" else f"unix://{path}"
        environment = child_environment(os.environ, profile.env)
        argv = (*native_prefix(profile.command, environment), "app-server", "--listen", address)
        async with spawner.open(argv, cwd=profile.cwd, env=environment) as child:

            def said() -> re.Match[str] | None:
                return re.search(r"listening on: (ws://\S+)", child.stderr_excerpt(65536))

            with trio.fail_after(60):
                while not (said() or path.exists()):
                    assert not child.exited.is_set(), child.stderr_excerpt(2000)
                    await trio.testing.wait_all_tasks_blocked(0.05)
            if found := said():
                address = found[1]
            yield attrs.evolve(profile, command=(address,), env={})
            os.kill(child.pid, signal.SIGTERM)
            await child.exited.wait()

    return listen


Listen = Callable[[str], AbstractAsyncContextManager]


@pytest.mark.parametrize("scheme", ["ws", "unix"])
async def test_over_a_socket_it_is_the_same(listening: Listen, spawner, model, scheme):
    async with listening(scheme) as there:
        async with opened("codex", there, spawner) as session:
            assert session.facts.argv == there.command
            assert (await ask(session, "SAY:hello")).outcome == ("hello", Completed)
            turn = await ask_and_cancel(session, "SLOW", lambda turn: turn.text_began)
            assert turn.end == Cancelled()
            known = session.facts.native_session_id
        again = attrs.evolve(there, resume=known)
        async with opened("codex", again, spawner) as session:
            assert session.facts.continuity == "resumed"
            assert (await ask(session, "SAY:back")).outcome == ("back", Completed)


@pytest.mark.parametrize("stopped", [False, True])
async def test_a_turn_that_outlives_its_connection(listening: Listen, spawner, stopped):
    async with listening("ws") as there:
        async with opened("codex", there, spawner) as session:
            thread = session.facts.native_session_id
            turn = await cut_off(session, "SLOW", "attempt-1", session.kill)
            native = turn.events[0].native_turn_id
        found, text = await record_of(there, spawner, thread, stopped=stopped)
        end = Cancelled() if stopped else Completed()
        assert found == Reconciled(FOUND, end, native)
        assert text.startswith("tick0 ") == (not stopped)
        if not stopped:
            assert text.split()[-1] == "tick59"


async def test_a_killed_daemon_follows_the_turn_to_its_end(
    listening: Listen, make_daemon: MakeDaemon, model
):
    def kill_and_go_on(address: str) -> None:
        daemon = make_daemon({"codex": {"driver": "codex", "command": address, "cwd": "."}})
        daemon.start()
        with daemon.stream() as events:
            turn_id = daemon.send("SLOW marker-killed", "agent:codex")["turns"][0]["turnId"]
            events.until(of_turn(turn_id, "turn.content.delta"), "its first words")
            daemon.kill()
        daemon.start()
        with daemon.stream() as events:
            end = events.until(of_turn(turn_id, *TERMINAL), "its end")
        assert end["type"] == "turn.completed"
        [answer] = [e for e in daemon.history() if e["eventId"] == end["body"]["responseEventId"]]
        assert answer["body"]["content"].split() == [f"tick{number}" for number in range(60)]
        [attempt] = daemon.get(f"/api/turns/{turn_id}")["attempts"]
        assert attempt["reconciliation"] == "matched_terminal"
        daemon.terminate()

    async with listening("ws") as there:
        await trio.to_thread.run_sync(kill_and_go_on, there.command[0])
        assert len(model.prompts_with("marker-killed", "responses")) == 1
