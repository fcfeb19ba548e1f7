"""The connection itself, with a child made of queues."""

import json

import pytest
import trio
import trio.testing

from groupx.adapters.connection import OUTBOX_FRAMES, ConnectionLost
from groupx.adapters.jsonrpc import RpcConnection, RpcError
from groupx.process.child import ChildGone


class FakeChild:
    def __init__(self):
        self.to_us, self._lines = trio.open_memory_channel(10_000)
        self.written, self.exited, self.returncode = [], trio.Event(), None
        self.reads = trio.Event()
        self.reads.set()
        self.gone = False
        self.killed = False

    async def next_line(self):
        try:
            return await self._lines.receive()
        except trio.EndOfChannel:
            return None

    async def write(self, data):
        await self.reads.wait()
        if self.gone:
            raise ChildGone("gone")
        self.written.append(json.loads(data))

    def kill_tree(self):
        self.killed = True
        self.end()

    def end(self):
        self.to_us.close()
        self.exited.set()

    def says(self, **message):
        self.to_us.send_nowait(json.dumps({"jsonrpc": "2.0", **message}).encode())


@pytest.fixture
def child():
    return FakeChild()


@pytest.fixture
def heard():
    return []


@pytest.fixture
async def connection(child, heard, nursery):
    connection = RpcConnection(
        child,
        requests={"ask": lambda params, answer: answer({"got": params})},
        notifications={"tell": heard.append},
    )
    nursery.start_soon(connection.serve)
    return connection


async def asked(connection, nursery, outcomes, method="go", **more):
    async def ask():
        try:
            outcomes.append(await connection.request(method, {}, **more))
        except (RpcError, ConnectionLost, trio.TooSlowError) as error:
            outcomes.append(error)

    nursery.start_soon(ask)
    await trio.testing.wait_all_tasks_blocked()


@pytest.mark.parametrize("echo", [int, str], ids=["number", "string"])
async def test_answers_find_their_requests_in_any_order(connection, child, nursery, echo):
    first, second = [], []
    await asked(connection, nursery, first)
    await asked(connection, nursery, second)
    ids = [frame["id"] for frame in child.written]
    child.says(id=echo(ids[1]), result="two")
    child.says(id=echo(ids[0]), result="one")
    child.says(id=echo(ids[0]), result="twice")
    child.says(id=echo(777), result="nobody's")
    await trio.testing.wait_all_tasks_blocked()
    assert (first, second) == (["one"], ["two"])
    assert connection.loss is None


async def test_an_error_is_raised_with_all_it_says(connection, child, nursery):
    outcomes = []
    await asked(connection, nursery, outcomes)
    child.says(id=1, error={"code": -32603, "message": "boom", "data": {"x": 1}})
    await trio.testing.wait_all_tasks_blocked()
    [error] = outcomes
    assert (error.code, error.message, error.data) == (-32603, "boom", {"x": 1})


@pytest.mark.parametrize("error", ["boom", {"code": "x"}, {"code": None, "message": None}, 7])
async def test_a_malformed_error_is_still_an_error(connection, child, nursery, error):
    outcomes = []
    await asked(connection, nursery, outcomes)
    child.says(id=1, error=error)
    await trio.testing.wait_all_tasks_blocked()
    assert isinstance(outcomes[0], RpcError)


async def test_a_request_is_bounded_and_its_late_answer_ignored(
    autojump_clock, connection, child, nursery
):
    with pytest.raises(trio.TooSlowError):
        await connection.request("go", {}, seconds=5)
    child.says(id=1, result="late")
    await trio.testing.wait_all_tasks_blocked()
    assert connection.loss is None


@pytest.mark.parametrize("request_id", [0, "0", 17, "a-b"])
async def test_their_requests_are_answered_under_their_id(connection, child, request_id):
    child.says(id=request_id, method="ask", params={"x": 1})
    child.says(id=request_id, method="other", params=[1])
    await trio.testing.wait_all_tasks_blocked()
    known, unknown = child.written
    assert known == {"jsonrpc": "2.0", "id": request_id, "result": {"got": {"x": 1}}}
    assert (unknown["id"], unknown["error"]["code"]) == (request_id, -32601)


async def test_their_notifications_are_told_or_ignored(connection, child, heard):
    child.says(method="tell", params={"n": 1})
    child.says(method="unheard", params={"n": 2})
    child.says(method="tell")
    await trio.testing.wait_all_tasks_blocked()
    assert heard == [{"n": 1}, {}]
    assert child.written == []


async def test_reading_goes_on_while_the_child_does_not_read(connection, child, heard):
    child.reads = trio.Event()
    for number in range(50):
        child.says(id=number, method="ask")
        child.says(method="tell", params={"n": number})
    await trio.testing.wait_all_tasks_blocked()
    assert len(heard) == 50
    child.reads.set()
    await trio.testing.wait_all_tasks_blocked()
    assert len(child.written) == 50


async def test_one_that_asks_without_end_and_never_reads_is_cut_off(connection, child):
    child.reads = trio.Event()
    for number in range(OUTBOX_FRAMES + 10):
        child.says(id=number, method="ask")
    await trio.testing.wait_all_tasks_blocked()
    assert connection.loss.kind == "broken"


async def test_the_end_answers_everybody(connection, child, nursery):
    outcomes = []
    await asked(connection, nursery, outcomes)
    await asked(connection, nursery, outcomes)
    child.end()
    await trio.testing.wait_all_tasks_blocked()
    assert [type(outcome) for outcome in outcomes] == [ConnectionLost, ConnectionLost]
    assert {outcome.loss.kind for outcome in outcomes} == {"gone"}
    with pytest.raises(ConnectionLost):
        await connection.request("more", {})
    connection.notify("quietly", {})


async def test_what_was_said_before_the_end_is_heard(connection, child, nursery):
    outcomes = []
    await asked(connection, nursery, outcomes)
    child.says(id=1, result="in time")
    child.end()
    await trio.testing.wait_all_tasks_blocked()
    assert outcomes == ["in time"]


async def test_a_child_that_cannot_be_written_to_is_ended(connection, child, nursery):
    child.gone = True
    outcomes = []
    await asked(connection, nursery, outcomes)
    assert child.killed
    assert isinstance(outcomes[0], ConnectionLost)


async def test_the_preamble_is_what_came_before_the_first_message(connection, child):
    child.to_us.send_nowait(b"Welcome!")
    await trio.testing.wait_all_tasks_blocked()
    assert connection.preamble == "Welcome!"
    child.says(method="hello")
    await trio.testing.wait_all_tasks_blocked()
    assert connection.preamble == ""
    child.to_us.send_nowait(b"Welcome again!")
    await trio.testing.wait_all_tasks_blocked()
    assert connection.loss.kind == "broken"
    assert "Welcome again!" in connection.loss.reason
