"""collect: what the turns of an earlier message gave."""

from pydantic import Field

from groupx.actors.messages import Read, Write
from groupx.domain.completion import ClaimInline
from groupx.mcp.answers import answers
from groupx.mcp.calling import turn_of
from groupx.mcp.ends import Ends
from groupx.mcp.inline import let_go
from groupx.mcp.patience import AT_MOST, Patient, Waiting
from groupx.mcp.tool import Answer, Call, Tool
from groupx.store.queries.called_turns import CalledTurn
from groupx.store.queries.chain_actors import chain_actors
from groupx.store.transactions.completion import claim_inline


class Collect(Patient):
    """Which message, and how long the call may stay."""

    message_event_id: str = Field(description="As `ask` or `send` answered it.")


async def _collect(call: Call, given: Collect) -> Answer:
    turn = await turn_of(call)
    waiting = Waiting(
        call=call,
        by_turn_id=turn.turn_id,
        room_id=turn.room_id,
        message_event_id=given.message_event_id,
        ends=Ends(call.room.hub, turn.room_id),
    )
    turns = await waiting.look()
    waits_for_us = await call.room.store.ask(Read(chain_actors, turn.turn_id))

    def can_end(child: CalledTurn) -> bool:
        return child.target not in waits_for_us

    still_open = {child.turn_id for child in turns}
    try:
        claimed = ClaimInline(child_turn_ids=tuple(still_open), by_turn_id=turn.turn_id)
        await call.room.store.ask(Write(claim_inline, claimed))
        turns = await waiting.until_ended(given.seconds(call.room.timeouts.ask), can_end)
        still_open -= {child.turn_id for child in turns if child.ended}
    finally:
        await let_go(call, turn.turn_id, still_open)
    return answers(given.message_event_id, await waiting.look())


COLLECT = Tool(
    name="collect",
    description=f"Wait, up to {AT_MOST}, for the turns of a message that you sent, and get what "
    "they gave: exactly those turns, whatever else is said meanwhile. Nothing is sent. Those "
    "that are still pending can be collected again.",
    arguments=Collect,
    run=_collect,
)
