"""Every route against every guard, in the order of the checks."""

import itertools

import orjson
import pytest
import trio

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import MAX_REQUEST_BYTES
from groupx.web import asgi
from groupx.web.app import HANDLERS
from groupx.web.policy import POLICIES, Auth, PolicyTable, is_direct
from groupx.web.requests import SENDER_FIELDS
from groupx.web.services import Progress, RuntimeStatus, Status
from groupx.web.streams.routes import create_app

SAMPLES = {
    "clientCommandId": "c1",
    "to": ["agent:a"],
    "content": "hello",
    "runtimeScopeKey": "s" * 64,
    "revision": "absent",
    "config": {"agents": {"a": {"driver": "demo", "cwd": "."}}},
    "olderThanDays": 30,
    "action": "archive",
    "scopeType": "room",
    "kind": "note",
    "subjectActorId": "agent:a",
    "useMemories": True,
    "generation": "enabled",
    "expectedRevision": 0,
    "q": "plan",
    "agent": "agent:a",
    "driver": "codex",
}
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"]
GUARDED = [policy for policy in POLICIES if policy.auth is not Auth.OPEN]
OPEN_DOOR = {"health", "index", "static", "login", "login_codes", "shutdown"}
WITH_BODY = [policy for policy in POLICIES if policy.body is not None]
UNKNOWN = ["/nothing", "/api/nothing", "/static", "/api/turns/x/nothing", "//", "*", "/API/health",
           "/api/health/", "http://127.0.0.1:4310/api/health", "/api/rooms/x",
           "/api/memories", "/api/setup/x", "/api/assistant/x", "/api/backup/x",
           "/mcp/x"]  # fmt: skip


def address(policy):
    path = policy.path.replace("<path:name>", "index.html")
    path = path.replace("<agent>", "agent:a").replace("<turn_id>", "t").replace("<message_id>", "m")
    asked = [name for name, field in (policy.query or {}).items() if field.required]
    return path + "".join(f"?{name}={SAMPLES[name]}" for name in asked)


def body_of(policy):
    if policy.body is None:
        return None
    return orjson.dumps(
        {name: SAMPLES[name] for name, field in policy.body.items() if field.required}
    )


async def call(client, policy, **changes):
    changes.setdefault("body", body_of(policy))
    return await client.request(policy.method, address(policy), **changes)


def refused(response, code):
    assert (response.status, response.code) == (
        {
            "INVALID_ENVELOPE": 400,
            "SENDER_FIELD_FORBIDDEN": 400,
            "UNAUTHORIZED": 401,
            "FORBIDDEN_HOST": 403,
            "FORBIDDEN_ORIGIN": 403,
            "NOT_FOUND": 404,
            "METHOD_NOT_ALLOWED": 405,
            "MESSAGE_TOO_LARGE": 413,
            "UNSUPPORTED_MEDIA_TYPE": 415,
            "RUNTIME_STARTING": 503,
            "RUNTIME_CLOSING": 503,
        }[code],
        code,
    )
    assert set(response.json()) == {"error"}
    assert set(response.json()["error"]) <= {"code", "message", "details"}
    is_secured(response)
    return response


def is_secured(response):
    assert response.header("content-security-policy") == [
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ]
    for name, value in {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
    }.items():
        assert response.header(name) == [value]
    assert not [key for key, _ in response.headers if key.startswith("access-control")]


async def test_every_route_of_quart_has_one_policy_and_the_rest_are_answered_without_it(services):
    app = create_app(services)
    routes = {
        (method, rule.rule, rule.endpoint)
        for rule in app.url_map.iter_rules()
        for method in ({"WEBSOCKET"} if rule.websocket else rule.methods - {"HEAD"})
    }
    expected = {
        (policy.method, policy.path, policy.name)
        for policy in POLICIES
        if not is_direct(policy) and policy.auth is not Auth.SESSION
    }
    assert routes == expected


def test_every_handler_is_reached_by_one_policy():
    streams = {policy.name for policy in POLICIES if policy.stream}
    desks = {policy.name for policy in POLICIES if policy.auth is Auth.SESSION}
    assert {policy.name for policy in POLICIES} == set(HANDLERS) | streams | desks
    assert len({(policy.method, policy.path) for policy in POLICIES}) == len(POLICIES)


def test_every_command_carries_its_id():
    free = {"login_codes", "shutdown", "restart", "save_setup", "check_program"}
    for policy in WITH_BODY:
        assert ("clientCommandId" in policy.body) == (policy.name not in free)


async def test_what_is_open_is_known():
    for policy in POLICIES:
        assert (policy.auth is Auth.OPEN) == (policy.name in {"health", "index", "login"})
        assert policy.navigable == (policy.name in {"index", "login"})


@pytest.mark.parametrize("host", [None, "evil.example:4310", "127.0.0.1", "localhost:4311"])
async def test_another_host(client, host):
    for policy in POLICIES:
        refused(await call(client, policy, host=host), "FORBIDDEN_HOST")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "null"},
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:4311"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
    ids=str,
)
async def test_another_page(client, headers):
    for policy in POLICIES:
        refused(await call(client, policy, **headers), "FORBIDDEN_ORIGIN")


async def test_a_link_from_elsewhere_leads_only_to_pages(client):
    for policy in POLICIES:
        response = await call(
            client,
            policy,
            sec_fetch_site="cross-site",
            sec_fetch_mode="navigate",
            sec_fetch_dest="document",
            authorization=None,
        )
        if policy.navigable:
            assert response.status in {200, 401}
            assert response.header("content-type") == ["text/html; charset=utf-8"]
        else:
            refused(response, "FORBIDDEN_ORIGIN")


@pytest.mark.parametrize("authorization", [None, "Bearer x", "Bearer", "Basic eDp5"])
async def test_a_stranger(client, authorization):
    for policy in GUARDED:
        response = await call(client, policy, authorization=authorization)
        refused(response, "UNAUTHORIZED")
        assert response.header("www-authenticate") == ["Bearer"]


async def test_the_cookie_opens_all_but_login_codes(client, entrance):
    for policy in GUARDED:
        if policy.stream:
            continue
        response = await call(
            client, policy, authorization=None, cookie=f"groupx_4310={entrance.token.cookie}",
            body=None,
        )  # fmt: skip
        if policy.auth is Auth.BEARER:
            refused(response, "UNAUTHORIZED")
        elif policy.body is not None:
            refused(response, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("path", UNKNOWN)
async def test_what_is_not_there(client, path):
    refused(await client.get(path), "NOT_FOUND")
    refused(await client.get(path, authorization=None), "UNAUTHORIZED")
    refused(await client.get(path, host="evil.example"), "FORBIDDEN_HOST")
    refused(await client.request("WEBSOCKET", path), "NOT_FOUND")


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        (path, {policy.method for policy in group})
        for path, group in itertools.groupby(sorted(POLICIES, key=address), address)
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
async def test_other_methods(client, path, methods):
    for method in {*METHODS} - methods - ({"GET"} if "WEBSOCKET" in methods else set()):
        response = refused(await client.request(method, path), "METHOD_NOT_ALLOWED")
        allowed = {"GET" if one == "WEBSOCKET" else one for one in methods}
        assert response.header("allow") == [", ".join(sorted(allowed))]
        refused(await client.request(method, path, authorization=None), "UNAUTHORIZED")


async def test_a_websocket_address_without_the_upgrade_says_what_it_wants(client):
    response = refused(await client.request("GET", "/api/ws"), "INVALID_ENVELOPE")
    assert response.status == 400
    assert "Upgrade: websocket" in response.json()["error"]["message"]
    assert response.header("allow") == []


@pytest.mark.parametrize(
    "content_type",
    [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"],
)
async def test_only_json(client, content_type):
    for policy in WITH_BODY:
        refused(await call(client, policy, content_type=content_type), "UNSUPPORTED_MEDIA_TYPE")


async def test_a_body_that_says_it_is_too_large_is_not_read(client):
    for policy in WITH_BODY:
        size = str(MAX_REQUEST_BYTES + 1)
        refused(await call(client, policy, content_length=size, body=b"{"), "MESSAGE_TOO_LARGE")


async def test_a_body_that_turns_out_too_large(client):
    for policy in WITH_BODY:
        body = b" " * (MAX_REQUEST_BYTES + 1)
        response = await call(
            client, policy, body=body, content_length=None, transfer_encoding="chunked"
        )
        refused(response, "MESSAGE_TOO_LARGE")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"a":1,"a":2}', b"[" * 100_000])
async def test_bad_json(client, body):
    for policy in WITH_BODY:
        refused(await call(client, policy, body=body), "INVALID_ENVELOPE")


@pytest.mark.parametrize("field", sorted(SENDER_FIELDS))
async def test_a_sender_field(client, broker, field):
    for policy in WITH_BODY:
        body = orjson.dumps(orjson.loads(body_of(policy)) | {field: "user:web", "unknown": 1})
        refused(await call(client, policy, body=body), "SENDER_FIELD_FORBIDDEN")
        assert broker.asked == []


@pytest.mark.parametrize("field", ["unknown", "transport", "access", "supervision"])
async def test_an_unknown_field(client, broker, field):
    for policy in WITH_BODY:
        body = orjson.dumps(orjson.loads(body_of(policy)) | {field: "x"})
        response = refused(await call(client, policy, body=body), "INVALID_ENVELOPE")
        assert response.json()["error"]["details"] == {"field": field}
        assert broker.asked == []


async def test_every_required_field(client, broker):
    for policy in [policy for policy in WITH_BODY if policy.body]:
        whole = orjson.loads(body_of(policy))
        for name in whole:
            odd: object = [] if name == "config" else {}
            for broken in (
                {**whole, name: odd},
                {key: whole[key] for key in whole if key != name},
            ):
                response = await call(client, policy, body=orjson.dumps(broken))
                assert response.json()["error"]["details"] == {"field": name}
                refused(response, "INVALID_ENVELOPE")
        assert broker.asked == []


@pytest.mark.parametrize("query", ["unknown=1", "render=pdf", "rooms=x", "a", "%ff=1"])
async def test_an_unknown_query_parameter(client, query):
    for policy in POLICIES:
        asked = address(policy)
        asked += ("&" if "?" in asked else "?") + query
        response = await client.request(policy.method, asked, body=body_of(policy))
        refused(response, "INVALID_ENVELOPE")


async def test_a_body_where_none_is_taken(client):
    for policy in [policy for policy in POLICIES if policy.body is None and not policy.raw]:
        refused(await call(client, policy, body=b"{}"), "INVALID_ENVELOPE")


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (Status.STARTING, "RUNTIME_STARTING"),
        (Status.UPGRADING, "RUNTIME_STARTING"),
        (Status.CLOSING, "RUNTIME_CLOSING"),
    ],
)
async def test_unless_ready_only_the_door_answers(client, broker, runtime, status, code):
    for policy in POLICIES:
        runtime.status = RuntimeStatus(status=status, progress=Progress(done=1, total=9))
        if not policy.needs_room:
            assert policy.name in OPEN_DOOR
            continue
        response = refused(await call(client, policy), code)
        assert response.json()["error"]["details"] == {
            "status": status.value,
            "progress": {"done": 1, "total": 9},
            "runtimeKey": "k" * 64,
            "runtimeScopeKey": "s" * 64,
        }
        assert broker.asked == []


async def test_in_setup_mode_the_setup_answers_too(starting, runtime):
    runtime.status = RuntimeStatus(status=Status.SETUP)
    for policy in POLICIES:
        response = await call(starting, policy)
        if policy.needs_room and not policy.in_setup:
            refused(response, "RUNTIME_STARTING")
            assert "set up" in response.json()["error"]["message"]
        else:
            assert policy.name in OPEN_DOOR | {"setup", "save_setup", "check_program"}
            is_secured(response)
            assert response.status != 503


async def test_before_the_room_is_open(starting):
    for policy in POLICIES:
        response = await call(starting, policy)
        if policy.needs_room:
            refused(response, "RUNTIME_STARTING")
        else:
            is_secured(response)


async def test_the_order_of_checks(client, runtime):
    """Everything is wrong at once; what is put right shows the next check."""
    runtime.status = RuntimeStatus(status=Status.CLOSING)
    wrong = {
        "host": "evil.example",
        "origin": "null",
        "authorization": "Bearer x",
        "content-type": "text/plain",
        "content-length": str(MAX_REQUEST_BYTES + 1),
    }
    good = dict(client.defaults(b""))
    seen = []

    async def attempt(method, path, body):
        raw = [(name.encode(), value.encode()) for name, value in wrong.items()]
        response = await client.raw(method, path, raw, body)
        seen.append(response.code)

    await attempt("PUT", "/api/messages", b"{")
    wrong["host"] = good["host"]
    await attempt("PUT", "/api/messages", b"{")
    del wrong["origin"]
    await attempt("PUT", "/api/messages", b"{")
    wrong["authorization"] = good["authorization"]
    await attempt("PUT", "/api/messages", b"{")
    await attempt("POST", "/api/messages", b"{")
    wrong["content-length"] = "1"
    await attempt("POST", "/api/messages", b"{")
    wrong["content-type"] = "application/json"
    await attempt("POST", "/api/messages", b"{")
    await attempt("POST", "/api/messages", b'{"from":1,"x":1}')
    await attempt("POST", "/api/messages", b'{"x":1}')
    await attempt("POST", "/api/messages", orjson.dumps(
        {name: SAMPLES[name] for name in ("clientCommandId", "to", "content")}))  # fmt: skip
    assert seen == [
        "FORBIDDEN_HOST",
        "FORBIDDEN_ORIGIN",
        "UNAUTHORIZED",
        "METHOD_NOT_ALLOWED",
        "MESSAGE_TOO_LARGE",
        "UNSUPPORTED_MEDIA_TYPE",
        "INVALID_ENVELOPE",
        "SENDER_FIELD_FORBIDDEN",
        "INVALID_ENVELOPE",
        "RUNTIME_CLOSING",
    ]


def test_segments_are_bounded_and_do_not_cross_slashes():
    table = PolicyTable()
    assert table.find("/api/turns/a:b.c/cancel").segments == {"turn_id": "a:b.c"}
    assert table.find("/api/turns/a/b/cancel") is None
    assert table.find("/api/turns//cancel") is None
    assert table.find(f"/api/turns/{'x' * 201}") is None
    assert table.find("/api/turns/<turn_id>").segments == {"turn_id": "<turn_id>"}
    assert table.find("/static/a/b.js").segments == {"name": "a/b.js"}
    assert table.find("/static//b.js") is None
    assert table.find("/static/") is None
    assert table.find("/static" + "/a" * 10) is None


@pytest.mark.parametrize("began", [False, True])
async def test_an_exception_behind_the_guards_tells_nothing(client, services, began, capsys):
    async def behind(scope, receive, send):
        if began:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"x"})
        raise RuntimeError("secret " + "x" * 10_000)

    client.app.open_room(services, behind)
    response = await client.get("/api/bootstrap")
    assert b"secret" not in response.body
    is_secured(response)
    if not began:
        assert (response.status, response.code) == (500, "INTERNAL_ERROR")
    logged = capsys.readouterr().out
    assert "RuntimeError" in logged
    assert client.bearer not in logged
    assert len(logged) < 3_000


async def test_a_slow_body_is_given_up(autojump_clock):
    start = trio.current_time()

    async def receive():
        await trio.sleep(1)
        return {"type": "http.request", "body": b" ", "more_body": True}

    with pytest.raises(GroupXError) as caught:
        await asgi.read_body(asgi.Incoming(receive, complete=False))
    assert caught.value.code is ErrorCode.INVALID_ENVELOPE
    assert trio.current_time() - start == asgi.BODY_SECONDS
