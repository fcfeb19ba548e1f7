"""Dated memory as a part of the tree: without it the room goes on, and says that it is off."""

import os
from collections.abc import Callable

from groupx.actors.directory import AgentDirectory
from groupx.actors.rollup_scheduler import RollupPorts, RollupSchedulerActor
from groupx.actors.side_sessions import Asks
from groupx.actors.store_writer import StoreWriterActor
from groupx.domain.text import excerpt
from groupx.supervisor.child import ChildState, ChildStatus
from groupx.web.services import RollupsHealth

NAME = "rollups"
"""Of the part."""
MAX_ERROR_CHARACTERS = 500


class RollupsPart:
    """The scheduler, and how it stands."""

    def __init__(
        self,
        store: StoreWriterActor,
        side: Asks,
        directory: AgentDirectory,
        *,
        now_ms: Callable[[], int],
        local_date: Callable[[], str],
    ) -> None:
        self.actor = RollupSchedulerActor(
            RollupPorts(
                store=store.ref,
                side=side,
                directory=directory,
                bell=store.completed,
                entropy=os.urandom,
                now_ms=now_ms,
                local_date=local_date,
            )
        )
        self.health = RollupsHealth()

    def changed(self, status: ChildStatus) -> None:
        """A crash is shown at once; after too many no more memories are made."""
        error = excerpt(status.error or "unknown", MAX_ERROR_CHARACTERS)
        if status.state is ChildState.RUNNING:
            self.health = RollupsHealth()
        elif status.state is ChildState.WAITING:
            self.health = RollupsHealth(
                state="restarting",
                fault=f"GroupX's own part for the agents' dated memories failed ({error}). Nothing "
                "is lost: it is started again.",
            )
        elif status.state is ChildState.FAILED:
            self.health = RollupsHealth(
                state="off",
                fault="GroupX's own part for the agents' dated memories failed too often "
                f"({error}), so that none are made until GroupX is restarted. The room goes on, "
                "and what would be remembered waits.",
            )
