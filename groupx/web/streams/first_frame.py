"""What a WebSocket client may say, read strictly."""

import json
from typing import Any, cast

import attrs

from groupx.domain.ids import RoomId
from groupx.web.errors import invalid
from groupx.web.requests import MAX_ID_CHARACTERS, MAX_SEQ, once

MAX_FRAME_CHARACTERS = 4096


@attrs.frozen(kw_only=True)
class Subscribe:
    """`{"subscribe": {"roomId", "afterSeq"?, "render"?}}`; no afterSeq = live from now."""

    room_id: RoomId
    after_seq: int | None
    render: bool
    """Whether messages come with their HTML (`"render": "html"`)."""


def read_subscribe(data: str | bytes) -> Subscribe:
    """The first frame of a client. Raises INVALID_ENVELOPE."""
    inner = _only_field(data, "subscribe")
    if not isinstance(inner, dict):
        raise invalid("'subscribe' must be an object.", field="subscribe")
    fields = cast("dict[str, Any]", inner)
    if unknown := sorted(set(fields) - {"roomId", "afterSeq", "render"}):
        raise invalid("'subscribe' has only 'roomId', 'afterSeq' and 'render'.", fields=unknown[:8])
    room_id, after_seq = fields.get("roomId"), fields.get("afterSeq")
    render = fields.get("render")
    if not isinstance(room_id, str) or not 0 < len(room_id) <= MAX_ID_CHARACTERS:
        raise invalid("'roomId' must name a room.", field="roomId")
    if after_seq is not None and (type(after_seq) is not int or not 0 <= after_seq <= MAX_SEQ):
        raise invalid("'afterSeq' must be the number of an event.", field="afterSeq")
    if render not in (None, "html"):
        raise invalid("'render' must be 'html'.", field="render")
    return Subscribe(room_id=RoomId(room_id), after_seq=after_seq, render=render is not None)


def read_ping(data: str | bytes) -> int | None:
    """The number of a `{"ping": n}`; None for a `{"pong": n}`. Raises INVALID_ENVELOPE."""
    fields = _object(data)
    name, number = next(iter(fields.items())) if len(fields) == 1 else ("", None)
    if name not in ("ping", "pong") or type(number) is not int:
        raise invalid('Here a client says {"ping": n} or {"pong": n}, nothing else.')
    return number if name == "ping" else None


def _only_field(data: str | bytes, name: str) -> Any:
    fields = _object(data)
    if list(fields) != [name]:
        raise invalid(f"This frame must be an object with the field '{name}' alone.")
    return fields[name]


def _object(data: str | bytes) -> dict[str, Any]:
    if not isinstance(data, str) or len(data) > MAX_FRAME_CHARACTERS:
        raise invalid("A frame must be JSON text of at most 4096 characters.")
    try:
        value = json.loads(data, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise invalid("A frame must be JSON.") from None
    if not isinstance(value, dict):
        raise invalid("A frame must be a JSON object.")
    return cast("dict[str, Any]", value)
