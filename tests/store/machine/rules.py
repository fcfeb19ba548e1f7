"""The machine: whatever people, agents, programs, clocks and power can do, in any order."""

from pathlib import Path

from tests.store.machine.agents import Agents
from tests.store.machine.daemons import Daemons
from tests.store.machine.engines import Engines
from tests.store.machine.memories import Memories
from tests.store.machine.people import People
from tests.store.machine.statistics import Statistics


class Machine(People, Agents, Memories, Engines, Daemons):
    """The store under its own executor."""


def bound(log: Statistics, folder: Path) -> type[Machine]:
    """A machine with counts and a folder of its own."""
    return type("BoundMachine", (Machine,), {"log": log, "folder": folder})
