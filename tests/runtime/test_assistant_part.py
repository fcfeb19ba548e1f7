"""The assistant as a part: a crash is told, too many switch it off, and the rest goes on."""

from functools import partial
from types import SimpleNamespace
from typing import Any

import attrs
import pytest
import trio
import trio.testing

from groupx.actors.assistant_board import AssistantState
from groupx.actors.session_keeper import SessionPorts
from groupx.domain.config import AssistantConfig, BrainConfig, Config
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import Timeouts
from groupx.runtime_assistant import NAME, AssistantPart
from groupx.supervisor.tree import ChildContext, ChildSpec, ChildState, Supervisor

CONFIG = Config(
    path="/groupx.json",
    agents=(),
    assistant=AssistantConfig(enabled=True, name="Ann", brain=BrainConfig(driver="demo", cwd="/")),
)


def part(config: Config = CONFIG) -> AssistantPart:
    nothing: Any = None
    sessions = None
    if config.enabled_assistant is not None:
        fields: dict[str, Any] = {field.name: nothing for field in attrs.fields(SessionPorts)}
        sessions = SessionPorts(**(fields | {"timeouts": Timeouts()}))
    return AssistantPart(
        config, store=nothing, sessions=sessions, now_ms=lambda: 1, on_change=lambda: None
    )


async def test_after_too_many_crashes_it_is_off_and_says_why(autojump_clock) -> None:
    it = part()
    runs: list[float] = []

    async def crashes(_: trio.Event) -> None:
        it.board.change(state=AssistantState.OFF)
        runs.append(trio.current_time())
        raise ZeroDivisionError("our bug")

    it.actor = SimpleNamespace(run=crashes)  # type: ignore[assignment]
    said: list[str] = []
    states: dict[str, ChildState] = {}

    def on_change(status: Any) -> None:
        states[status.name] = status.state
        if status.name == NAME:
            it.changed(status)
            said.append(it.board.view.last_error.message if it.board.view.last_error else "")

    async def neighbour(context: ChildContext) -> None:
        context.ready()
        await context.stopping.wait()

    tree = Supervisor(
        (ChildSpec(name=NAME, run=it.run), ChildSpec(name="door", run=neighbour)),
        random=lambda: 0.5,
        on_change=on_change,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tree.run)
        await trio.sleep(300)
        assert states == {NAME: ChildState.FAILED, "door": ChildState.RUNNING}
        tree.stop()
    assert len(runs) == 6
    assert any("What it had not answered is not sent again by itself" in text for text in said)
    assert "failed too often (ZeroDivisionError: our bug)" in said[-1]
    with pytest.raises(GroupXError) as error:
        it.board.must_be_on()
    assert error.value.code is ErrorCode.SESSION_NOT_AVAILABLE
    assert "The room goes on without it." in error.value.message


@pytest.mark.parametrize("assistant", [None, attrs.evolve(CONFIG.assistant, enabled=False)])
async def test_without_an_enabled_one_nothing_is_started(autojump_clock, assistant) -> None:
    it = part(attrs.evolve(CONFIG, assistant=assistant))
    assert (it.actor, it.board.view.enabled) == (None, False)
    context = ChildContext(NAME, lambda: None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(it.run, context))
        await trio.testing.wait_all_tasks_blocked()
        assert context.is_ready
        context.stopping.set()
