"""`groupx search` and `groupx debug reindex`: what is asked of the room, and what is told."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from click.testing import CliRunner, Result

from groupx.cli import group, reindexing, search
from groupx.cli.client import Answer
from groupx.cli.search import MAX_PAGES
from groupx.domain.config_parsing import SMALLEST_CONFIG
from groupx.domain.search_query import MAX_QUERY
from groupx.store.opening import open_ledger

HIT = {
    "kind": "message", "id": "evt_1", "seq": 42, "roomId": "room:main", "actorId": "agent:b",
    "excerptHtml": "we <mark>compile</mark> &lt;it&gt;\n&amp;#27; \x1b[31m",
    "at": "2026-12-01T10:00:00.000Z",
}  # fmt: skip
RECORD = {
    "kind": "memory", "id": "mem_1", "roomId": "room:main", "actorId": "user:web",
    "excerptHtml": "old", "at": "2025-01-01T10:00:00.000Z", "status": "retracted",
}  # fmt: skip


class Room:
    """Gives its pages one after the other; `asked` is what came."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.pages: list[dict[str, Any]] = []
        self.status = 200

    def get(self, path: str) -> Answer:
        name, _, query = path.partition("?")
        assert name == "/api/search"
        self.asked.append(dict(parse_qsl(query)))
        return Answer(status=self.status, body=self.pages.pop(0))

    def post(self, path: str, body: dict[str, Any]) -> Answer:
        assert len(body.pop("clientCommandId")) == 32
        self.asked.append((path, body))
        return Answer(status=self.status, body=self.pages.pop(0))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("GROUPX_CONFIG", "GROUPX_DB", "GROUPX_DISABLE_CHANNEL_DB"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "groupx.json").write_text(SMALLEST_CONFIG)
    return tmp_path


@pytest.fixture
def room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Room:
    it = Room()
    for module, finder in ((search, "find_running"), (reindexing, "running_or_none")):
        monkeypatch.setattr(module, finder, lambda place: place)
        monkeypatch.setattr(module, "client_of", lambda place, running: it)
    return it


def run(*argv: str) -> Result:
    return CliRunner().invoke(group, argv)


def test_hits_are_told_in_lines_that_no_terminal_obeys(room: Room) -> None:
    room.pages = [{"results": [HIT, RECORD]}]
    done = run("search", "compile it")
    assert done.output.splitlines() == [
        "2026-12-01 10:00  agent:b  #42",
        "  we compile <it> &#27; [31m",
        "2025-01-01 10:00  user:web memory (retracted)  mem_1",
        "  old",
    ]
    assert room.asked == [{"q": "compile it", "limit": "20"}]


def test_words_need_no_quotation_marks_of_the_shell(room: Room) -> None:
    room.pages = [{"results": []}, {"results": []}]
    run("search", "compile", "it", "from:builder")
    run("search", "--limit", "2", "--", "--json", "-v")
    assert [asked["q"] for asked in room.asked] == ["compile it from:builder", "--json -v"]


def test_what_the_locale_cannot_read_is_looked_for_as_it_was_typed(room: Room) -> None:
    room.pages = [{"results": []}]
    latin = "索".encode().decode("ascii", "surrogateescape")
    assert run("search", latin, "\udcff").exit_code == 0
    assert room.asked[0]["q"] == "索 \ufffd"


@pytest.mark.parametrize("words", [(), ("",), (" ", " ")])
def test_without_a_word_nothing_is_looked_for(room: Room, words: tuple[str, ...]) -> None:
    done = run("search", *words)
    assert done.exit_code != 0
    assert room.asked == []
    assert "WORDS" in done.output or "Give at least one" in done.output


@pytest.mark.parametrize(
    ("environment", "shown"),
    [
        ({"TERM": "xterm", "NO_COLOR": ""}, "we \x1b[1mcompile\x1b[0m"),
        ({"TERM": "dumb"}, "we compile"),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "we compile"),
    ],
)
def test_hits_are_bold_on_a_terminal_that_can_show_it(
    room: Room, environment: dict[str, str], shown: str
) -> None:
    room.pages = [{"results": [HIT]}]
    done = CliRunner().invoke(group, ("search", "x"), color=True, env=environment)
    assert shown in done.output


def test_nothing_that_was_said_turns_the_order_of_a_line(room: Room) -> None:
    room.pages = [{"results": [{**HIT, "excerptHtml": "gpj\u202eexe"}]}]
    assert run("search", "x").output.split("\n")[1] == "  gpj exe"


def test_an_end_that_is_none_is_not_told_as_one(room: Room) -> None:
    """A page that looked at much and found nothing may be followed by one that finds something."""
    room.pages = [{"results": [], "nextCursor": str(90 - n)} for n in range(MAX_PAGES)]
    last = 90 - MAX_PAGES + 1
    assert run("search", "x").output.splitlines() == [
        "Nothing so far.", f"Older ones: --cursor {last}",
    ]  # fmt: skip


def test_no_search_is_too_long_for_the_room(room: Room) -> None:
    room.pages = [{"results": []}]
    assert run("search", "索" * 10_000).exit_code == 0
    assert room.asked[0]["q"] == "索" * MAX_QUERY


def test_short_pages_are_gone_on_from(room: Room) -> None:
    room.pages = [
        {"results": [], "nextCursor": "90"},
        {"results": [HIT], "nextCursor": "40"},
        {"results": [HIT], "nextCursor": "-3", "indexing": {"done": 1, "total": 9}},
    ]
    said = run("search", "x", "--limit", "2", "--rooms", "all", "--cursor", "99").output
    assert said.count("#42") == 2
    assert "--cursor -3" in said
    assert "1 of 9 events" in said
    sent = [("2", "99"), ("2", "90"), ("1", "40")]
    assert [(asked["limit"], asked["cursor"]) for asked in room.asked] == sent
    assert {asked["rooms"] for asked in room.asked} == {"all"}


def test_json_is_the_routes_answer(room: Room) -> None:
    room.pages = [{"results": [HIT], "indexing": {"done": 1, "total": 9}}]
    assert json.loads(run("search", "x", "--json").output) == {
        "results": [HIT], "indexing": {"done": 1, "total": 9},
    }  # fmt: skip
    room.pages = [{"results": []}]
    assert "Nothing was found" in run("search", "x").output


def test_a_refusal_is_told_in_the_rooms_words(room: Room) -> None:
    room.status = 503
    for argv in (("search", "x"), ("debug", "reindex")):
        room.pages = [{"error": {"code": "STORE_BUSY", "message": "It took longer."}}]
        done = run(*argv)
        assert (done.exit_code, "It took longer." in done.output) == (1, True)


def test_a_room_that_does_not_run_is_not_searched(folder: Path) -> None:
    done = run("search", "x")
    assert (done.exit_code, "groupx start" in done.output) == (1, True)


def test_a_running_room_is_asked_to_reindex(room: Room) -> None:
    room.status = 202
    room.pages = [{"done": 0, "total": 9}]
    assert "all of its 9 events" in run("debug", "reindex").output
    assert room.asked == [("/api/search/reindex", {})]


@pytest.mark.slow
def test_a_database_at_rest_is_reindexed_here_and_now(folder: Path) -> None:
    (folder / ".groupx").mkdir()
    database = folder / ".groupx/groupx-local.db"
    conn = open_ledger(database, now_iso="2026-12-01T00:00:00.000Z", database_id="database_1")
    conn.execute(
        "INSERT INTO memory_records (memory_id, scope_type, scope_id, kind, author_actor_id,"
        " content, source_kind, status, created_at)"
        " VALUES ('mem_1', 'room', 'room:main', 'fact', 'user:web', 'word', 'web', 'active', 't')"
    )
    conn.execute(
        "INSERT INTO events (event_id, schema_version, room_id, event_type, actor_id, actor_kind,"
        " actor_display_name, targets_json, correlation_id, occurred_at, body_json)"
        " VALUES ('evt_1', 'groupx.event/1', 'room:main', 'message.created', 'user:web', 'user',"
        " 'You', '[]', 'c', 't', '{\"content\":\"word\"}')"
    )
    conn.close()
    done = run("debug", "reindex")
    assert (done.exit_code, "All 1 events" in done.output) == (0, True), done.output
    conn = open_ledger(database, now_iso="t", database_id="d")
    found = conn.execute("SELECT rowid FROM search_fts WHERE search_fts MATCH 'word' ORDER BY 1")
    assert found.fetchall() == [(-1,), (1,)]
    conn.close()


def test_without_a_database_there_is_nothing_to_reindex(folder: Path) -> None:
    done = run("debug", "reindex")
    assert (done.exit_code, "there is no database" in done.output) == (1, True)
