"""The forms of an export, by name."""

from collections.abc import Callable, Mapping

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.exchange.html import HtmlFace
from groupx.store.exchange.jsonl import jsonl_export
from groupx.store.exchange.markdown import MarkdownFace
from groupx.store.exchange.reading import Export
from groupx.store.exchange.transcript import Face, transcript_export

JSONL = "jsonl"


@attrs.frozen(kw_only=True)
class ExportRequest:
    """What is to be exported."""

    form: str = JSONL
    room_id: str | None = None
    """Of a transcript; None is the active room. A JSONL export always holds every room."""
    reasoning: bool = False
    """Whether a transcript shows it; a JSONL export always holds it."""


@attrs.frozen(kw_only=True)
class Form:
    """One of them."""

    content_type: str
    extension: str
    face: Callable[[], Face] | None = None
    """How a transcript looks; None for the one that can be imported."""


FORMS: Mapping[str, Form] = {
    JSONL: Form(content_type="application/x-ndjson", extension="jsonl"),
    "markdown": Form(
        content_type="text/markdown; charset=utf-8", extension="md", face=MarkdownFace
    ),
    "html": Form(content_type="text/html; charset=utf-8", extension="html", face=HtmlFace),
}


def export_of(request: ExportRequest) -> Export:
    """The export, not begun. INVALID_ENVELOPE for one room as JSONL."""
    form = FORMS[request.form]
    if form.face is not None:
        return transcript_export(form.face(), room_id=request.room_id, reasoning=request.reasoning)
    if request.room_id is not None:
        raise GroupXError(
            ErrorCode.INVALID_ENVELOPE,
            "A JSONL export holds every room, so that it can be imported; nothing was exported. "
            "Leave the room out, or export it as markdown or html.",
            field="room",
        )
    return jsonl_export()
