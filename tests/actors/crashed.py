"""Rooms as a killed daemon leaves them: turns at each state, and nobody who runs them."""

from typing import Any

from groupx.actors.messages import Read, Write
from groupx.domain.commands import CancelAnswer
from groupx.domain.ids import ActorId
from groupx.domain.ledger import (
    ClaimCommand,
    Claimed,
    InstanceOpened,
    Progress,
    Recovered,
    StartedCommand,
)
from groupx.domain.runs import RecoverQuery
from groupx.store.session_era import session_era
from groupx.store.transactions.bindings import open_instance
from groupx.store.transactions.claim import claim
from groupx.store.transactions.progress import progress
from groupx.store.transactions.recover import recover_all
from groupx.store.transactions.started import started
from tests.actors.fakes import Room

PARTIAL = "half of it"


async def leave(
    room: Room, actor_id: ActorId, *, begun: bool, cancelling: bool, waiting: bool = True
) -> str:
    """A turn whose prompt left, and one that waits behind it; the first one's id."""
    [turn_id] = await room.send(actor_id)
    if waiting:
        await room.send(actor_id, content="the next one")
    name = actor_id.removeprefix("agent:")
    await room.store.ask(
        Write(
            open_instance,
            InstanceOpened(
                instance_id=f"instance_{name}",
                binding_id=f"binding_{name}",
                actor_id=actor_id,
                adapter_id="demo",
                protocol="fake",
                native_session_id=f"thread-{name}",
                continuity="new",
                capabilities={},
            ),
        )
    )
    [(seq,)] = room.rows(
        "SELECT e.seq FROM turns t JOIN events e ON e.event_id = t.source_event_id"
        " WHERE t.turn_id = ?",
        turn_id,
    )
    claimed: Claimed = await room.store.ask(
        Write(
            claim,
            ClaimCommand(
                turn_id=turn_id,
                expected_transport="structured",
                binding_id=f"binding_{name}",
                instance_id=f"instance_{name}",
                era=await room.store.ask(Read(session_era, None)),
                context_through_seq=seq,
            ),
        )
    )
    if begun:
        begin = StartedCommand(attempt_id=claimed.attempt_id, native_turn_id=f"native-{name}")
        await room.store.ask(Write(started, begin))
        await room.store.ask(Write(progress, Progress(turn_id=turn_id, text=PARTIAL)))
    if cancelling:
        answer: CancelAnswer = await room.cancel(turn_id)
        assert answer.status == "cancelling"
    return turn_id


async def next_run(room: Room, *, able: bool = True, **changes: Any) -> Recovered:
    """Phase 1 of the next daemon, before its agents start."""
    fields: dict[str, Any] = {
        "roster": frozenset(room.agents),
        "reconcilable": frozenset({"demo"} if able else ()),
    }
    for program in room.programs.values():
        program.can_reconcile = able
    return await room.store.ask(Write(recover_all, RecoverQuery(**(fields | changes))))
