"""The packets of one lane's turns, asked of the context engine; what a turn comes to without."""

import trio

from groupx.actors.in_vain import IN_A_ROW, PAUSE_SECONDS, InVain
from groupx.actors.lane import Lane
from groupx.actors.mailbox import ActorCrashed, ActorRef, Bell
from groupx.actors.messages import BuildPacket, ToContext
from groupx.actors.racing import unless
from groupx.actors.session_keeper import OpenSession
from groupx.actors.turn_voice import TurnVoice
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ledger import LaneHead
from groupx.domain.outcomes import Cause
from groupx.domain.packet import Packet


class TurnPackets:
    """Made for one incarnation of an agent."""

    def __init__(self, context: ActorRef[ToContext], lane: Lane, bell: Bell) -> None:
        """`bell`: rings when the lane has changed."""
        self._context = context
        self._lane = lane
        self._bell = bell
        self._unbuilt = InVain()

    async def for_next(
        self, turn: LaneHead, session: OpenSession, voice: TurnVoice
    ) -> Packet | None:
        """The prompt of the lane's next turn; None when it cannot be sent now, has failed for good,
        or is the next no more: what a packet takes, a compaction of the room too, is not done for
        a turn that is over."""

        async def passed_over() -> None:
            head: LaneHead | None = turn
            while head == turn:
                await self._bell.wait()
                head = await self._lane.head()

        return await unless(passed_over, lambda: self._packet(turn, session, voice))

    async def _packet(
        self, turn: LaneHead, session: OpenSession, voice: TurnVoice
    ) -> Packet | None:
        voice.phase("preparing")
        request = BuildPacket(
            turn_id=turn.turn_id, native_session_id=session.native.facts.native_session_id
        )
        try:
            return await self._context.ask(request)
        except ActorCrashed:
            await trio.sleep(PAUSE_SECONDS)
        except GroupXError as error:
            await self._not_built(turn, error)
        except Exception as error:
            await self._lane.refuse(
                turn,
                Cause.PACKET_IMPOSSIBLE,
                f"GroupX could not put this turn's context together ({error!r}); nothing was "
                "sent. This is a defect of GroupX: report it, then try another message.",
                code=str(ErrorCode.INTERNAL_ERROR),
            )
        return None

    async def _not_built(self, turn: LaneHead, error: GroupXError) -> None:
        """A store that is unwell is waited for, and says so by itself; every other fault is this
        turn's own after a few tries."""
        if error.code is ErrorCode.CONTEXT_BUDGET_EXCEEDED:
            await self._lane.refuse(turn, Cause.PACKET_IMPOSSIBLE, error.message)
        elif (
            error.code is not ErrorCode.STORE_UNAVAILABLE
            and self._unbuilt.again(turn.turn_id) >= IN_A_ROW
        ):
            await self._lane.refuse(
                turn,
                Cause.PACKET_IMPOSSIBLE,
                f"This turn's context could not be put together in {IN_A_ROW} tries; it was never "
                f"sent. {error.message}",
                code=str(error.code),
            )
        else:
            await trio.sleep(PAUSE_SECONDS)
