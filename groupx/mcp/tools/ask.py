"""ask: send, and stay for the answers as long as the targets are free to give them."""

from pydantic import Field

from groupx.actors.messages import MemberSend
from groupx.domain.commands import AcceptedMessage
from groupx.domain.wire import to_wire
from groupx.mcp.answers import answers
from groupx.mcp.calling import turn_of
from groupx.mcp.ends import Ends
from groupx.mcp.inline import LAST_WRITE_SECONDS, cancel, let_go
from groupx.mcp.liveness import outlasting
from groupx.mcp.patience import AT_MOST, Patient, Waiting
from groupx.mcp.supervising import supervision_of
from groupx.mcp.targets import wire_names
from groupx.mcp.tool import Answer, Call, Tool
from groupx.mcp.tools.send import Send
from groupx.store.queries.called_turns import CalledTurn
from groupx.store.queries.calling_turn import CallingTurn

_ALSO_TOLD = ("correlationId", "watchTurns", "watchEventId", "pairEventId")


class Ask(Send, Patient):
    """What is asked, of whom, and how long the call may stay."""

    cancel_on_timeout: bool = Field(
        False, description="Whether turns that have not ended by then are cancelled."
    )


async def _ask(call: Call, given: Ask) -> Answer:
    turn = await turn_of(call)
    ends = Ends(call.room.hub, turn.room_id)
    sent: list[AcceptedMessage] = []
    ended: set[str] = set()
    try:
        await outlasting(
            LAST_WRITE_SECONDS,
            lambda: call.room.broker.ask(_message(call, turn, given)),
            sent.append,
        )
        [accepted] = sent
        waiting = Waiting(
            call=call,
            by_turn_id=turn.turn_id,
            room_id=turn.room_id,
            message_event_id=accepted.message_event_id,
            ends=ends,
        )
        ended |= await _stay(waiting, accepted, given)
    finally:
        asked = {place.turn_id for message in sent for place in message.turns}
        await let_go(call, turn.turn_id, asked - ended)
    told = to_wire(accepted)
    also = {name: told[name] for name in _ALSO_TOLD if name in told}
    return {**answers(accepted.message_event_id, await waiting.look()), **also}


def _message(call: Call, turn: CallingTurn, given: Ask) -> MemberSend:
    return MemberSend(
        binding_id=call.caller.binding_id,
        actor_id=call.caller.actor_id,
        parent_turn_id=turn.turn_id,
        client_command_id=given.client_command_id,
        to=wire_names(given.to),
        content=given.content,
        reply_to_event_id=given.reply_to_event_id or turn.source_event_id,
        wake_me=given.wake_me,
        waits=True,
        supervision=supervision_of(given.supervision),
    )


async def _stay(waiting: Waiting, accepted: AcceptedMessage, given: Ask) -> set[str]:
    """Until the targets that were free have answered, or the time is over; what has ended."""
    call = waiting.call
    busy = {
        place.turn_id for place in accepted.turns if place.active_turn_id or place.queue_position
    }

    def is_free(child: CalledTurn) -> bool:
        return child.turn_id not in busy

    turns = await waiting.until_ended(given.seconds(call.room.timeouts.ask), is_free)
    if given.cancel_on_timeout:
        for late in turns:
            if is_free(late) and not late.ended:
                await cancel(call, late.turn_id)
    return {child.turn_id for child in turns if child.ended}


ASK = Tool(
    name="ask",
    description=f"Send a message to agents and wait for their answers, up to {AT_MOST}. A target "
    "that is busy, and one that has not answered in time, is reported as pending: its turn goes "
    "on, and `collect` gives the answer later. An agent that waits for you cannot be asked.",
    arguments=Ask,
    run=_ask,
)
