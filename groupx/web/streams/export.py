"""GET /api/export: the ledger as a file, page by page, while the room goes on."""

from typing import Any

import trio

from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToStore
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.exchange.exporting import ExportRequest, export_of
from groupx.store.exchange.formats import FORMS, JSONL
from groupx.store.exchange.reading import Ask, Export
from groupx.web.guards import Call

DEADLINE_MS = 250
BUSY_TIMES = 5
"""How often in a row a read may be too slow before the export is given up."""
BUSY_PAUSE_SECONDS = 0.5
_at_work = trio.CapacityLimiter(2)
"""Writing lines and rendering is work for the processor: never more than two exports at once."""


class ExportBody:
    """The body of the response: an iterator of chunks, each read when the last was sent."""

    def __init__(self, export: Export, store: ActorRef[ToStore]) -> None:
        self._export = export
        self._store = store
        self._first: bytes | None = None

    def __aiter__(self) -> "ExportBody":
        return self

    async def __anext__(self) -> bytes:
        first, self._first = self._first, None
        if first is not None:
            return first
        chunk = await self._next()
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def begin(self) -> None:
        """Read what comes first; what can be refused is refused here."""
        self._first = await self._next()

    async def _next(self) -> bytes | None:
        answer: Any = None
        while True:
            said = await trio.to_thread.run_sync(_send, self._export, answer, limiter=_at_work)
            if not isinstance(said, Ask):
                return said
            answer = await self._read(said)

    async def _read(self, ask: Ask) -> Any:
        for _ in range(BUSY_TIMES):
            try:
                return await self._store.ask(Read(ask.run, ask.query, DEADLINE_MS))
            except GroupXError as error:
                if error.code is not ErrorCode.STORE_BUSY:
                    raise
            await trio.sleep(BUSY_PAUSE_SECONDS)
        return await self._store.ask(Read(ask.run, ask.query, DEADLINE_MS))


async def open_export(store: ActorRef[ToStore], call: Call) -> ExportBody:
    """Begin the export that was asked for. INVALID_ENVELOPE, NOT_FOUND, STORE_BUSY."""
    body = ExportBody(export_of(request_of(call)), store)
    await body.begin()
    return body


def request_of(call: Call) -> ExportRequest:
    """The query, with its defaults."""
    return ExportRequest(
        form=call.query.get("format", JSONL),
        room_id=call.query.get("room"),
        reasoning=call.query.get("reasoning", 0) == 1,
    )


def headers_of(request: ExportRequest) -> dict[str, str]:
    """A download: what is in it is never shown as a page of this origin."""
    form = FORMS[request.form]
    name = f"groupx-export.{form.extension}"
    return {
        "content-type": form.content_type,
        "content-disposition": f'attachment; filename="{name}"',
    }


def _send(export: Export, answer: Any) -> Ask | bytes | None:
    try:
        return export.send(answer)
    except StopIteration:
        return None
