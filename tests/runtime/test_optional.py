"""Optional parts: a crash is told, too many switch one off in its own words, the rest goes on."""

from typing import Any

import pytest
import trio

from groupx.runtime_optional import ROLLUPS, SEARCH, OptionalPart, PartWords
from groupx.supervisor.endless import until_stopping
from groupx.supervisor.tree import ChildContext, ChildSpec, ChildState, Supervisor

ON_PARTS = pytest.mark.parametrize(
    ("words", "fault"),
    [
        (
            ROLLUPS,
            "GroupX's own part for the agents' dated memories failed too often (ZeroDivisionError: "
            "our bug), so that none are made until GroupX is restarted. The room goes on, and what "
            "would be remembered waits.",
        ),
        (
            SEARCH,
            "GroupX's own part that indexes older text failed too often (ZeroDivisionError: our "
            "bug), so that a search does not find all of it until GroupX is restarted. The room "
            "goes on, and what is said from now on is found.",
        ),
    ],
    ids=["rollups", "search"],
)


class Broken:
    """What runs fails until it is healed."""

    def __init__(self) -> None:
        self.runs = 0
        self.heals = False

    async def run(self) -> None:
        self.runs += 1
        if self.heals:
            await trio.sleep_forever()
        raise ZeroDivisionError("our bug")


class Tree:
    """The part beside a neighbour; how it stood after each of some times."""

    def __init__(self, words: PartWords, broken: Broken) -> None:
        self.part = OptionalPart(words, broken.run)
        self.states: dict[str, ChildState] = {}
        self._name = words.name
        self.supervisor = Supervisor(
            (
                ChildSpec(name=words.name, run=until_stopping(lambda: self.part.run)),
                ChildSpec(name="door", run=self._neighbour),
            ),
            random=lambda: 0.5,
            on_change=self._on_change,
        )

    def _on_change(self, status: Any) -> None:
        self.states[status.name] = status.state
        if status.name == self._name:
            self.part.changed(status)

    async def _neighbour(self, context: ChildContext) -> None:
        context.ready()
        await context.stopping.wait()


@ON_PARTS
async def test_after_too_many_crashes_it_is_off_and_says_why(autojump_clock, words, fault) -> None:
    broken = Broken()
    tree = Tree(words, broken)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tree.supervisor.run)
        await trio.sleep(300)
        assert tree.states == {words.name: ChildState.FAILED, "door": ChildState.RUNNING}
        assert broken.runs == 6
        assert (tree.part.health.state, tree.part.health.fault) == ("off", fault)
        tree.supervisor.stop()


@ON_PARTS
async def test_one_crash_is_told_and_mended(autojump_clock, words, fault) -> None:
    broken = Broken()
    tree = Tree(words, broken)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tree.supervisor.run)
        await trio.sleep(0.1)
        health = tree.part.health
        assert (health.state, broken.runs) == ("restarting", 1)
        assert "our bug" in (health.fault or "")
        assert "Nothing is lost" in (health.fault or "")
        broken.heals = True
        await trio.sleep(60)
        assert (tree.part.health.state, tree.part.health.fault) == ("ok", None)
        tree.supervisor.stop()
