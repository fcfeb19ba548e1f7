"""Dated memory as a part: a crash is told, too many switch it off, and the rest goes on."""

from typing import Any

import trio

from groupx.runtime_rollups import NAME, RollupsPart
from groupx.supervisor.endless import until_stopping
from groupx.supervisor.tree import ChildContext, ChildSpec, ChildState, Supervisor


class Broken:
    """What the part is given; asking its store fails as no store should."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.heals = False
        self.ref: Any = self
        self.completed: Any = None

    async def ask(self, _: Any) -> None:
        self.asked.append(trio.current_time())
        if self.heals:
            await trio.sleep_forever()
        raise ZeroDivisionError("our bug")


async def run(broken: Broken, seconds: float) -> tuple[RollupsPart, dict[str, ChildState]]:
    nothing: Any = None
    store: Any = broken
    part = RollupsPart(store, nothing, nothing, now_ms=lambda: 1, local_date=lambda: "2026-02-02")
    states: dict[str, ChildState] = {}

    def on_change(status: Any) -> None:
        states[status.name] = status.state
        if status.name == NAME:
            part.changed(status)

    async def neighbour(context: ChildContext) -> None:
        context.ready()
        await context.stopping.wait()

    tree = Supervisor(
        (
            ChildSpec(name=NAME, run=until_stopping(lambda: part.actor.run)),
            ChildSpec(name="door", run=neighbour),
        ),
        random=lambda: 0.5,
        on_change=on_change,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tree.run)
        await trio.sleep(seconds)
        seen = dict(states)
        health = part.health
        tree.stop()
    part.health = health
    return part, seen


async def test_after_too_many_crashes_it_is_off_and_says_why(autojump_clock) -> None:
    broken = Broken()
    part, states = await run(broken, 300)
    assert states == {NAME: ChildState.FAILED, "door": ChildState.RUNNING}
    assert len(broken.asked) == 6
    assert part.health.state == "off"
    assert "our bug" in (part.health.fault or "")
    assert "The room goes on" in (part.health.fault or "")


async def test_one_crash_is_told_and_mended(autojump_clock) -> None:
    broken = Broken()
    part, _ = await run(broken, 0.1)
    assert (part.health.state, len(broken.asked)) == ("restarting", 1)
    broken.heals = True
    part, _ = await run(broken, 60)
    assert part.health.state == "ok"
