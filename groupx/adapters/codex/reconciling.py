"""What became of a turn, by the thread's own record."""

import re
from contextlib import suppress

import trio

import groupx
from groupx.adapters.codex.failures import failure_of
from groupx.adapters.codex.opening import introduce
from groupx.adapters.codex.turn import TurnReader
from groupx.adapters.codex.usage import Meter
from groupx.adapters.connection import ConnectionLost, NoAnswer
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    EventSink,
    Failed,
    PastAttempt,
    Reconciled,
)
from groupx.adapters.duplex import Duplex
from groupx.adapters.json_lines import Json, object_of, objects_in, text_of
from groupx.adapters.jsonrpc import RpcConnection, RpcError
from groupx.domain.attempts import Reconciliation
from groupx.domain.limits import Timeouts

MAX_TURNS = 32
"""Newest turns of the thread that are looked at; ours is the last one, or close to it."""
NO_THREAD = r"thread not (loaded|found)|no rollout found"
"""How a thread is refused that the program does not know, or that never had a turn."""


async def ask_after(
    attempt: PastAttempt, timeouts: Timeouts, sink: EventSink, program: Duplex
) -> Reconciled:
    """Find the attempt's turn in its thread, and how it ended."""
    connection = RpcConnection(program, requests={}, notifications={})
    found = Reconciled(Reconciliation.UNAVAILABLE)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.serve)
        with suppress(ConnectionLost, NoAnswer, RpcError, trio.TooSlowError):
            with trio.fail_after(timeouts.handshake / 1000):
                await introduce(connection, our_version=groupx.__version__)
            turn = await _find(connection, attempt, timeouts.request / 1000)
            found = _judge(turn, sink)
        nursery.cancel_scope.cancel()
    await program.stop(timeouts.close / 1000)
    return found


async def _find(connection: RpcConnection, attempt: PastAttempt, seconds: float) -> Json | None:
    """The turn with its items; None when the thread has no such turn, or there is no such thread.

    Raises RpcError for every other refusal, ConnectionLost, NoAnswer.
    """
    params: Json = {"threadId": attempt.native_session_id, "limit": 1, "itemsView": "full"}
    for _ in range(MAX_TURNS):
        try:
            page = object_of(await connection.request("thread/turns/list", params, seconds=seconds))
        except RpcError as error:
            if re.search(NO_THREAD, error.message):
                return None
            raise
        for turn in objects_in(page.get("data")):
            if _is_of(turn, attempt):
                return turn
        cursor = page.get("nextCursor")
        if cursor is None:
            return None
        params["cursor"] = cursor
    return None


def _is_of(turn: Json, attempt: PastAttempt) -> bool:
    """By its own id where it was told; else by the attempt's id, which its prompt carries."""
    if attempt.native_turn_id is not None:
        return turn.get("id") == attempt.native_turn_id
    return any(item.get("clientId") == attempt.attempt_id for item in objects_in(turn.get("items")))


def _judge(turn: Json | None, sink: EventSink) -> Reconciled:
    if turn is None:
        return Reconciled(Reconciliation.NOT_FOUND)
    turn_id, status = text_of(turn.get("id")), turn.get("status")
    if status == "inProgress":
        return Reconciled(Reconciliation.MATCHED_RUNNING, native_turn_id=turn_id)
    end = _end_of(turn)
    if end is None:
        return Reconciled(Reconciliation.UNAVAILABLE)
    reader = TurnReader(sink, Meter())
    reader.begin(turn_id)
    for item in objects_in(turn.get("items")):
        reader.read("item/completed", {"item": item}, turn_id)
    return Reconciled(Reconciliation.MATCHED_TERMINAL, end, turn_id)


def _end_of(turn: Json) -> Completed | Failed | Cancelled | None:
    """None for a status that this version does not know."""
    match turn.get("status"):
        case "completed":
            return Completed()
        case "failed":
            failure = failure_of(object_of(turn.get("error")), {})
            return Failed(code=failure.code, message=failure.message)
        case "interrupted":
            return Cancelled()
        case _:
            return None
