"""Bootstrap, history and turn detail from a real ledger."""

import itertools
import random

import attrs
import pytest
import trio

from groupx.actors.messages import ReindexSearch
from groupx.domain.commands import AcceptCommand, CommandKey
from groupx.domain.envelope import Provenance
from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId, IdSource
from groupx.domain.limits import Limits
from groupx.domain.roster import RosterEntry
from groupx.domain.runs import OpenRun
from groupx.domain.search_page import Indexing
from groupx.domain.views import LiveTurn
from groupx.store.inline import InlineStore
from groupx.store.opening import open_ledger
from groupx.store.transactions.accept import accept
from groupx.store.transactions.bindings import open_run
from groupx.web.app import create_guards, open_room
from groupx.web.services import Notice

AGENT = ActorId("agent:a")


class LedgerRef:
    """The store's reference, straight onto an InlineStore."""

    def __init__(self, store):
        self.store = store

    async def ask(self, request):
        return await self.store.read(request.run, request.query, request.deadline_ms)


@pytest.fixture
async def ledger():
    ids = IdSource(itertools.count(1_770_000_000_000).__next__, random.Random(7).randbytes)
    store = InlineStore(
        lambda: open_ledger(
            ":memory:", now_iso="2026-02-01T00:00:00.000Z", database_id="database_1"
        ),
        ids=ids,
        now_ms=lambda: 1_770_000_000_000,
        on_commit=lambda _: None,
    )
    await store.start()
    await store.write(open_run, OpenRun(agents={AGENT: "Ada"}))
    yield store
    await store.aclose()


async def say(store, content):
    key = CommandKey(
        binding_id=WEB_BINDING,
        client_command_id=content[:100],
        command_type="message.send",
        request={"to": [AGENT], "content": content},
    )
    return await store.write(
        accept,
        AcceptCommand(
            key=key,
            actor_id=USER_WEB,
            to=(AGENT,),
            content=content,
            roster=(RosterEntry(actor_id=AGENT, adapter_id="demo"),),
            limits=Limits(),
            provenance=Provenance(source_kind="web"),
        ),
    )


@pytest.fixture
async def reader(client, entrance, services, ledger):
    notice = Notice(
        code="restarted",
        message="2 turns were interrupted.",
        facts={"counts": {"interrupted": 2}},
        at="now",
        after_seq=7,
    )
    whole = attrs.evolve(services, store=LedgerRef(ledger), notices=(notice,))
    client.app = create_guards(entrance)
    open_room(client.app, whole)
    return client


async def test_an_empty_room(reader):
    found = (await reader.get("/api/bootstrap")).json()
    assert found["schema"] == "groupx.bootstrap/1"
    assert found["runtime"] == {
        "version": "0.1.0",
        "channel": "source",
        "status": "ready",
        "startedAt": "2026-01-01T00:00:00.000Z",
        "runtimeKey": "k" * 64,
    }
    assert found["database"]["format"] == 10
    assert found["room"]["roomId"] == "room:main"
    assert found["rooms"] == [found["room"]]
    assert found["me"]["actorId"] == "user:web"
    assert found["assistant"] == {"enabled": True, "state": "off"}
    assert found["events"] == []
    assert found["activeTurns"] == []
    assert found["throughSeq"] == 0
    assert found["previousPage"] is None
    assert found["limits"]["messageCharacters"] == 131_072
    assert found["notices"] == [
        {
            "code": "restarted",
            "message": "2 turns were interrupted.",
            "facts": {"counts": {"interrupted": 2}},
            "at": "now",
            "afterSeq": 7,
        }
    ]
    assert [agent["actorId"] for agent in found["agents"]] == ["agent:a"]


async def test_what_waits_and_what_runs(reader, services, ledger):
    first = await say(ledger, "one")
    await say(ledger, "two")
    (queued,) = first.turns
    services.hub.live_begin(queued.turn_id, lambda: LiveTurn(text="so far", chunk_index=2))
    found = (await reader.get("/api/bootstrap")).json()
    assert [event["type"] for event in found["events"]] == ["message.created", "turn.queued"] * 2
    assert found["throughSeq"] == found["events"][-1]["seq"]
    one, two = found["activeTurns"]
    assert one["turnId"] == queued.turn_id
    assert one["live"] == {
        "text": "so far",
        "chunkIndex": 2,
        "reasoningCharacters": 0,
        "tools": [],
    }
    assert "live" not in two
    assert found["agents"][0]["lane"]["queued"] == 2


async def test_pages_meet(reader, ledger):
    for number in range(30):
        await say(ledger, f"message {number}")
    seen, target = [], "/api/history?limit=7"
    while target:
        page = (await reader.get(target)).json()
        seen[:0] = [event["seq"] for event in page["events"]]
        before = page["previousPage"]
        target = before and f"/api/history?limit=7&beforeSeq={before['beforeSeq']}"
        assert page["throughSeq"] == 60
    assert seen == list(range(1, 61))


async def test_one_turn(reader, ledger):
    turn_id = (await say(ledger, "one")).turns[0].turn_id
    found = (await reader.get(f"/api/turns/{turn_id}")).json()
    assert found["turn"]["turnId"] == turn_id
    assert found["attempts"] == []
    assert [link["via"] for link in found["chain"]] == ["message"]
    response = await reader.get("/api/turns/turn_0")
    assert (response.status, response.code) == (404, "NOT_FOUND")


async def test_a_large_text_passes_unchanged(reader, ledger):
    content = "é\0\u2028" * 10_000
    await say(ledger, content)
    with trio.fail_after(5):
        found = (await reader.get("/api/history")).json()
    assert found["events"][0]["body"]["content"] == content


async def test_messages_come_with_their_html_on_request(reader, ledger):
    said = await say(ledger, "**one** <i>")
    await say(ledger, "x" * 70_000)
    html = "<p><strong>one</strong> &lt;i&gt;</p>\n"
    for target in ("/api/bootstrap", "/api/history"):
        plain = (await reader.get(target)).json()
        found = (await reader.get(f"{target}?render=html")).json()
        assert found["events"][0] == {"event": plain["events"][0], "view": {"html": html}}
        assert found["events"][1:] == plain["events"][1:]
        assert {**found, "events": 0} == {**plain, "events": 0}
    view = await reader.get(f"/api/events/{said.message_event_id}/view")
    assert view.json() == {"eventId": said.message_event_id, "html": html}


async def test_one_event_of_whatever_room(reader, ledger):
    said = await say(ledger, "one")
    event = (await reader.get("/api/history")).json()["events"][0]
    found = await reader.get(f"/api/events/{said.message_event_id}")
    assert found.json() == {"event": event}
    assert event["roomId"] == "room:main"
    response = await reader.get("/api/events/evt_none")
    assert (response.status, response.code) == (404, "NOT_FOUND")


async def test_the_view_of_a_long_message_on_demand(reader, ledger):
    said = await say(ledger, "<" * 70_000)
    view = await reader.get(f"/api/events/{said.message_event_id}/view")
    assert view.json()["html"] == '<div class="plain">' + "&lt;" * 70_000 + "</div>"


async def test_no_view_of_what_has_no_words(reader, ledger):
    await say(ledger, "one")
    events = (await reader.get("/api/history")).json()["events"]
    queued = next(event for event in events if event["type"] == "turn.queued")
    for event_id in (queued["eventId"], "evt_none"):
        response = await reader.get(f"/api/events/{event_id}/view")
        assert (response.status, response.code) == (404, "NOT_FOUND")


@pytest.mark.parametrize("target", ["/api/bootstrap", "/api/history"])
async def test_a_room_that_is_not_there(reader, target):
    response = await reader.get(f"{target}?roomId=room:none")
    assert (response.status, response.code) == (404, "NOT_FOUND")
    assert (await reader.get(f"{target}?roomId=room:main")).status == 200


async def test_the_index_is_built_anew_by_the_broker(client, broker):
    broker.answers["ReindexSearch"] = Indexing(done=0, total=9)
    answer = await client.post("/api/search/reindex", {"clientCommandId": "c"})
    assert (answer.status, answer.json()) == (202, {"done": 0, "total": 9})
    assert broker.asked == [ReindexSearch(client_command_id="c")]
