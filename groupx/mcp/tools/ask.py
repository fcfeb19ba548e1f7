"""ask: send, and stay for the answers as long as the targets are free to give them."""

from pydantic import Field

from groupx.actors.messages import MemberSend
from groupx.domain.wire import to_wire
from groupx.mcp.answers import answers
from groupx.mcp.calling import turn_of
from groupx.mcp.ends import Ends
from groupx.mcp.patience import Waiting
from groupx.mcp.supervising import supervision_of
from groupx.mcp.targets import wire_names
from groupx.mcp.tool import Answer, Call, Tool
from groupx.mcp.tools.send import Send
from groupx.store.queries.called_turns import CalledTurn

MAX_MS = 50_000
_ALSO_TOLD = ("correlationId", "watchTurns", "watchEventId", "pairEventId")


class Ask(Send):
    """What is asked, of whom, and how long the call may stay."""

    timeout_ms: int = Field(
        MAX_MS, ge=0, le=MAX_MS, description="How long to wait, in milliseconds."
    )
    cancel_on_timeout: bool = Field(
        False, description="Whether turns that have not ended by then are cancelled."
    )


async def _ask(call: Call, given: Ask) -> Answer:
    turn = await turn_of(call)
    ends = Ends(call.room.hub, turn.room_id)
    accepted = await call.room.broker.ask(
        MemberSend(
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
    )
    busy = {
        place.turn_id for place in accepted.turns if place.active_turn_id or place.queue_position
    }
    waiting = Waiting(
        call=call,
        by_turn_id=turn.turn_id,
        room_id=turn.room_id,
        message_event_id=accepted.message_event_id,
        ends=ends,
    )

    def is_free(child: CalledTurn) -> bool:
        return child.turn_id not in busy

    still_open = {place.turn_id for place in accepted.turns}
    try:
        turns = await waiting.look()
        patience = min(given.timeout_ms, call.room.timeouts.ask) / 1000
        turns = await waiting.until_ended(patience, turns, is_free)
        still_open -= {turn.turn_id for turn in turns if turn.ended}
        if given.cancel_on_timeout:
            for late in turns:
                if is_free(late) and not late.ended:
                    await waiting.cancel(late.turn_id)
    finally:
        await waiting.let_go(still_open)
    told = to_wire(accepted)
    also = {name: told[name] for name in _ALSO_TOLD if name in told}
    return {**answers(accepted.message_event_id, turns), **also}


ASK = Tool(
    name="ask",
    description="Send a message to agents and wait for their answers, up to 50 seconds. A target "
    "that is busy, and one that has not answered in time, is reported as pending: its turn goes "
    "on, and `collect` gives the answer later. An agent that waits for you cannot be asked.",
    arguments=Ask,
    run=_ask,
)
