"""An export in the form that was asked for."""

from collections.abc import Callable, Mapping

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.exchange.formats import JSONL
from groupx.store.exchange.html import HtmlFace
from groupx.store.exchange.jsonl import jsonl_export
from groupx.store.exchange.markdown import MarkdownFace
from groupx.store.exchange.reading import Export
from groupx.store.exchange.transcript import Face, transcript_export

_FACES: Mapping[str, Callable[[], Face]] = {"markdown": MarkdownFace, "html": HtmlFace}
"""How a transcript looks, by its form."""


@attrs.frozen(kw_only=True)
class ExportRequest:
    """What is to be exported."""

    form: str = JSONL
    room_id: str | None = None
    """Of a transcript; None is the active room. A JSONL export always holds every room."""
    reasoning: bool = False
    """Whether a transcript shows it; a JSONL export always holds it."""


def export_of(request: ExportRequest) -> Export:
    """The export, not begun. INVALID_ENVELOPE for one room as JSONL."""
    if request.form != JSONL:
        face = _FACES[request.form]()
        return transcript_export(face, room_id=request.room_id, reasoning=request.reasoning)
    if request.room_id is not None:
        raise GroupXError(
            ErrorCode.INVALID_ENVELOPE,
            "A JSONL export holds every room, so that it can be imported; nothing was exported. "
            "Leave the room out, or export it as markdown or html.",
            field="room",
        )
    return jsonl_export()
