"""The export that can be imported again: one JSON object a line, events in the order of seq."""

from collections.abc import Generator, Iterable
from typing import Any

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.exchange.lines import encode, line_of
from groupx.store.exchange.reading import Ask, Export, Row, RowsQuery, read_rows
from groupx.store.exchange.sections import EVENT, ROOM, SECTIONS, Section
from groupx.store.exchange.snapshot import Snapshot, count_rooms, take_snapshot

SCHEMA = "groupx.export/1"
HEADER = "header"
END = "end"


def jsonl_export() -> Export:
    """Every room, as of the newest event at the first read. The same ledger gives the same bytes.

    STORE_CONFLICT when a room was deleted meanwhile.
    """
    snapshot: Snapshot = yield Ask(take_snapshot, None)
    yield encode(
        {
            "line": HEADER,
            "schema": SCHEMA,
            "format": snapshot.format,
            "databaseId": snapshot.database_id,
            "asOfSeq": snapshot.through[EVENT.line],
            "activeRoom": snapshot.active_room,
        }
    )
    counts: dict[str, int] = {}
    for section in SECTIONS:
        counts[section.line] = yield from _section(section, snapshot)
    rooms: int = yield Ask(count_rooms, snapshot.through[ROOM.line])
    if rooms != counts[ROOM.line]:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT,
            "A room was deleted while this was being exported, so the export is not whole. "
            "Throw away what was written of it, and export again.",
        )
    yield encode({"line": END, "lines": counts})


def _section(section: Section, snapshot: Snapshot) -> Generator[Ask | bytes, Any, int]:
    kept = snapshot.open_rows.get(section.line, {})
    through = snapshot.through[section.line]
    after = count = 0
    while True:
        query = RowsQuery(sql=section.read, after=after, through=through)
        rows: list[Row] = yield Ask(read_rows, query)
        if not rows:
            return count
        after = rows[-1][0]
        count += len(rows)
        yield _lines(section, (kept.get(row[0], row) for row in rows))


def _lines(section: Section, rows: Iterable[Row]) -> bytes:
    return b"".join(line_of(section, row[1:]) for row in rows)
