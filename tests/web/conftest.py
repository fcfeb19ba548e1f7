import inspect

import attrs
import orjson
import pytest
import trio

from groupx.actors.assistant_board import AssistantBoard
from groupx.actors.callers import Caller
from groupx.actors.event_hub import EventHub
from groupx.actors.importing import imported
from groupx.adapters.contract import Login
from groupx.capabilities.checkup import Checkup
from groupx.domain.commands import AcceptedMessage, CancelAnswer, QueuedTurnAnswer, WithdrawAnswer
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, IdSource
from groupx.domain.limits import Limits
from groupx.domain.roster import AgentState
from groupx.domain.turns import TurnStatus
from groupx.domain.views import AgentView, LaneView
from groupx.setup.desk import SetupDesk
from groupx.setup.programs import Program
from groupx.web.app import create_guards, open_room
from groupx.web.backups import Backups
from groupx.web.login import LoginCodes
from groupx.web.services import (
    AssistantFace,
    DatabaseFacts,
    Entrance,
    PartHealth,
    RuntimeFacts,
    RuntimeStatus,
    Services,
    SetupFace,
    Status,
    StoreHealth,
)
from groupx.web.token import Token, read_token

trio.run(imported, "groupx.web.streams.routes")
"""Once for all tests: on virtual time nobody waits for the thread that imports it."""

PORT = 4310
VIEW = AgentView(
    actor_id=ActorId("agent:a"),
    id="a",
    name="A",
    driver="demo",
    enabled=True,
    state=AgentState.IDLE,
    since="2026-01-01T00:00:00.000Z",
    cwd="/",
    lane=LaneView(queued=3),
)
ACCEPTED = AcceptedMessage(
    message_event_id="evt_1",
    correlation_id="corr_1",
    turns=(
        QueuedTurnAnswer(
            target=ActorId("agent:a"),
            turn_id="turn_1",
            status=TurnStatus.QUEUED,
            transport="structured",
            queue_position=0,
        ),
    ),
)
CANCELLED = CancelAnswer(
    turn_id="turn_1", status=TurnStatus.CANCELLED, target_actor_id=ActorId("agent:a")
)
ANSWERS = {
    "SendMessage": ACCEPTED,
    "ReplaceMessage": ACCEPTED,
    "RunAgain": ACCEPTED,
    "ContinueRoot": ACCEPTED,
    "CancelTurn": CANCELLED,
    "WithdrawMessage": WithdrawAnswer(message_event_id="evt_1", turns=(CANCELLED,)),
    "SetLane": VIEW,
    "ControlAgentCommand": VIEW,
}


class FakeActor:
    """Remembers what it is asked; answers from a table, or raises what stands there."""

    def __init__(self, answers):
        self.answers = answers
        self.asked = []

    async def ask(self, request):
        await trio.lowlevel.checkpoint()
        self.asked.append(request)
        answer = self.answers[type(request).__name__]
        if isinstance(answer, BaseException):
            raise answer
        return answer(request) if inspect.isfunction(answer) else answer


class FakeDirectory:
    def views(self):
        return (VIEW,)


class FakeDesk:
    """Takes the user's own bearer for an agent's, so that one client reaches every route."""

    def __init__(self, token):
        self.token = token

    def caller(self, authorization, desk):
        if not self.token.opens_as_bearer((authorization or "").removeprefix("Bearer ")):
            raise GroupXError(ErrorCode.UNAUTHORIZED, "a bearer of nobody")
        return Caller(desk=desk, binding_id="b", actor_id=ActorId("agent:a"), instance_id="i")

    async def serve(self, caller, scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": caller.desk.encode()})


class FakePrograms:
    """Nothing is started to look."""

    drivers = ("demo", "acp")

    async def found(self):
        return (Program(driver="demo", id="demo", name="Demo agent", found=True),)


class FakeChecks:
    """Knows one program, which is not logged in."""

    async def check(self, driver):
        if driver != "codex":
            raise GroupXError(ErrorCode.NOT_FOUND, "no program")
        login = Login("no", "it says so itself")
        return Checkup(driver=driver, found=True, login=login, problems=("Log in.",))


@attrs.define
class Runtime:
    """What a test may turn: the status, and whether a stop or a restart was asked for."""

    status: RuntimeStatus = RuntimeStatus(status=Status.READY)
    stops: int = 0
    restarts: int = 0

    def stop(self):
        self.stops += 1

    def restart(self):
        self.restarts += 1


@pytest.fixture
def runtime():
    return Runtime()


@pytest.fixture
def config_file(tmp_path):
    return tmp_path / "groupx.json"


@pytest.fixture
def entrance(tmp_path, runtime, config_file):
    token = Token(tmp_path / "token")
    return Entrance(
        facts=RuntimeFacts(
            version="0.1.0",
            channel="source",
            started_at="2026-01-01T00:00:00.000Z",
            runtime_key="k" * 64,
            runtime_scope_key="s" * 64,
            port=PORT,
        ),
        status=lambda: runtime.status,
        request_shutdown=runtime.stop,
        request_restart=runtime.restart,
        token=token,
        logins=LoginCodes(token),
        mcp=FakeDesk(token),
        setup=SetupFace(
            desk=SetupDesk(
                config_file, drivers=("demo", "acp"), port=PORT, revision_key=b"", running=None
            ),
            programs=FakePrograms(),
            checks=FakeChecks(),
        ),
    )


@pytest.fixture
def bearer(entrance, tmp_path):
    return read_token(tmp_path / "token")


@pytest.fixture
def broker():
    return FakeActor(dict(ANSWERS))


@pytest.fixture
def store():
    return FakeActor({})


@pytest.fixture
def assistant():
    return FakeActor({})


@pytest.fixture
def context():
    return FakeActor({})


@pytest.fixture
async def services(entrance, broker, assistant, context, store, tmp_path):
    return Services(
        **attrs.asdict(entrance, recurse=False),
        broker=broker,
        assistant=AssistantFace(
            board=AssistantBoard(name="Ann", driver="demo", now_ms=lambda: 1), ref=assistant
        ),
        context=context,
        store=store,
        directory=FakeDirectory(),
        hub=EventHub(Limits()),
        limits=Limits(),
        ids=IdSource(lambda: 1, bytes),
        now_ms=lambda: 1,
        database=DatabaseFacts(path="/data/groupx.sqlite", format=10, database_id="database_1"),
        store_health=lambda: StoreHealth(state="ok", pending=2),
        rollups_health=PartHealth,
        search_health=PartHealth,
        backups=Backups(tmp_path / "groupx.db", tmp_path / "backups", store, lambda: 1),
    )


@attrs.frozen
class Response:
    status: int
    headers: list
    body: bytes

    def json(self):
        return orjson.loads(self.body)

    @property
    def code(self):
        return self.json()["error"]["code"]

    def header(self, name):
        return [value for key, value in self.headers if key == name]


class Client:
    """Speaks ASGI to an app, header by header."""

    def __init__(self, app, bearer):
        self.app = app
        self.bearer = bearer

    async def request(self, method, target, *, headers=None, body=None, **changes):
        """`headers` replaces all of them; `changes` adds or (None) removes single ones."""
        found = dict(headers) if headers is not None else self.defaults(body)
        for name, value in changes.items():
            found[name.replace("_", "-")] = value
        raw = [
            (name.encode(), value.encode("latin-1"))
            for name, value in found.items()
            if value is not None
        ]
        return await self.raw(method, target, raw, body or b"")

    def defaults(self, body):
        headers = {
            "host": f"127.0.0.1:{PORT}",
            "authorization": f"Bearer {self.bearer}",
        }
        if body is not None:
            headers |= {"content-type": "application/json", "content-length": str(len(body))}
        return headers

    async def post(self, target, value, **changes):
        return await self.request("POST", target, body=orjson.dumps(value), **changes)

    async def put(self, target, value, **changes):
        return await self.request("PUT", target, body=orjson.dumps(value), **changes)

    async def get(self, target, **changes):
        return await self.request("GET", target, **changes)

    async def raw(self, method, target, raw, body):
        path, _, query = target.partition("?")
        websocket = method == "WEBSOCKET"
        scope = {
            "type": "websocket" if websocket else "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "ws" if websocket else "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": raw,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", PORT),
            "state": {},
            "subprotocols": [],
            "extensions": {"websocket.http.response": {}},
        }
        if not websocket:
            scope["method"] = method
        incoming = (
            [{"type": "websocket.connect"}]
            if websocket
            else [{"type": "http.request", "body": body, "more_body": False}]
        )
        sent = []

        async def receive():
            await trio.lowlevel.checkpoint()
            if incoming:
                return incoming.pop(0)
            return await trio.sleep_forever()

        async def send(message):
            await trio.lowlevel.checkpoint()
            sent.append(message)

        await self.app(scope, receive, send)
        start, *parts = sent
        prefix = "websocket.http" if websocket else "http"
        assert start["type"] == f"{prefix}.response.start"
        assert not parts[-1].get("more_body", False)
        return Response(
            status=start["status"],
            headers=[(key.decode(), value.decode("latin-1")) for key, value in start["headers"]],
            body=b"".join(part["body"] for part in parts),
        )


@pytest.fixture
def starting(entrance, bearer):
    """A client of a runtime whose room is not open yet."""
    return Client(create_guards(entrance), bearer)


@pytest.fixture
def client(entrance, services, bearer):
    """A client of a runtime whose room is open."""
    guards = create_guards(entrance)
    open_room(guards, services)
    return Client(guards, bearer)
