"""What became of a turn, by the thread's own record."""

import re
from contextlib import suppress

import trio

import groupx
from groupx.adapters.codex.failures import failure_of
from groupx.adapters.codex.opening import introduce
from groupx.adapters.codex.turn import NOTIFICATIONS, TurnReader
from groupx.adapters.codex.usage import Meter
from groupx.adapters.connection import ConnectionLost, NoAnswer
from groupx.adapters.contract import (
    Cancelled,
    Completed,
    EventSink,
    Failed,
    Heartbeat,
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
RUNNING = "inProgress"
NO_THREAD = r"thread not (loaded|found)|no rollout found"
"""How a thread is refused that the program does not know, or that never had a turn."""


async def ask_after(
    attempt: PastAttempt,
    timeouts: Timeouts,
    sink: EventSink,
    program: Duplex,
    *,
    outlives_us: bool,
) -> Reconciled:
    """Find the attempt's turn in its thread, and how it ended.

    `outlives_us`: the program is not of our starting, so it may still be at work on the turn; then
    it is followed. One that was just started runs no turn: its predecessor ended before it could
    write the end down.
    """
    asking = _Asking(program, attempt, timeouts, sink)
    found = Reconciled(Reconciliation.UNAVAILABLE)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(asking.connection.serve)
        with suppress(ConnectionLost, NoAnswer, RpcError, trio.TooSlowError):
            with trio.fail_after(timeouts.handshake / 1000):
                await introduce(asking.connection, our_version=groupx.__version__)
            turn = await asking.find()
            if turn is not None and turn.get("status") == RUNNING and outlives_us:
                turn = await asking.follow(text_of(turn.get("id")))
            found = _judge(turn, sink)
        nursery.cancel_scope.cancel()
    await program.stop(timeouts.close / 1000)
    return found


class _Asking:
    """One connection, for one attempt's turn."""

    def __init__(
        self, program: Duplex, attempt: PastAttempt, timeouts: Timeouts, sink: EventSink
    ) -> None:
        self._attempt = attempt
        self._sink = sink
        self._request = timeouts.request / 1000
        self._cancel = timeouts.cancel / 1000
        self._awaited = ""
        self._ended = trio.Event()
        self.connection = RpcConnection(
            program,
            requests={},
            notifications={
                **dict.fromkeys(NOTIFICATIONS, self._on_sign_of_life),
                "turn/completed": self._on_completed,
            },
        )

    async def find(self) -> Json | None:
        """The turn with its items; None when the thread has no such turn, or there is no such
        thread.

        Raises RpcError for every other refusal, ConnectionLost, NoAnswer.
        """
        params: Json = {
            "threadId": self._attempt.native_session_id,
            "limit": 1,
            "itemsView": "full",
        }
        for _ in range(MAX_TURNS):
            try:
                page = await self._ask("thread/turns/list", params)
            except RpcError as error:
                if re.search(NO_THREAD, error.message):
                    return None
                raise
            for turn in objects_in(page.get("data")):
                if _is_of(turn, self._attempt):
                    return turn
            cursor = page.get("nextCursor")
            if cursor is None:
                return None
            params["cursor"] = cursor
        return None

    async def follow(self, turn_id: str) -> Json | None:
        """The turn, found again once it has ended: by itself, or interrupted when it is to stop."""
        self._awaited = turn_id
        thread: Json = {"threadId": self._attempt.native_session_id}
        await self._ask("thread/resume", {**thread, "excludeTurns": True})
        turn = await self.find()
        if turn is None or turn.get("status") != RUNNING:
            return turn
        self._attempt.goes_on.set()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._end_with_connection)
            nursery.start_soon(self._interrupt_when_asked, {**thread, "turnId": turn_id})
            await self._ended.wait()
            nursery.cancel_scope.cancel()
        return await self.find()

    async def _interrupt_when_asked(self, turn: Json) -> None:
        await self._attempt.stop.wait()
        with suppress(RpcError, NoAnswer, ConnectionLost):  # it has just ended; or not, as we see
            await self._ask("turn/interrupt", turn)
        with trio.move_on_after(self._cancel):
            await self._ended.wait()
        self._ended.set()

    async def _end_with_connection(self) -> None:
        await self.connection.lost.wait()
        self._ended.set()

    async def _ask(self, method: str, params: Json) -> Json:
        return object_of(await self.connection.request(method, params, seconds=self._request))

    def _on_sign_of_life(self, params: Json) -> None:
        if self._awaited and params.get("threadId") == self._attempt.native_session_id:
            self._sink(Heartbeat())

    def _on_completed(self, params: Json) -> None:
        if self._awaited and object_of(params.get("turn")).get("id") == self._awaited:
            self._ended.set()


def _is_of(turn: Json, attempt: PastAttempt) -> bool:
    """By its own id where it was told; else by the attempt's id, which its prompt carries."""
    if attempt.native_turn_id is not None:
        return turn.get("id") == attempt.native_turn_id
    return any(item.get("clientId") == attempt.attempt_id for item in objects_in(turn.get("items")))


def _judge(turn: Json | None, sink: EventSink) -> Reconciled:
    if turn is None:
        return Reconciled(Reconciliation.NOT_FOUND)
    turn_id, status = text_of(turn.get("id")), turn.get("status")
    if status == RUNNING:
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
