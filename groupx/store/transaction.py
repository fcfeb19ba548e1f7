"""What a write function gets: the connection inside a transaction, the time, ids, and `emit`."""

import sqlite3
from collections.abc import Callable
from typing import Any

import attrs
import orjson

from groupx.domain.commits import CommitFacts, Frame
from groupx.domain.envelope import SCHEMA, Envelope, EventActor, EventDraft, actor_kind
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.event_types import is_forbidden
from groupx.domain.ids import ActorId, IdSource
from groupx.domain.limits import MAX_EVENT_BYTES, Limits
from groupx.domain.times import iso_from_ms
from groupx.domain.wire import to_wire
from groupx.store.event_rows import frame
from groupx.store.search_rows import Indexable, index_new

_INSERT_EVENT = """
INSERT INTO events (
  event_id, schema_version, room_id, event_type, actor_id, actor_kind, actor_display_name,
  instance_id, targets_json, reply_to_event_id, causation_id, correlation_id, idempotency_key,
  occurred_at, body_json, provenance_json,
  root_correlation_id, parent_turn_id, hop_count, forwarded_event_id
) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
"""


@attrs.frozen(kw_only=True)
class _Stored:
    """A draft, and what the ledger adds to it."""

    draft: EventDraft
    event_id: str
    name: str
    at: str

    @property
    def _root(self) -> str:
        return self.draft.root_correlation_id or self.draft.correlation_id

    def values(self) -> tuple[Any, ...]:
        """In the order of _INSERT_EVENT."""
        draft = self.draft
        return (
            self.event_id, SCHEMA, draft.room_id, draft.type, draft.actor_id,
            actor_kind(draft.actor_id), self.name, draft.instance_id, _json(draft.to),
            draft.reply_to_event_id, draft.causation_id, draft.correlation_id,
            draft.idempotency_key, self.at, _json(draft.body),
            None if draft.provenance is None else _json(to_wire(draft.provenance)),
            self._root, draft.parent_turn_id, draft.hop_count, draft.forwarded_event_id,
        )  # fmt: skip

    def envelope(self, seq: int) -> Envelope:
        """As everybody will see it."""
        draft = self.draft
        return Envelope(
            event_id=self.event_id,
            seq=seq,
            room_id=draft.room_id,
            type=draft.type,
            actor=EventActor(
                actor_id=draft.actor_id,
                kind=actor_kind(draft.actor_id),
                instance_id=draft.instance_id,
                display_name=self.name,
            ),
            to=draft.to,
            reply_to_event_id=draft.reply_to_event_id,
            forwarded_event_id=draft.forwarded_event_id,
            causation_id=draft.causation_id,
            correlation_id=draft.correlation_id,
            root_correlation_id=self._root,
            parent_turn_id=draft.parent_turn_id,
            hop_count=draft.hop_count,
            idempotency_key=draft.idempotency_key,
            occurred_at=self.at,
            durability="durable",
            body=draft.body,
            provenance=draft.provenance,
        )


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


class Transaction:
    """One write's view of the ledger, inside its own savepoint of a group.

    Everything emitted becomes visible to others only after the group's COMMIT.
    """

    def __init__(
        self,
        conn: sqlite3.Connection,
        ids: IdSource,
        now_ms: Callable[[], int],
        limits: Limits | None = None,
    ) -> None:
        self.conn = conn
        self.ids = ids
        self.limits = limits or Limits()
        """Of this run, for what the ledger itself brings about; a command brings its own."""
        self.now_ms = now_ms()
        self.now = iso_from_ms(self.now_ms)
        self._frames: list[Frame] = []
        self._lanes: set[ActorId] = set()

    def emit(self, draft: EventDraft, *, event_id: str | None = None) -> Envelope:
        """Write one durable event; the envelope as everybody will see it.

        Raises STORE_CONFLICT when the idempotency key is taken, UNKNOWN_ACTOR for an actor
        that was never registered.
        """
        if is_forbidden(draft.type):
            raise ValueError(f"event type {draft.type} may never be stored")
        stored = _Stored(
            draft=draft,
            event_id=event_id or self.ids.new("evt"),
            name=self._display_name(draft.actor_id),
            at=self.now,
        )
        sent = self._insert(stored)
        self._frames.append(sent)
        assert sent.seq is not None, "a stored event has its place"
        index_new(
            self.conn,
            Indexable(
                seq=sent.seq,
                type=draft.type,
                event_id=stored.event_id,
                room_id=draft.room_id,
                actor_id=draft.actor_id,
                at=self.now,
                body=draft.body,
            ),
        )
        return stored.envelope(sent.seq)

    def wake_lane(self, actor_id: ActorId) -> None:
        """After the commit, ring this lane's bell."""
        self._lanes.add(actor_id)

    def facts(self) -> CommitFacts:
        """What this write made true, once it is committed."""
        return CommitFacts(frames=tuple(self._frames), lanes=frozenset(self._lanes))

    def _insert(self, stored: "_Stored") -> Frame:
        key = stored.draft.idempotency_key
        values = stored.values()
        try:
            cursor = self.conn.execute(_INSERT_EVENT, values)
        except sqlite3.IntegrityError as error:
            if key is None or "idempotency_key" not in str(error):
                raise
            raise GroupXError(
                ErrorCode.STORE_CONFLICT,
                f"'{key}' is already in the ledger; nothing was changed.",
            ) from error
        sent = frame((cursor.lastrowid, *values))
        if len(sent.data) > MAX_EVENT_BYTES:
            raise GroupXError(
                ErrorCode.MESSAGE_TOO_LARGE,
                f"An event of {len(sent.data)} bytes is over the bound of {MAX_EVENT_BYTES}; "
                "nothing was stored. Send less at once.",
            )
        return sent

    def _display_name(self, actor_id: ActorId) -> str:
        row = self.conn.execute(
            "SELECT display_name FROM actors WHERE actor_id = ?", (actor_id,)
        ).fetchone()
        if row is None:
            raise GroupXError(
                ErrorCode.UNKNOWN_ACTOR, f"There is no actor '{actor_id}' in this ledger."
            )
        return str(row[0])
