"""What must hold between one step and the next: order, once only, never back."""

import sqlite3
from typing import Any

import orjson

from groupx.domain.event_types import DURABLE

RANK = {"prepared": 0, "prompt_invoked": 1, "native_started": 2, "terminal": 3}
CERTAIN = {"not_delivered": 0, "unknown": 1, "delivered": 2}
ENDS = {"turn.completed", "turn.failed", "turn.cancelled", "turn.interrupted"}


BACK = {("queued", "cancelled"), ("cancelled", "queued")}
"""A callback is taken back by who comes for it; one that a limit stopped is let go on."""


class History:
    """Reads what is new after each step and remembers what may not change any more."""

    def __init__(self) -> None:
        self.seq = 0
        self.room: str | None = None
        self.keys: set[tuple[str, str]] = set()
        self.lanes: dict[str, list[str]] = {}
        """Agent → turns that were queued and have not ended, in that order."""
        self.ended: dict[str, str] = {}
        self.began: set[str] = set()
        self.attempts: dict[str, tuple[int, int]] = {}
        self.turns: dict[str, tuple[Any, ...]] = {}
        self.cursors: dict[tuple[str, str], int] = {}
        self.claims: dict[str, str] = {}
        self.sources: dict[str, tuple[Any, ...]] = {}
        """Turns that a memory was made of, or is not to be made of."""

    def observe(self, conn: sqlite3.Connection, room: str) -> None:
        """After a step, after which `room` is the active one."""
        for seq, *event in conn.execute(
            "SELECT seq, room_id, event_type, idempotency_key, body_json FROM events"
            " WHERE seq > ? ORDER BY seq",
            (self.seq,),
        ).fetchall():
            assert seq == self.seq + 1, "a number was left out"
            self.seq = seq
            self._event(*event)
            here = event[0] in (self.room or room, room)
            assert here or _rolled_up(*event), "a room that was left was written to"
        self.room = room
        self._never_back(conn)

    def _event(self, room: str, kind: str, key: str | None, body_json: str) -> None:
        assert kind in DURABLE, kind
        if key is not None:
            assert (room, key) not in self.keys, f"{key} twice"
            self.keys.add((room, key))
        body = orjson.loads(body_json)
        turn = body.get("turnId")
        if kind == "turn.queued":
            self.lanes.setdefault(body["targetActorId"], []).append(turn)
        elif kind == "turn.dispatched":
            assert self.lanes[body["targetActorId"]][0] == turn, "not the first of its lane"
        elif kind == "turn.started":
            assert turn not in self.began
            self.began.add(turn)
        elif kind in ENDS:
            assert turn not in self.ended, f"{turn} ended twice"
            self.ended[turn] = kind
            for lane in self.lanes.values():
                if turn in lane:
                    lane.remove(turn)
        if turn is not None and kind not in ENDS:
            assert turn not in self.ended, f"{kind} after the end"

    def _never_back(self, conn: sqlite3.Connection) -> None:
        for attempt, phase, certainty in conn.execute(
            "SELECT attempt_id, dispatch_phase, delivery_certainty FROM turn_attempts"
        ):
            now, was = (RANK[phase], CERTAIN[certainty]), self.attempts.get(attempt, (0, 0))
            assert now[0] >= was[0], "an attempt went back"
            assert now[1] >= was[1], "certainty fell"
            assert was[0] < 3 or now == was, "a closed attempt changed"
            self.attempts[attempt] = now
        for turn, *row in conn.execute(
            "SELECT turn_id, status, error_code, terminal_event_id, response_event_id, terminal_at"
            " FROM turns WHERE terminal_event_id IS NOT NULL"
        ):
            assert self.turns.setdefault(turn, tuple(row)) == tuple(row), "an end changed"
        for actor, room, seq in conn.execute(
            "SELECT actor_id, room_id, last_delivered_seq FROM delivery_cursors"
        ):
            assert seq >= self.cursors.get((actor, room), 0), "a cursor went back"
            self.cursors[actor, room] = seq
        for turn, *row in conn.execute(
            "SELECT turn_id, processed_at, memory_id, skipped_reason"
            " FROM agent_dated_memory_sources WHERE coalesce(processed_at, skipped_reason) NOT NULL"
        ):
            assert self.sources.setdefault(turn, tuple(row)) == tuple(row), "rolled up twice"
        for child, state in conn.execute("SELECT child_turn_id, state FROM completion_claims"):
            was = self.claims.get(child, "open")
            allowed = was in ("open", state) or (was, state) in BACK
            assert allowed, f"a claim went from {was} to {state}"
            self.claims[child] = state


def _rolled_up(_room: str, kind: str, _key: str | None, body_json: str) -> bool:
    """The memory of a day is made in its room, also after that was left."""
    return kind in ("memory.remembered", "memory.superseded") and (
        orjson.loads(body_json)["record"]["sourceKind"] == "automatic_rollup"
    )
