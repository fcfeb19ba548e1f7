"""An export becomes a new database: every line is checked, and all of it counts or nothing.

The database is built beside its place, under the rules that the ledger's own tables have
(references, unique keys, checks), exported again, and named only if that gives the same bytes.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Generator, Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.exchange.files import make_private, new_file
from groupx.store.exchange.held_lanes import Held, hold_open_lanes
from groupx.store.exchange.jsonl import END, HEADER, SCHEMA, jsonl_export
from groupx.store.exchange.kinds import COUNT, DATABASE_ID, NAME
from groupx.store.exchange.lines import (
    MAX_LINE_BYTES,
    WrongLineError,
    encode,
    parse,
    row_of,
    shown,
)
from groupx.store.exchange.reading import run
from groupx.store.exchange.references import References
from groupx.store.exchange.sections import ACTOR, EVENT, ROOM, SECTIONS, Section
from groupx.store.formats.chain import CURRENT, create
from groupx.store.probe import leaving_no_sidecars, probe

HELD_BECAUSE = "it came with an import; the room it was exported from may have sent it since"
NEEDED_ACTORS = ("user:web", "user:assistant", "system:groupx")
_BY_LINE = {section.line: index for index, section in enumerate(SECTIONS)}
_HEADER_KEYS = ("line", "schema", "format", "databaseId", "asOfSeq", "activeRoom")


@attrs.frozen(kw_only=True)
class Imported:
    """What an import did."""

    path: Path
    fresh: bool
    """False: this very content was there already, and nothing was changed."""
    events: int = 0
    held: Held = Held(turns=0, agents=())
    """Unfinished turns, and the agents whose queues were paused for them."""


def import_file(source: Path, target: Path, *, now_iso: str) -> Imported:
    """Make the new database `target` out of an export.

    INVALID_ENVELOPE names the line and what was found there; STORE_CONFLICT when `target` is
    something else. `target` is then what it was.
    """
    with _opened(source) as file:
        if target.exists():
            return _same_content(file, target)
        with new_file(target) as staged:
            importer = _Importer(staged, now_iso)
            try:
                importer.take(file)
            finally:
                importer.close()
        return Imported(path=target, fresh=True, events=importer.events, held=importer.held)


class _Importer:
    """Fills one empty database file, in one transaction."""

    def __init__(self, path: Path, now_iso: str) -> None:
        make_private(path)
        self._now = now_iso
        self._conn = sqlite3.connect(path, isolation_level=None)
        self._conn.execute("PRAGMA foreign_keys = ON")
        self._conn.execute("PRAGMA journal_mode = MEMORY")  # a torn file is thrown away
        self._given = hashlib.sha256()
        self._context: dict[str, Any] = {}
        self._counts = {section.line: 0 for section in SECTIONS}
        self._names: dict[str, set[str]] = {ROOM.line: set(), ACTOR.line: set()}
        self._section = 0
        self._seq = 0
        self._number = 0
        self._references = References(self._conn)
        self.held = Held(turns=0, agents=())

    @property
    def events(self) -> int:
        """How many events there were."""
        return self._counts[EVENT.line]

    def close(self) -> None:
        """Let the file go."""
        self._conn.close()

    def take(self, file: BufferedReader) -> None:
        """The whole file. GroupXError."""
        self._conn.execute("BEGIN")
        lines = enumerate(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), 1)
        ended = False
        for self._number, raw in lines:
            try:
                if ended:
                    raise WrongLineError("the export has ended before it")
                ended = self._line(raw)
            except WrongLineError as error:
                raise _refused(self._number, str(error)) from None
            self._given.update(raw)
        if not ended:
            raise _refused(self._number + 1, "the file is cut, it ends before the last line")
        self.held = hold_open_lanes(self._conn, reason=HELD_BECAUSE, now_iso=self._now)
        if _digest(self._conn) != self._given.digest():
            raise GroupXError(
                ErrorCode.INVALID_ENVELOPE,
                "Exported again, this would not be the same file (its lines may be in another "
                "order), so it was not imported. Use the file as GroupX wrote it.",
            )
        self._conn.execute("COMMIT")

    def _line(self, raw: bytes) -> bool:
        """Whether it was the last."""
        line = parse(raw)
        name = line.get("line")
        if not self._context:
            self._begin(line, raw)
        elif name == END:
            self._end(line, raw)
            return True
        elif isinstance(name, str) and name in _BY_LINE:
            self._row(_BY_LINE[name], line, raw)
        else:
            raise WrongLineError(f"there is no line of the kind {shown(name)}")
        return False

    def _begin(self, line: Mapping[str, Any], raw: bytes) -> None:
        if line.get("line") != HEADER or line.get("schema") != SCHEMA:
            raise WrongLineError(f"it is not the header of a '{SCHEMA}' file")
        if line.get("format") != CURRENT:
            raise WrongLineError(
                f"it was made by another GroupX: found format {shown(line.get('format'))}, this "
                f"build imports format {CURRENT}. Import it with the GroupX that exported it"
            )
        for key, kind in (("databaseId", DATABASE_ID), ("asOfSeq", COUNT), ("activeRoom", NAME)):
            if not kind.fits(line.get(key)):
                raise WrongLineError(f"'{key}' must be {kind.name}; found {shown(line.get(key))}")
        if tuple(line) != _HEADER_KEYS or encode(line) != raw:
            raise WrongLineError("the header is not written as an export writes it")
        create(self._conn, {"now": self._now, "database_id": line["databaseId"]})
        self._conn.execute("DELETE FROM rooms")
        self._conn.execute("DELETE FROM actors")
        self._context = {"active_room": line["activeRoom"], "as_of_seq": line["asOfSeq"]}

    def _row(self, index: int, line: Mapping[str, Any], raw: bytes) -> None:
        section = SECTIONS[index]
        if index < self._section:
            raise WrongLineError(
                f"a {section.line} cannot come after a {SECTIONS[self._section].line}"
            )
        self._section = index
        row = row_of(section, line, raw)
        self._check(section, row)
        values = self._context | row
        try:
            for statement in (section.write, *section.also):
                self._conn.execute(statement, values)
        except sqlite3.IntegrityError as error:
            raise WrongLineError(_meaning(error, section, row)) from None
        if section is EVENT:
            self._references.take(line, self._number)
        self._counts[section.line] += 1

    def _check(self, section: Section, row: Mapping[str, Any]) -> None:
        if section is EVENT:
            seq = cast("int", row["seq"])
            if not self._seq < seq <= self._context["as_of_seq"]:
                raise WrongLineError(
                    f"'seq' must be over {self._seq} (the event before) and at most "
                    f"{self._context['as_of_seq']} (the header's asOfSeq); found {seq}"
                )
            self._seq = seq
        if section.in_rooms and row["room_id"] not in self._names[ROOM.line]:
            raise WrongLineError(f"there is no room {shown(row['room_id'])} in this file")
        if section.line in self._names:
            self._names[section.line].add(row[section.fields[0].column])

    def _end(self, line: Mapping[str, Any], raw: bytes) -> None:
        expected = encode({"line": END, "lines": self._counts})
        if raw != expected:
            raise WrongLineError(
                f"it should say {expected.decode().strip()}: lines are missing, or too many"
            )
        if self._seq != self._context["as_of_seq"]:
            raise WrongLineError(
                f"the newest event is {self._seq}, and the header's asOfSeq says "
                f"{self._context['as_of_seq']}: events are missing"
            )
        for name in (self._context["active_room"],):
            if name not in self._names[ROOM.line]:
                raise WrongLineError(f"the header's activeRoom {shown(name)} is not in this file")
        for name in NEEDED_ACTORS:
            if name not in self._names[ACTOR.line]:
                raise WrongLineError(f"the actor '{name}', which every ledger has, is missing")
        missing = self._references.missing()
        if missing is not None:
            raise _refused(*missing)


@contextlib.contextmanager
def _opened(source: Path) -> Generator[BufferedReader]:
    try:
        if not source.is_file():
            missing = "no file" if not source.exists() else "not a file"
            raise GroupXError(
                ErrorCode.NOT_FOUND,
                f"{source} is {missing}; nothing was imported. Name a file that "
                "`groupx export` wrote.",
            )
        file = source.open("rb")
    except OSError as error:
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"{source} cannot be read ({error.strerror}); nothing was imported.",
        ) from error
    with file:
        yield file


def _same_content(file: BufferedReader, target: Path) -> Imported:
    refusal = GroupXError(
        ErrorCode.STORE_CONFLICT,
        f"{target} exists and holds something else than this export, so nothing was imported and "
        "it was not changed. Import into a new file.",
        path=str(target),
    )
    if probe(target) != CURRENT:
        raise refusal
    given = hashlib.file_digest(file, hashlib.sha256).digest()
    address = f"{target.absolute().as_uri()}?mode=ro"
    with (
        leaving_no_sidecars(target),
        contextlib.closing(sqlite3.connect(address, uri=True, isolation_level=None)) as conn,
    ):
        if _digest(conn) != given:
            raise refusal
    return Imported(path=target, fresh=False)


def _digest(conn: sqlite3.Connection) -> bytes:
    found = hashlib.sha256()
    for piece in _exported(conn):
        found.update(piece)
    return found.digest()


def _exported(conn: sqlite3.Connection) -> Iterator[bytes]:
    return run(jsonl_export(), conn)


def _meaning(error: sqlite3.IntegrityError, section: Section, row: Mapping[str, Any]) -> str:
    key = section.fields[0]
    what = f"the {section.line} {shown(row[key.column])}"
    match error.sqlite_errorcode:
        case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
            return f"{what} refers to something that is not in this file before it"
        case sqlite3.SQLITE_CONSTRAINT_UNIQUE | sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
            return f"{what} is there twice, or shares what must be unique ({error})"
        case _:
            return f"{what} breaks a rule of the ledger ({error})"


def _refused(number: int, wrong: str) -> GroupXError:
    return GroupXError(
        ErrorCode.INVALID_ENVELOPE,
        f"Line {number} of this file cannot be imported: {wrong}. Nothing was imported.",
        line=number,
    )
