"""What each route asks of whom, and how the answer looks."""

import attrs
import orjson
import pytest

from groupx.actors.mailbox import ActorCrashed
from groupx.actors.messages import (
    CancelTurn,
    ContinueRoot,
    ControlAgentCommand,
    ReplaceMessage,
    RunAgain,
    SendMessage,
    SetLane,
    WithdrawMessage,
)
from groupx.domain.errors import HTTP_STATUS, ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.supervision import Supervision
from groupx.web.services import RuntimeStatus, Status

AGENT = ActorId("agent:a")
TURNS = [
    {
        "target": "agent:a",
        "turnId": "turn_1",
        "status": "queued",
        "transport": "structured",
        "queuePosition": 0,
    }
]
ACCEPTED = {"messageEventId": "evt_1", "correlationId": "corr_1", "turns": TURNS}
CANCELLED = {"turnId": "turn_1", "status": "cancelled"}
SEND = {"clientCommandId": "c", "to": ["agent:a", "b"], "content": "h\0i"}


@pytest.mark.parametrize(
    ("path", "fields", "message", "status", "answer"),
    [
        (
            "/api/messages",
            {**SEND, "replyToEventId": "evt_0", "forwardedEventId": None},
            SendMessage(
                client_command_id="c",
                to=("agent:a", "b"),
                content="h\0i",
                reply_to_event_id="evt_0",
            ),
            202,
            ACCEPTED,
        ),
        (
            "/api/messages",
            {**SEND, "supervision": {"observers": ["agent:c"], "mode": "live_steer"}},
            SendMessage(
                client_command_id="c",
                to=("agent:a", "b"),
                content="h\0i",
                supervision=Supervision(observers=("agent:c",)),
            ),
            202,
            ACCEPTED,
        ),
        (
            "/api/messages/evt_1/withdraw",
            {},
            WithdrawMessage(client_command_id="c", message_event_id="evt_1"),
            200,
            {"messageEventId": "evt_1", "turns": [CANCELLED]},
        ),
        (
            "/api/messages/evt_1/replace",
            {"content": "x"},
            ReplaceMessage(client_command_id="c", message_event_id="evt_1", content="x"),
            202,
            ACCEPTED,
        ),
        (
            "/api/turns/turn_1/cancel",
            {},
            CancelTurn(client_command_id="c", turn_id="turn_1"),
            202,
            CANCELLED,
        ),
        (
            "/api/turns/turn_1/cancel",
            {"force": True},
            CancelTurn(client_command_id="c", turn_id="turn_1", force=True),
            202,
            CANCELLED,
        ),
        (
            "/api/turns/turn_1/retry",
            {},
            RunAgain(client_command_id="c", kind="retry", turn_id="turn_1"),
            202,
            ACCEPTED,
        ),
        (
            "/api/turns/turn_1/continue",
            {},
            RunAgain(client_command_id="c", kind="continue", turn_id="turn_1"),
            202,
            ACCEPTED,
        ),
        (
            "/api/roots/corr_1/continue",
            {},
            ContinueRoot(client_command_id="c", root_correlation_id="corr_1"),
            202,
            ACCEPTED,
        ),
        (
            "/api/roots/corr_1/continue",
            {"stopEventId": "evt_1"},
            ContinueRoot(
                client_command_id="c", root_correlation_id="corr_1", stop_event_id="evt_1"
            ),
            202,
            ACCEPTED,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_commands(client, broker, path, fields, message, status, answer):
    response = await client.post(path, {"clientCommandId": "c"} | fields)
    assert broker.asked == [message]
    assert (response.status, response.json()) == (status, answer)
    assert response.header("content-type") == ["application/json"]


@pytest.mark.parametrize("segment", ["a", "agent:a"])
async def test_agents_and_lanes(client, broker, segment):
    for path, message, status in [
        ("lanes/{}/pause", SetLane(client_command_id="c", lane=AGENT, state="paused"), 200),
        ("lanes/{}/resume", SetLane(client_command_id="c", lane=AGENT, state="runnable"), 202),
        *(
            (
                f"agents/{{}}/{action}",
                ControlAgentCommand(client_command_id="c", agent=AGENT, action=action),
                202,
            )
            for action in ("start", "stop", "restart")
        ),
    ]:
        response = await client.post(f"/api/{path.format(segment)}", {"clientCommandId": "c"})
        assert broker.asked.pop() == message
        assert response.status == status
        assert response.json()["agent"]["actorId"] == "agent:a"


async def test_a_pause_has_a_reason(client, broker):
    body = {"clientCommandId": "c", "reason": "lunch"}
    await client.post("/api/lanes/a/pause", body)
    assert broker.asked[0].reason == "lunch"


@pytest.mark.parametrize("segment", ["user:web", "agent:", "agent:agent:a", "..", "assistant", "é"])
async def test_what_cannot_be_an_agent(client, broker, segment):
    for path in ("lanes/{}/pause", "agents/{}/stop"):
        response = await client.post(f"/api/{path.format(segment)}", {"clientCommandId": "c"})
        assert (response.status, response.code) == (404, "UNKNOWN_TARGET")
    assert broker.asked == []


@pytest.mark.parametrize("code", list(ErrorCode))
async def test_every_refusal_has_its_status(client, broker, code):
    broker.answers["SendMessage"] = GroupXError(code, "No.", target="agent:a")
    response = await client.post("/api/messages", SEND)
    assert response.status == HTTP_STATUS.get(code, 500)
    assert response.json() == {
        "error": {"code": code.value, "message": "No.", "details": {"target": "agent:a"}}
    }
    assert response.header("retry-after") == (
        ["1"] if code in {ErrorCode.STORE_BUSY, ErrorCode.RUNTIME_STARTING} else []
    )


async def test_an_actor_that_ends_says_what_is_not_known(client, broker):
    broker.answers["SendMessage"] = ActorCrashed("broker")
    response = await client.post("/api/messages", SEND)
    assert (response.status, response.code) == (503, "STORE_UNAVAILABLE")
    assert "same clientCommandId" in response.json()["error"]["message"]


async def test_an_unexpected_error_tells_nothing(client, broker, capsys):
    broker.answers["SendMessage"] = RuntimeError("secret of the house")
    response = await client.post("/api/messages", SEND)
    assert (response.status, response.code) == (500, "INTERNAL_ERROR")
    assert b"secret" not in response.body
    logged = capsys.readouterr().out
    assert "send_message" in logged
    assert client.bearer not in logged


# --- health -----------------------------------------------------------------------------------

IDENTITY = {
    "service": "groupx",
    "protocol": "groupx.runtime/1",
    "status": "ready",
    "runtimeKey": "k" * 64,
    "runtimeScopeKey": "s" * 64,
    "version": "0.1.0",
}


async def test_health_tells_a_stranger_only_who_it_is(client):
    for authorization in (None, "Bearer wrong"):
        response = await client.get("/api/health", authorization=authorization)
        assert (response.status, response.json()) == (200, IDENTITY)


async def test_health_tells_the_user_how_it_stands(client):
    response = await client.get("/api/health")
    assert response.json() == IDENTITY | {
        "agents": {"agent:a": "idle"},
        "queues": {"agent:a": 3},
        "store": {"state": "ok", "pending": 2},
        "rollups": {"state": "ok"},
        "search": {"state": "ok"},
        "database": {
            "path": "/data/groupx.sqlite",
            "format": 10,
            "databaseId": "database_1",
        },
        "restartRequired": False,
        "pendingRestart": [],
    }


@pytest.mark.parametrize("status", list(Status))
async def test_health_says_where_it_is(starting, runtime, status):
    runtime.status = RuntimeStatus(status=status)
    response = await starting.get("/api/health")
    assert response.json() == IDENTITY | {"status": status.value}
    assert response.status == (503 if status is Status.CLOSING else 200)


# --- shutdown ---------------------------------------------------------------------------------


async def test_a_stop_needs_the_same_config_path(client, runtime):
    response = await client.post("/api/runtime/shutdown", {"runtimeScopeKey": "x"})
    assert (response.status, response.code) == (409, "RUNTIME_SCOPE_MISMATCH")
    assert runtime.stops == 0
    response = await client.post("/api/runtime/shutdown", {"runtimeScopeKey": "s" * 64})
    assert response.status == 202
    assert runtime.stops == 1


# --- login and pages --------------------------------------------------------------------------


async def test_a_code_becomes_a_cookie_once(starting, entrance, bearer):
    code = (await starting.post("/api/login-codes", {})).json()["code"]
    response = await starting.get(f"/login?code={code}", authorization=None)
    assert (response.status, response.body) == (303, b"")
    assert response.header("location") == ["/"]
    (cookie,) = response.header("set-cookie")
    pair, *attributes = cookie.split("; ")
    assert pair == f"groupx_4310={entrance.token.cookie}"
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=Strict"]
    assert bearer not in cookie
    again = await starting.get(f"/login?code={code}", authorization=None)
    assert again.status == 401
    assert again.header("set-cookie") == []
    assert b"groupx open" in again.body
    assert code.encode() not in again.body


@pytest.mark.parametrize("query", ["", "?code=wrong"])
async def test_a_wrong_code_says_how_to_get_one(client, query):
    response = await client.get(f"/login{query}", authorization=None)
    assert response.status == 401
    assert response.header("content-type") == ["text/html; charset=utf-8"]
    assert b"groupx open" in response.body


async def test_a_code_is_not_given_to_the_browser(client, entrance):
    cookie = f"groupx_4310={entrance.token.cookie}"
    response = await client.post("/api/login-codes", {}, authorization=None, cookie=cookie)
    assert response.status == 401


async def test_a_stranger_sees_a_page_without_data_that_reloads_once(client):
    first = await client.get("/", authorization=None)
    assert first.status == 200
    assert b'http-equiv="refresh" content="0; url=/?reloaded=1"' in first.body
    second = await client.get("/?reloaded=1", authorization=None)
    assert b"groupx open" in second.body
    assert b"refresh" not in second.body
    for page in (first.body, second.body):
        assert b"<script" not in page
        assert b"style" not in page


@pytest.fixture
def ui(monkeypatch, tmp_path):
    from groupx.web import static_files
    from groupx.web.routes import pages

    (tmp_path / "ui" / "deep").mkdir(parents=True)
    for name in ("index.html", "deep/app.js", "notes.txt", "app.py"):
        (tmp_path / "ui" / name).write_text(f"this is {name}")
    found = static_files.static_files(tmp_path / "ui")
    monkeypatch.setattr(pages, "static_files", lambda: found)
    return found


async def test_the_user_gets_the_ui(client, entrance, ui):
    cookie = f"groupx_4310={entrance.token.cookie}"
    for path in ("/", "/?reloaded=1"):
        response = await client.get(path, authorization=None, cookie=cookie)
        assert response.body == b"this is index.html"
        assert response.header("content-type") == ["text/html; charset=utf-8"]
    response = await client.get("/static/deep/app.js", authorization=None, cookie=cookie)
    assert response.body == b"this is deep/app.js"
    assert response.header("content-type") == ["text/javascript; charset=utf-8"]


async def test_a_file_of_the_ui_is_kept_only_at_its_version(client, ui):
    forever = ["private, max-age=31536000, immutable"]
    for name, kept in (
        ("deep/app.js", ["no-store"]),
        (f"{ui.version}/deep/app.js", forever),
    ):
        response = await client.get(f"/static/{name}")
        assert response.body == b"this is deep/app.js"
        assert response.header("cache-control") == kept
        assert len(response.header("content-security-policy")) == 1
    for name in (f"{ui.version}/nothing.js", "0123456789abcdef/deep/app.js"):
        response = await client.get(f"/static/{name}")
        assert (response.status, response.header("cache-control")) == (404, ["no-store"])


def test_the_first_page_names_every_module_at_its_version(tmp_path):
    from groupx.web.static_files import static_files

    page = (
        '<link rel="stylesheet" href="/static/a.css">'
        '<script type="module" src="/static/js/main.js"></script>'
    )
    versions = []
    for number in range(2):
        root = tmp_path / str(number)
        (root / "js").mkdir(parents=True)
        (root / "index.html").write_text(page)
        (root / "js" / "main.js").write_text("")
        (root / "js" / "part.js").write_text(f"// {number}")
        found = static_files(root)
        versions.append(found.version)
        at = f"/static/{found.version}"
        assert found.files["index.html"].content.decode() == (
            f'<link rel="stylesheet" href="{at}/a.css">'
            f'<link rel="modulepreload" href="{at}/js/main.js">\n'
            f'<link rel="modulepreload" href="{at}/js/part.js">\n'
            f'<script type="module" src="{at}/js/main.js"></script>'
        )
    assert versions[0] != versions[1]


@pytest.mark.parametrize(
    "name",
    ["nothing.js", "../token", "deep/../index.html", "deep", "notes.txt", "app.py", "/etc/passwd"],
)
async def test_nothing_else_is_served(client, ui, name):
    response = await client.get(f"/static/{name}")
    assert (response.status, response.code) == (404, "NOT_FOUND")


async def test_the_ui_itself_is_for_the_user(client, ui):
    response = await client.get("/static/deep/app.js", authorization=None)
    assert response.status == 401


# --- reading ----------------------------------------------------------------------------------


async def test_history_asks_for_the_page_it_names(client, store):
    from groupx.domain.commits import Frame
    from groupx.domain.pages import HistoryPage, HistoryQuery

    page = HistoryPage(
        room_id="room:main",
        events=(Frame(7, "room:main", "message.created", b'{"seq":7,"note":"\xc3\xa9"}'),),
        previous_before_seq=7,
        through_seq=9,
    )
    store.answers["Read"] = page
    response = await client.get("/api/history?beforeSeq=8&limit=1")
    assert store.asked[0].query == HistoryQuery(before_seq=8, limit=1)
    assert response.json() == {
        "events": [{"seq": 7, "note": "é"}],
        "previousPage": {"beforeSeq": 7},
        "nextPage": {"afterSeq": 7},
        "endings": [],
        "throughSeq": 9,
    }
    store.answers["Read"] = attrs.evolve(page, events=(), previous_before_seq=None)
    response = await client.get("/api/history")
    assert store.asked[1].query == HistoryQuery(limit=100)
    assert response.json() == {
        "events": [], "previousPage": None, "nextPage": None, "endings": [], "throughSeq": 9,
    }  # fmt: skip
    response = await client.get("/api/history?around=evt_7&roomId=r")
    assert store.asked[2].query == HistoryQuery(room_id="r", around="evt_7")
    assert (await client.get("/api/history?afterSeq=0&around=evt_7")).code == "INVALID_ENVELOPE"
    await client.get("/api/history?afterSeq=0")
    assert store.asked[3].query == HistoryQuery(after_seq=0)


async def test_a_search_asks_for_what_it_names(client, store):
    from groupx.domain.search_page import SearchQuery, SearchSlice

    store.answers["Read"] = SearchSlice(results=(), next_cursor="7")
    response = await client.get("/api/search?q=plan&rooms=all&cursor=9&limit=1")
    assert store.asked[0].query == SearchQuery(text="plan", all_rooms=True, cursor=9, limit=1)
    assert store.asked[0].deadline_ms == 100
    assert response.json() == {"results": [], "nextCursor": "7"}
    refused = await client.get("/api/search?q=plan&cursor=x")
    assert refused.status == 400


def test_details_that_are_no_json_do_not_break_the_answer():
    from groupx.web.errors import error_answer

    answer = error_answer(GroupXError(ErrorCode.STORE_CONFLICT, "No.", what={1, 2}))
    assert orjson.loads(answer.content)["error"]["details"] == {"what": "{1, 2}"}
