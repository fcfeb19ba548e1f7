"""Whatever people, programs and clocks do, in whatever order: the promises hold."""

import tempfile
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from groupx.adapters.contract import (
    AdapterStartError,
    Cancelled,
    Completed,
    ContentDelta,
    Failed,
    Interaction,
    Started,
    ToolUpdate,
)
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from groupx.domain.roster import AgentState
from tests.actors.fakes import FakePrompt, Room, answers, open_room

AGENTS = ("agent:a", "agent:b")
ENDS = {
    "completed": Completed(),
    "cancelled": Cancelled(),
    "failed": Failed(code=ErrorCode.NATIVE_TURN_FAILED, message="no"),
    "broken": Failed(
        code=ErrorCode.PROTOCOL_INVALID_MESSAGE, message="?", evidence=False, session_usable=False
    ),
    "interaction": Interaction(kind="permission", reason="x"),
}

behaviours = st.tuples(
    st.booleans(),  # says something first
    st.floats(0, 400),  # then takes this long
    st.sampled_from([*ENDS, "exit", "crash", "silence"]),
)
actions = st.one_of(
    st.tuples(st.just("send"), st.sampled_from(["@all", *AGENTS])),
    st.tuples(st.just("cancel"), st.integers(0, 9)),
    st.tuples(st.just("force"), st.integers(0, 9)),
    st.tuples(st.sampled_from(["start", "stop", "restart"]), st.sampled_from(AGENTS)),
    st.tuples(st.sampled_from(["paused", "runnable"]), st.sampled_from(AGENTS)),
    st.tuples(st.just("kill"), st.sampled_from(AGENTS)),
    st.tuples(st.just("ill"), st.sampled_from(AGENTS)),
    st.tuples(st.just("wait"), st.floats(0, 500)),
)


def behave(behaviour: tuple[bool, float, str]):
    speaks, seconds, end = behaviour

    async def script(prompt: FakePrompt) -> None:
        if speaks:
            prompt.emit(Started(), ContentDelta("some"))
            prompt.emit(ToolUpdate(phase="started", tool_call_id="t", name="x", status="pending"))
        with trio.move_on_after(seconds):
            await prompt.cancelled.wait()
        if end == "crash":
            raise RuntimeError("a bug")
        if end == "exit":
            prompt.session.exit(1)
        elif end != "silence":
            if end == "broken":
                prompt.session.broken = True
            prompt.finish(ENDS[end])

    return script


async def act(room: Room, turns: list[str], action: tuple[str, object]) -> None:
    kind, what = action
    if kind == "wait":
        await trio.sleep(what)
    elif kind == "send":
        stopped = {entry.actor_id for entry in room.directory.roster() if entry.stopped}
        if what not in stopped and len(stopped) < len(AGENTS):
            turns += await room.send(what)
    elif kind in ("cancel", "force"):
        if turns:
            await room.cancel(turns[what % len(turns)], force=kind == "force")
    elif kind in ("paused", "runnable"):
        await room.set_lane(what, kind)
    elif kind == "kill":
        for session in room.programs[what].sessions[-1:]:
            session.exit(-9)
    elif kind == "ill":
        room.programs[what].start_errors.append(
            AdapterStartError(ErrorCode.ADAPTER_START_FAILED, "not now")
        )
    else:
        await room.control(what, kind)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.lists(behaviours, min_size=1, max_size=6),
    st.lists(actions, min_size=1, max_size=14),
    st.booleans(),
)
def test_the_promises_hold(scripts, steps, confirms_cancel) -> None:
    async def main(folder: Path) -> None:
        turns: list[str] = []
        async with open_room(folder, "a", "b") as room:
            for program in room.programs.values():
                program.confirms_cancel = confirms_cancel
                program.script = lambda prompt, p=program: behave(
                    scripts[len(p.prompts) % len(scripts)]
                )(prompt)
            for step in steps:
                await act(room, turns, step)
            for name in AGENTS:
                room.programs[ActorId(name)].start_errors.clear()
                room.programs[ActorId(name)].script = answers
                await room.set_lane(name, "runnable")
                await room.control(name, "restart")
            await room.ended(*turns)
            await room.until(
                lambda: {view.state for view in room.directory.views()} == {AgentState.IDLE}
            )

    with tempfile.TemporaryDirectory() as folder:
        trio.run(main, Path(folder), clock=MockClock(autojump_threshold=0))
