"""Event rows ↔ what is sent: the same bytes that were sent when the event was new."""

import json
from collections.abc import Mapping
from typing import Any, cast

import orjson

from groupx.domain.commits import Frame
from groupx.domain.text import without_surrogates

COLUMNS = """
  e.seq, e.event_id, e.schema_version, e.room_id, e.event_type, e.actor_id, e.actor_kind,
  e.actor_display_name, e.instance_id, e.targets_json, e.reply_to_event_id, e.causation_id,
  e.correlation_id, e.idempotency_key, e.occurred_at, e.body_json, e.provenance_json,
  e.root_correlation_id, e.parent_turn_id, e.hop_count, e.forwarded_event_id
"""
"""What `frame` takes, of `events e`, in its order."""


def readable(body: str) -> str:
    """SQL: the body in the column `body` with each NUL as U+FFFD.

    SQLite's text functions end at a NUL; its JSON escape is found between doubled backslashes.
    """
    pairs_apart = f"replace({body}, '\\\\', char(1))"
    shown = f"replace({pairs_apart}, '\\u0000', '\\ufffd')"
    return f"iif(instr({body}, '\\u0000'), replace({shown}, char(1), '\\\\'), {body})"


def frame(row: tuple[Any, ...]) -> Frame:
    """One stored event as everyone gets it."""
    (
        seq, event_id, schema, room_id, event_type, actor_id, kind, name, instance_id, targets,
        reply_to, causation_id, correlation_id, key, occurred_at, body, provenance,
        root_id, parent_turn_id, hop_count, forwarded,
    ) = row  # fmt: skip
    actor = {"actorId": actor_id, "kind": kind}
    if instance_id is not None:
        actor["instanceId"] = instance_id
    actor["displayName"] = name
    out: dict[str, Any] = {
        "schema": schema,
        "eventId": event_id,
        "seq": seq,
        "roomId": room_id,
        "type": event_type,
        "actor": actor,
        "to": _fragment(targets),
    }
    _put(out, "replyToEventId", reply_to)
    _put(out, "forwardedEventId", forwarded)
    _put(out, "causationId", causation_id)
    out["correlationId"] = correlation_id
    out["rootCorrelationId"] = root_id or correlation_id
    _put(out, "parentTurnId", parent_turn_id)
    _put(out, "hopCount", hop_count)
    _put(out, "idempotencyKey", key)
    out["occurredAt"] = occurred_at
    out["durability"] = "durable"
    out["body"] = _fragment(body)
    if provenance is not None:
        out["provenance"] = _fragment(provenance)
    return Frame(seq, room_id, event_type, orjson.dumps(out))


def load_json(text: str) -> Any:
    """A stored JSON value; a lone surrogate of an older ledger becomes U+FFFD."""
    if "\\ud" not in text and "\\uD" not in text:
        return orjson.loads(text)
    return _clean(json.loads(text))


def content_of(body: Mapping[str, Any]) -> str:
    """The words of a message's body; empty when it has none."""
    content = body.get("content")
    return content if isinstance(content, str) else ""


def _fragment(text: str) -> orjson.Fragment:
    if "\\ud" in text or "\\uD" in text:
        return orjson.Fragment(orjson.dumps(load_json(text)))
    return orjson.Fragment(text)


def _put(out: dict[str, Any], name: str, value: Any) -> None:
    if value is not None:
        out[name] = value


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_clean(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        return {without_surrogates(key): _clean(item) for key, item in items.items()}
    return value
