"""Waiting out of a turn: whoever leaves says so, so that no end is told to nobody."""

from collections.abc import Iterable

import trio

from groupx.actors.messages import CancelTurn, Write
from groupx.domain.completion import ReleaseInline
from groupx.mcp.patience import is_stopped
from groupx.mcp.tool import Call
from groupx.store.transactions.completion import release_inline

LAST_WRITE_SECONDS = 5.0


async def let_go(call: Call, by_turn_id: str, turn_ids: Iterable[str]) -> None:
    """Nobody waits any more: whoever asked to be woken is, and a caller that was cancelled
    cancels what it waited for, as far as that is still possible.

    An end that came before this is the call's own: look once more afterwards, and tell it.
    """
    still_open = tuple(turn_ids)
    if not still_open:
        return
    with trio.move_on_after(LAST_WRITE_SECONDS, shield=True):
        released = ReleaseInline(child_turn_ids=still_open, by_turn_id=by_turn_id)
        await call.room.store.ask(Write(release_inline, released))
        if await is_stopped(call, by_turn_id):
            for turn_id in still_open:
                await cancel(call, turn_id)


async def cancel(call: Call, turn_id: str) -> None:
    """Stop one of the turns, in the caller's name."""
    caller = call.caller
    await call.room.broker.ask(
        CancelTurn(
            client_command_id=f"cancel:{turn_id}",
            binding_id=caller.binding_id,
            actor_id=caller.actor_id,
            turn_id=turn_id,
        )
    )
