"""The short way answers as the ordinary one does, whatever arrives and however it is cut up."""

import re

import attrs
import pytest
import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from trio.testing import memory_stream_pair, wait_all_tasks_blocked

from groupx.web import asgi
from groupx.web.asgi import CONNECTION
from groupx.web.connection import Connection
from groupx.web.errors import Answer
from groupx.web.guards import CALL, Guards
from groupx.web.http1 import HttpServer, http_config
from groupx.web.policy import POLICIES, PolicyTable
from groupx.web.short_way import MAX_HEADER_BYTES, WholeRequest, whole_request
from tests.web.conftest import PORT

HOST = b"Host: 127.0.0.1:%d" % PORT
LAST = b"GET /api/health HTTP/1.1\r\n%b\r\nConnection: close\r\n\r\n" % HOST


class Socket:
    def getpeername(self):
        return ("127.0.0.1", 50000)

    def getsockname(self):
        return ("127.0.0.1", PORT)

    def fileno(self):
        return -1


class Wire:
    """A trio.SocketStream in memory."""

    def __init__(self, stream):
        self.socket = Socket()
        self.send_all, self.receive_some = stream.send_all, stream.receive_some
        self.send_eof, self.aclose = stream.send_eof, stream.aclose


async def echo(scope, incoming, send):
    """Everything that the app was told of the request."""
    call = scope[CALL]
    told = {name: scope[name] for name in sorted(set(scope) - {CALL, "state", "asgi"})}
    content = repr((told, call.policy.name, dict(call.segments), dict(call.query), call.body))
    await asgi.send_answer(scope, incoming, send, Answer(status=200, content=content.encode()))


class Talk:
    """One connection to the guards, with the short way or without it."""

    def __init__(self, entrance, *, short):
        table = PolicyTable(tuple(attrs.evolve(it, needs_room=False) for it in POLICIES))
        self.guards = Guards(entrance, echo, table)
        self.taken = 0
        self.short = short
        self.context = WorkerContext(None)
        self.said = b""

    def takes(self, method, path):
        taken = self.short and self.guards.answers_at_once(method, path)
        self.taken += taken
        return taken

    async def say(self, *segments):
        """What is answered to them, each sent once all before is answered, and then to LAST."""
        client, server = memory_stream_pair()
        connection = Connection(Wire(server), lambda: None)
        state = ConnectionState({CONNECTION: connection})
        run = HttpServer(
            self.takes, ASGIWrapper(self.guards), http_config(), self.context, state, connection
        ).run
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            nursery.start_soon(self._listen, client)
            for segment in (*segments, LAST):
                try:
                    await client.send_all(segment)
                except trio.BrokenResourceError:
                    break
                await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        return re.sub(rb"\r\ndate: [^\r]+", b"\r\ndate: now", self.said)

    async def _listen(self, client):
        while data := await client.receive_some():
            self.said += data


def both(entrance, segments):
    """The answers on either way, and how many requests went the short one."""
    ordinary, short = Talk(entrance, short=False), Talk(entrance, short=True)
    return trio.run(ordinary.say, *segments), trio.run(short.say, *segments), short.taken


def request(method=b"GET", target=b"/api/health", *headers, body=b"", version=b"HTTP/1.1"):
    lines = [b" ".join([method, target, version]), *headers, b"", body]
    return b"\r\n".join(lines)


def post(target, body, *headers):
    length = b"Content-Length: %d" % len(body)
    kind = b"Content-Type: application/json"
    return request(b"POST", target, HOST, kind, length, *headers, body=body)


PLAIN = [
    (request(b"GET", b"/api/health", HOST), 1),
    (request(b"GET", b"/api/health?x=1", HOST), 1),
    (request(b"GET", b"/api/turns/turn%5f1?render=html", HOST), 1),
    (request(b"GET", b"/api/health", HOST, b"Connection: Keep-Alive", b"Accept: */*"), 1),
    (post(b"/api/login-codes", b"{}"), 1),
    (post(b"/api/login-codes", b"\xff\x00"), 1),
    (request(b"DELETE", b"/api/health", HOST), 0),
    (request(b"GET", b"/", HOST), 1),
    (request(b"GET", b"/static/css/agent_panel.css", HOST), 1),
    (request(b"GET", b"/api/events", HOST), 0),
    (request(b"GET", b"/api/nothing", HOST), 0),
    (request(b"GET", b"/api/health", HOST, b"Connection: close"), 0),
    (request(b"GET", b"/api/health"), 0),
    (request(b"GET", b"/api/health", HOST, HOST), 0),
    (request(b"GET", b"/api/health", HOST) * 2, 0),
    (request(b"GET", b"/api/health", HOST, version=b"HTTP/1.0"), 0),
    (b"GARBAGE\r\n\r\n", 0),
    (request(b"PUT", b"/api/memory", HOST, b"Expect: 100-continue"), 0),
]


@pytest.mark.parametrize(("data", "taken"), PLAIN)
def test_both_ways_answer_alike(entrance, data, taken):
    ordinary, short, went = both(entrance, [data])
    assert short == ordinary
    assert short.count(b"HTTP/1.1 ") >= 2 or not taken
    assert went == taken


names = st.sampled_from(
    b"Host,Accept,Authorization,Connection,Content-Length,Content-Type,Cookie,Expect,Origin,"
    b"Sec-Fetch-Site,TE,Transfer-Encoding,Upgrade,x-Y,bad name,".split(b",")
)
values = st.sampled_from(
    b"127.0.0.1:4310|close|keep-alive|0|2|07|99999|chunked|application/json|http://evil.example|"
    b"a=b; c=d|| x |\tx|\x7f|\xe9|a\x00b|Bearer x|100-continue|websocket|gzip, chunked".split(b"|")
)
headers = st.lists(
    st.builds(lambda name, gap, value: name + b":" + gap + value, names,
              st.sampled_from([b" ", b"", b"  "]), values), max_size=4,
)  # fmt: skip
targets = st.sampled_from(
    b"/api/health /api/health?a=b /api/messages /api/login-codes /api/bootstrap /api/turns/%2e%2e "
    b"/api/turns/a%00b /api/turns/%ff /api/health#f /api/%68ealth //api/health * / /static/x "
    b"http://127.0.0.1/api/health /api/events".split()
)
bodies = st.sampled_from([b"", b"{}", b'{"clientCommandId":"c"}', b"[]", b"\xff", b"{} "])


@st.composite
def requests(draw):
    """Mostly sound, now and then not."""
    method = draw(st.sampled_from([b"GET", b"POST", b"PUT", b"HEAD", b"get", b"OPTIONS"]))
    body = draw(bodies)
    sound = draw(st.booleans())
    lines = [HOST, *([b"Content-Length: %d" % len(body)] if body or sound else [])]
    lines += draw(headers)
    version = draw(st.sampled_from([b"HTTP/1.1"] * 5 + [b"HTTP/1.0", b"HTTP/2.0"]))
    data = request(method, draw(targets), *draw(st.permutations(lines)), body=body, version=version)
    if draw(st.integers(0, 5)) == 0:
        at = draw(st.integers(0, len(data) - 1))
        data = data[:at] + draw(st.binary(max_size=2)) + data[at + 1 :]
    cut = draw(st.integers(0, 3 * len(data)))
    return [data[:cut], data[cut:]] if 0 < cut < len(data) else [data]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(requests(), min_size=1, max_size=3))
@example([[PLAIN[0][0]], [b"GET /api/hea", b"lth HTTP/1.1\r\n%b\r\n\r\n" % HOST]])
def test_nobody_can_tell_which_way_it_went(entrance, asked):
    ordinary, short, _ = both(entrance, [segment for segments in asked for segment in segments])
    assert short == ordinary


@given(st.binary(max_size=200))
def test_what_is_taken_holds_nothing_else(data):
    taken = whole_request(data)
    assert taken is None or data.endswith(taken.body)


def test_a_head_over_the_bound_is_not_taken():
    fits = MAX_HEADER_BYTES - len(request(b"GET", b"/", HOST, b"X: ")) + 4
    assert whole_request(request(b"GET", b"/", HOST, b"X: " + b"y" * fits)) is not None
    assert whole_request(request(b"GET", b"/", HOST, b"X: " + b"y" * (fits + 1))) is None


def test_what_is_read():
    asked = whole_request(post(b"/a%20b?c", b"xy", b"X-Y: a  b"))
    assert asked == WholeRequest(
        method="POST",
        path="/a b",
        raw_path=b"/a%20b",
        query=b"c",
        headers=[
            (b"host", HOST[6:]),
            (b"content-type", b"application/json"),
            (b"content-length", b"2"),
            (b"x-y", b"a  b"),
        ],
        body=b"xy",
    )


async def test_a_connection_ends_behind_its_answer_once_the_server_stops(entrance):
    talk = Talk(entrance, short=True)

    async def stopped_meanwhile(scope, incoming, send):
        await talk.context.terminated.set()
        await echo(scope, incoming, send)

    talk.guards = Guards(entrance, stopped_meanwhile)
    said = await talk.say(PLAIN[0][0])
    assert (talk.taken, said.count(b"HTTP/1.1 200")) == (1, 1)


@pytest.mark.parametrize("value", [b"a\r\nb: c", b"a\nb", b"\x00"])
async def test_no_header_of_a_response_forges_another(entrance, value):
    talk = Talk(entrance, short=True)

    async def forging(scope, incoming, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", value)]})

    talk.guards = Guards(entrance, forging)
    said = await talk.say(PLAIN[0][0])
    assert (talk.taken, said) == (1, b"")
