"""GET /api/export and POST /api/backup: files of the room, over HTTP."""

import sqlite3

import attrs
import pytest
import trio

from groupx.cli.client import BrokenDownload, RuntimeClient
from groupx.domain.commands import Remembered
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store.exchange.jsonl import jsonl_export
from groupx.store.exchange.reading import run
from groupx.store.formats.chain import create_current
from groupx.supervisor.listener import bind_port
from groupx.web.app import create_guards, open_room
from groupx.web.backups import Backups
from groupx.web.server import WebServer
from groupx.web.streams import export as exporting


@pytest.fixture
def conn(tmp_path):
    path = tmp_path / "groupx.db"
    conn = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    create_current(conn, now_iso="2026-01-01T00:00:00.000Z", database_id="database_x")
    yield conn
    conn.close()


@pytest.fixture
def reading(store, conn):
    """The store answers reads from the database."""

    def read(request):
        return request.run(conn, request.query)

    store.answers["Read"] = read
    return store


@pytest.mark.parametrize(
    ("query", "kind", "name", "begins"),
    [
        ("", "application/x-ndjson", "groupx-export.jsonl", b'{"line":"header"'),
        ("?format=jsonl", "application/x-ndjson", "groupx-export.jsonl", b'{"line":"header"'),
        ("?format=markdown", "text/markdown; charset=utf-8", "groupx-export.md", b"# room:main"),
        ("?format=html&reasoning=1&room=room:main", "text/html; charset=utf-8",
         "groupx-export.html", b"<!doctype html>"),
    ],
)  # fmt: skip
async def test_each_form_is_a_download(client, reading, query, kind, name, begins):
    response = await client.get(f"/api/export{query}")
    assert response.status == 200
    assert response.header("content-type") == [kind]
    assert response.header("content-disposition") == [f'attachment; filename="{name}"']
    assert response.header("cache-control") == ["no-store"]
    assert response.body.startswith(begins)


async def test_it_is_the_same_as_without_the_daemon(client, reading, conn):
    response = await client.get("/api/export")
    assert response.body == b"".join(run(jsonl_export(), conn))
    assert all(request.deadline_ms == exporting.DEADLINE_MS for request in reading.asked)


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("?format=pdf", 400, "INVALID_ENVELOPE"),
        ("?reasoning=2", 400, "INVALID_ENVELOPE"),
        ("?reasoning=true", 400, "INVALID_ENVELOPE"),
        ("?room=room:main", 400, "INVALID_ENVELOPE"),
        ("?format=html&room=room:x", 404, "NOT_FOUND"),
        ("?format=html&room=", 400, "INVALID_ENVELOPE"),
    ],
)
async def test_what_is_refused_before_the_first_byte(client, reading, query, status, code):
    response = await client.get(f"/api/export{query}")
    assert (response.status, response.code) == (status, code)


async def test_a_busy_store_is_asked_again(client, reading, conn, autojump_clock):
    busy = GroupXError(ErrorCode.STORE_BUSY, "Busy.")
    left = [busy] * exporting.BUSY_TIMES

    def read(request):
        if left:
            raise left.pop()
        return request.run(conn, request.query)

    reading.answers["Read"] = read
    response = await client.get("/api/export")
    assert response.body == b"".join(run(jsonl_export(), conn))


async def test_a_store_that_stays_busy_is_said(client, store, autojump_clock):
    store.answers["Read"] = GroupXError(ErrorCode.STORE_BUSY, "Busy.")
    response = await client.get("/api/export")
    assert (response.status, response.code) == (503, "STORE_BUSY")
    assert response.header("retry-after") == ["1"]


async def test_one_that_breaks_off_is_no_whole_answer(services, store, conn, bearer):
    """Over a real socket: the client is told, whatever it had got already."""
    reads = iter(range(4))

    def read(request):
        if next(reads, None) is None:
            raise GroupXError(ErrorCode.STORE_UNAVAILABLE, "The disk is gone.")
        return request.run(conn, request.query)

    store.answers["Read"] = read
    listening = bind_port("127.0.0.1", 0)
    port = listening.getsockname()[1]
    services = attrs.evolve(services, facts=attrs.evolve(services.facts, port=port))
    guards = create_guards(services)
    open_room(guards, services)
    got = []

    def download():
        got.extend(RuntimeClient(port=port, token=bearer).download("/api/export"))

    async with trio.open_nursery() as nursery:
        server = WebServer(listening, guards)
        await nursery.start(server.run)
        with pytest.raises(BrokenDownload):
            await trio.to_thread.run_sync(download)
        server.stop()
    assert b'"line":"end"' not in b"".join(got)


# --- backup -------------------------------------------------------------------------------------


@pytest.fixture
def remembering(store):
    """The store remembers commands, by their ids."""
    known = {}

    def write(request):
        key = request.command.key.client_command_id
        fresh = key not in known
        known.setdefault(key, request.command.result)
        return Remembered(result=known[key], fresh=fresh)

    store.answers["Write"] = write


async def test_a_backup_is_made_once_for_each_command(client, conn, remembering, tmp_path):
    first = await client.post("/api/backup", {"clientCommandId": "c"})
    path = tmp_path / "backups" / "groupx-19700101T000000.001Z.db"
    assert (first.status, first.json()) == (
        200, {"path": str(path), "bytes": path.stat().st_size}
    )  # fmt: skip
    made = path.stat()
    again = await client.post("/api/backup", {"clientCommandId": "c"})
    assert again.json() == first.json()
    assert path.stat().st_mtime_ns == made.st_mtime_ns
    path.unlink()
    await client.post("/api/backup", {"clientCommandId": "c"})
    assert path.exists(), "it had been lost, or had never been made"


async def test_two_at_the_same_moment_do_not_collide(client, conn, remembering, tmp_path):
    await client.post("/api/backup", {"clientCommandId": "c"})
    other = await client.post("/api/backup", {"clientCommandId": "d"})
    assert (other.status, other.code) == (409, "STORE_CONFLICT")


async def test_a_backup_that_cannot_be_made(client, remembering, tmp_path):
    (tmp_path / "groupx.db").write_bytes(b"not a database" * 999)
    response = await client.post("/api/backup", {"clientCommandId": "c"})
    assert response.status == 503
    assert not list((tmp_path / "backups").iterdir())


async def test_a_database_in_memory(store, tmp_path):
    with pytest.raises(GroupXError, match="in memory"):
        await Backups(None, tmp_path, store, lambda: 1).make("c")
    assert store.asked == []
