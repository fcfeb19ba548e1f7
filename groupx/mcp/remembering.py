"""What the tools for memories and identities share: what is given, kept, and told of it."""

from collections.abc import Sequence
from typing import Any

import orjson
from pydantic import Field

from groupx.actors.messages import Remember, Supersede
from groupx.domain.ids import ActorId
from groupx.domain.memory import (
    MAX_RECORD_CHARACTERS,
    AnyRecord,
    Family,
    GivenKind,
    Layer,
)
from groupx.domain.memory_commands import Draft
from groupx.domain.wire import to_wire
from groupx.mcp.bounds import CONTENT_BYTES, fitting
from groupx.mcp.targets import wire_names
from groupx.mcp.tool import Answer, Arguments, Call
from groupx.store.queries.calling_turn import CallingTurn

MAX_SHOWN = 50
DEADLINE_MS = 250
DEFAULT_KIND: GivenKind = "note"


class ToKeep(Arguments):
    """What every record has."""

    content: str = Field(
        description=f"What is kept, as Markdown; at most {MAX_RECORD_CHARACTERS} characters."
    )
    kind: GivenKind | None = Field(
        None, description="What sort of statement it is; if left out, a note, or as it was before."
    )
    source_event_id: str | None = Field(
        None, description="The event it comes from; if left out, what your turn answers."
    )
    supersedes: str | None = Field(
        None,
        description="The id of an active record that you wrote, in the same scope and about the "
        "same: this one takes its place.",
    )
    client_command_id: str | None = Field(
        None, description="The same id again does it only once and answers the same."
    )


def actor_named(name: str) -> ActorId:
    """`agent:<id>` for `<id>`; full names as they are."""
    return ActorId(wire_names((name,))[0])


async def keep(
    call: Call, turn: CallingTurn, given: ToKeep, draft: Draft, *, family: Family, layer: Layer
) -> Answer:
    """Remember `draft`, or let it take the place of the record that `given` names."""
    binding: dict[str, Any] = {
        "client_command_id": given.client_command_id,
        "binding_id": call.caller.binding_id,
        "actor_id": call.caller.actor_id,
        "parent_turn_id": turn.turn_id,
    }
    if given.supersedes is None:
        recorded = await call.room.broker.ask(Remember(draft=draft, **binding))
    else:
        recorded = await call.room.broker.ask(
            Supersede(
                family=family,
                record_id=given.supersedes,
                layer=layer,
                new_kind=given.kind,
                content=given.content,
                source_event_id=given.source_event_id,
                **binding,
            )
        )
    return to_wire(recorded)


def told(records: Sequence[AnyRecord], next_before: str | None, name: str) -> Answer:
    """As many as fit, and under which id (of the field `name`) the next page begins."""
    shown: list[dict[str, Any]] = []
    size = 0
    for record in records:
        one = to_wire(record)
        content = fitting(record.content, CONTENT_BYTES // 2)
        if content != record.content:  # of a database of an older program
            one |= {"content": content, "truncated": {"characters": len(record.content)}}
        size += len(orjson.dumps(one))
        if shown and size > CONTENT_BYTES:
            next_before = shown[-1][name]
            break
        shown.append(one)
    return (
        {"records": shown} if next_before is None else {"records": shown, "nextBefore": next_before}
    )
