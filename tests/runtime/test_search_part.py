"""The indexer as a part: a crash is told, too many switch it off, and the bell is the indexer's."""

from typing import Any

import trio

from groupx.runtime_search import NAME, SearchPart
from groupx.supervisor.endless import until_stopping
from groupx.supervisor.tree import ChildSpec, Supervisor


class Store:
    """What the part is given: a store that fails until it is healed."""

    def __init__(self) -> None:
        self.asked = 0
        self.heals = False
        self.ref: Any = self

    async def ask(self, _: Any) -> bool:
        self.asked += 1
        if not self.heals:
            raise ZeroDivisionError("our bug")
        return False


async def run(store: Any, seconds: float, ring: bool = False) -> SearchPart:
    part = SearchPart(store)
    tree = Supervisor(
        (ChildSpec(name=NAME, run=until_stopping(lambda: part.actor.run)),),
        random=lambda: 0.5,
        on_change=part.changed,
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tree.run)
        await trio.sleep(seconds)
        if ring:
            part.bell.ring()
            await trio.sleep(seconds)
        health = part.health
        tree.stop()
    part.health = health
    return part


async def test_one_crash_is_told_and_too_many_switch_it_off(autojump_clock) -> None:
    health = (await run(Store(), 0.1)).health
    assert (health.state, "our bug" in (health.fault or "")) == ("restarting", True)
    health = (await run(Store(), 300)).health
    assert health.state == "off"
    assert "The room goes on" in (health.fault or "")


async def test_it_looks_once_and_again_when_the_bell_rings(autojump_clock) -> None:
    store = Store()
    store.heals = True
    part = await run(store, 60, ring=True)
    assert (part.health.state, store.asked) == ("ok", 2)
