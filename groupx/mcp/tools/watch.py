"""watch: how a worker's turn goes, at its next milestone or at its end."""

from typing import Any

from pydantic import Field

from groupx.actors.messages import Observe
from groupx.actors.watching import watch
from groupx.domain.watching import MAX_OBSERVED, Until, Watched, WatchQuery
from groupx.domain.wire import to_wire
from groupx.mcp.calling import turn_of
from groupx.mcp.liveness import heard_of
from groupx.mcp.patience import AT_MOST, Patient
from groupx.mcp.tool import Answer, Call, Tool


class Watch(Patient):
    """Which worker's turn, from where on, and for how long."""

    subject_turn_id: str | None = Field(
        None, description="A worker's turn of your pair; may be left out while only one is open."
    )
    after_seq: int | None = Field(
        None,
        ge=0,
        description="The nextAfterSeq of your last watch; what happened since then is answered at "
        "once. If left out, only what happens from now on.",
    )
    until: Until = Field(description="What is waited for.")


async def _watch(call: Call, given: Watch) -> Answer:
    turn, room = await turn_of(call), call.room
    query = WatchQuery(
        watch_turn_id=turn.turn_id,
        actor_id=call.caller.actor_id,
        subject_turn_id=given.subject_turn_id,
        after_seq=given.after_seq,
    )
    seconds = given.seconds(room.timeouts.watch)

    async def look() -> Watched:
        return await watch(room.store, room.hub, query, given.until, seconds)

    looked = await heard_of(call, lambda: "watching", look)
    observed = await room.broker.ask(
        Observe(
            binding_id=call.caller.binding_id,
            actor_id=call.caller.actor_id,
            parent_turn_id=turn.turn_id,
            until=given.until,
            timed_out=looked.timed_out,
            snapshot=looked.snapshot,
        )
    )
    answer: dict[str, Any] = to_wire(looked)
    return {**answer, "nextAfterSeq": looked.snapshot.last_seq, **to_wire(observed)}


WATCH = Tool(
    name="watch",
    description=f"In an observer's watch turn: wait, up to {AT_MOST}, for the next milestone or "
    "the end of a worker's turn, and see how the turn stands. Milestones are: it started, a tool "
    "was opened or closed, the worker said something in the room, somebody steered it, it was "
    "cancelled, it ended. Of tools the name and status are shown; reasoning, arguments and results "
    f"are not. The first {MAX_OBSERVED} answers of a watch turn are kept in the room's history; "
    "later ones say limitReached.",
    arguments=Watch,
    run=_watch,
)
