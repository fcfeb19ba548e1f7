"""Whether an installed program would start and is logged in, without a turn of its model."""

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs
import trio

from groupx.adapters.contract import Adapter, SessionProfile
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.process.spawner import Spawner
from groupx.setup.offers import offer_of

if TYPE_CHECKING:
    from groupx.capabilities.checkup import Checkup

AT_ONCE = 2
KEPT_SECONDS = 5.0
"""How long an answer is good: several tabs ask at once."""


@attrs.define
class _Last:
    """The last answer of one driver, and who asks for it now."""

    asking: trio.Lock = attrs.field(factory=trio.Lock)
    answer: "Checkup | None" = None
    good_until: float = float("-inf")


class Checks:
    """Starts a driver's usual program as GroupX would start it, greets it and closes it.

    Its environment is that of GroupX: what an agent's `env` adds is not in it.
    """

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
        self._room = trio.CapacityLimiter(AT_ONCE)
        self._last = {name: _Last() for name in adapters if offer_of(name).command}

    async def check(self, driver: str) -> "Checkup":
        """What was found. NOT_FOUND for a driver that has no program of its own."""
        last = self._last.get(driver)
        if last is None:
            raise GroupXError(
                ErrorCode.NOT_FOUND,
                f"'{driver}' names no program that could be looked at; nothing was started.",
            )
        async with last.asking:
            if last.answer is None or self._clock() >= last.good_until:
                async with self._room:
                    last.answer = await self._look(driver)
                last.good_until = self._clock() + KEPT_SECONDS
            return last.answer

    async def _look(self, driver: str) -> "Checkup":
        # Loaded when somebody asks: a room starts without.
        from groupx.capabilities.checkup import Patient, check_up  # noqa: PLC0415
        from groupx.capabilities.redaction import Redactor, secrets_in  # noqa: PLC0415

        profile = SessionProfile(
            agent_id=driver, command=offer_of(driver).command, cwd=os.getcwd(), run_dir=""
        )
        patient = Patient(adapter=self._adapters[driver], profile=profile)
        return await check_up(patient, self._spawner, Redactor(secrets_in(os.environ)))
