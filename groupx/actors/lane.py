"""One agent's lane as its actor uses it: what is next, and refusing what cannot be sent."""

from collections.abc import Callable

import attrs

from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToStore, Write
from groupx.actors.steadfast import insist
from groupx.adapters.contract import AdapterStartError
from groupx.domain.attempts import MAX_ATTEMPTS
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.ledger import LaneHead, Recovered, Settlement, TerminalCommand
from groupx.domain.outcomes import Cause
from groupx.domain.runs import RecoverLane
from groupx.domain.text import excerpt
from groupx.store.queries.lane import lane_head, lane_views
from groupx.store.transactions.recover import recover_lane
from groupx.store.transactions.settle import settle
from groupx.store.transactions.terminal import terminal

MAX_MESSAGE_CHARACTERS = 1_000


@attrs.frozen(kw_only=True)
class Lane:
    """The queue itself is the ledger's; this only asks for it and writes refusals."""

    actor_id: ActorId
    transport: str
    store: ActorRef[ToStore]
    local_date: Callable[[], str]

    async def recover(
        self, *, alive: str | None = None, reconcilable: frozenset[str] = frozenset()
    ) -> Recovered:
        """Close what an earlier incarnation, or an unanswered claim, left open; of the instance
        that is `alive` only its attempts. What an adapter in `reconcilable` can ask its program
        about is left open, and returned as undecided."""
        command = RecoverLane(
            actor_id=self.actor_id,
            transport=self.transport,
            reconcilable=reconcilable,
            alive=alive,
        )
        return await insist(self.store, Write(recover_lane, command))

    async def settle(self, settlement: Settlement) -> None:
        """Close an undecided turn by what its program said."""
        await insist(self.store, Write(settle, settlement))

    async def head(self) -> LaneHead | None:
        """The turn to run now, if there is one and it may run.

        Turns that can never run here are refused on the way.
        """
        while True:
            head = await insist(self.store, Read(lane_head, self.actor_id))
            if head is None:
                return None
            if head.transport != self.transport:
                await self.refuse(
                    head,
                    Cause.OTHER_TRANSPORT,
                    f"This turn was accepted for transport '{head.transport}', which this run "
                    "does not use; it was not sent. Retry it to send it now.",
                )
            elif head.attempts >= MAX_ATTEMPTS:
                await self.refuse(
                    head,
                    Cause.START_FAILED,
                    f"This turn could not be handed over in {head.attempts} tries; it was never "
                    "sent. Look at the agent's last error, then retry.",
                )
            else:
                return head

    async def refuse(
        self, turn: LaneHead, cause: Cause, message: str, *, code: str | None = None
    ) -> None:
        """Fail a queued turn that was never sent; a turn that is not queued any more is left."""
        command = TerminalCommand(
            turn_id=turn.turn_id,
            attempt_id=None,
            cause=cause,
            error_code=code,
            message=excerpt(message, MAX_MESSAGE_CHARACTERS),
            local_date=self.local_date(),
        )
        try:
            await insist(self.store, Write(terminal, command))
        except GroupXError as error:
            if error.code is not ErrorCode.STORE_CONFLICT:
                raise

    async def fail_queue(self, error: AdapterStartError) -> None:
        """The program does not start: every turn that waits now fails with that reason."""
        for _ in range(await self._queued()):
            head = await insist(self.store, Read(lane_head, self.actor_id))
            if head is None:
                return
            await self.refuse(
                head,
                Cause.START_FAILED,
                f"The agent could not be started, so this was not sent: {error.message}",
                code=str(error.code),
            )

    async def _queued(self) -> int:
        lanes = await insist(self.store, Read(lane_views, None))
        return next((lane.lane.queued for lane in lanes if lane.actor_id == self.actor_id), 0)
