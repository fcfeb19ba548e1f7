"""Which programs are installed here. They are asked for their version, never for a turn."""

import os
import re
import shutil
from collections.abc import Callable, Mapping

import attrs
import trio

from groupx.adapters.contract import Adapter, ProbeReport, SessionProfile
from groupx.capabilities.pitfalls import node_problem
from groupx.domain.text import excerpt
from groupx.domain.wire import optional
from groupx.process.environment import child_environment
from groupx.process.spawner import Spawner
from groupx.setup.offers import Offer, offer_of

PROBE_SECONDS = 5.0
AT_ONCE = 4
KEPT_SECONDS = 5.0
"""How long an answer is good."""
MAX_CHARACTERS = 400
_OF_ITS_OWN = "demo"
_NO_PROGRAM = "acp"
"""It names no program: whoever adds it does."""


@attrs.frozen(kw_only=True)
class Program:
    """One program that could be an agent."""

    driver: str
    id: str
    """A good id for the first agent of it."""
    name: str
    found: bool
    path: str | None = optional()
    version: str | None = optional()
    problem: str | None = optional()
    """Why it would not work as it is."""
    login_hint: str | None = optional()
    install: str | None = optional()


class Programs:
    """Looks for every driver's program; a few at once, each bounded, and not again for a while."""

    def __init__(
        self,
        adapters: Mapping[str, Adapter],
        spawner: Spawner,
        *,
        clock: Callable[[], float] = trio.current_time,
    ) -> None:
        self._adapters = adapters
        self._spawner = spawner
        self._clock = clock
        self._looking = trio.Lock()
        self._found: tuple[Program, ...] = ()
        self._good_until = float("-inf")

    @property
    def drivers(self) -> tuple[str, ...]:
        """Every driver."""
        return tuple(self._adapters)

    async def found(self) -> tuple[Program, ...]:
        """Every program, in the order of the drivers; the demo agent is last."""
        async with self._looking:
            if self._clock() >= self._good_until:
                self._found = await self._look()
                self._good_until = self._clock() + KEPT_SECONDS
        return self._found

    async def _look(self) -> tuple[Program, ...]:
        found: dict[str, Program] = {}
        room = trio.CapacityLimiter(AT_ONCE)
        drivers = [name for name in self._adapters if name not in (_NO_PROGRAM, _OF_ITS_OWN)]

        async def one(driver: str) -> None:
            async with room:
                found[driver] = await self._one(offer_of(driver))

        async with trio.open_nursery() as nursery:
            for driver in drivers:
                nursery.start_soon(one, driver)
        programs = [found[driver] for driver in drivers]
        if _OF_ITS_OWN in self._adapters:
            programs.append(_program(offer_of(_OF_ITS_OWN), ProbeReport(found=True)))
        return tuple(programs)

    async def _one(self, offer: Offer) -> Program:
        command = offer.command or (offer.driver,)
        path = shutil.which(command[0])
        report = ProbeReport(found=path is not None, path=path)
        if path is not None:
            profile = SessionProfile(
                agent_id=offer.driver, command=command, cwd=os.getcwd(), run_dir=""
            )
            with trio.move_on_after(PROBE_SECONDS):
                report = await self._adapters[offer.driver].probe(profile, self._spawner)
                old = await node_problem(offer.driver, path, self._environment(), self._spawner)
                report = attrs.evolve(report, problem=old or report.problem)
        return _program(offer, report)

    def _environment(self) -> dict[str, str]:
        return child_environment(os.environ, {})


def _program(offer: Offer, report: ProbeReport) -> Program:
    version = report.version
    if version is not None and not re.search(r"\d+\.\d+", version):
        version = None
    return Program(
        driver=offer.driver,
        id=offer.driver,
        name=offer.name,
        found=report.found,
        path=report.path,
        version=version and excerpt(version, MAX_CHARACTERS),
        problem=excerpt(report.problem, MAX_CHARACTERS)
        if report.found and report.problem
        else None,
        login_hint=offer.login_hint,
        install=None if report.found else offer.install,
    )
