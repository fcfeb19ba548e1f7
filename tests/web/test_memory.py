"""The routes of memories, identities and memory policies."""

import attrs
import pytest

from groupx.actors.messages import Remember, Retract, SetMemoryPolicy, Supersede
from groupx.domain.config import AgentConfig, Config
from groupx.domain.ids import SYSTEM, ActorId
from groupx.domain.memory import MemoryRecord
from groupx.domain.memory_commands import (
    IdentityDraft,
    IdentityPage,
    IdentityQuery,
    MemoryDraft,
    MemoryPage,
    MemoryQuery,
    PlacedRecord,
    Recorded,
    RecordQuery,
)
from groupx.domain.memory_policy import MemoryPolicy, PolicyQuery
from groupx.store.queries.rollups import DatedDay, DaysPage, DaysQuery

A = ActorId("agent:a")
RECORD = MemoryRecord(
    memory_id="mem_1", scope_type="room", scope_id="room:main", kind="note",
    author_actor_id="user:web", content="x", source_kind="web", status="active", created_at="t",
)  # fmt: skip
WIRE = {
    "memoryId": "mem_1", "scopeType": "room", "scopeId": "room:main", "kind": "note",
    "authorActorId": "user:web", "content": "x", "sourceKind": "web", "status": "active",
    "createdAt": "t",
}  # fmt: skip
KEEP = {"kind": "note", "content": "x"}


@pytest.mark.parametrize(
    ("path", "fields", "message"),
    [
        (
            "/api/memory",
            {**KEEP, "scopeType": "room", "subjectActorId": A, "sourceEventId": "evt_1"},
            Remember(
                client_command_id="c",
                draft=MemoryDraft(
                    layer="room", kind="note", content="x", subject_actor_id=A,
                    source_event_id="evt_1",
                ),
            ),
        ),
        (
            "/api/memory",
            {**KEEP, "scopeType": "agent", "scopeId": A},
            Remember(
                client_command_id="c",
                draft=MemoryDraft(layer="core", owner=A, kind="note", content="x"),
            ),
        ),
        (
            "/api/memory",
            {**KEEP, "scopeType": "correlation", "scopeId": "corr_1"},
            Remember(
                client_command_id="c",
                draft=MemoryDraft(layer="correlation", owner="corr_1", kind="note", content="x"),
            ),
        ),
        (
            "/api/identity",
            {**KEEP, "subjectActorId": A},
            Remember(
                client_command_id="c",
                draft=IdentityDraft(subject_actor_id=A, kind="note", content="x"),
            ),
        ),
        *(
            (
                f"/api/{family}/it/supersede",
                {"content": "y", "kind": "fact", "sourceEventId": "evt_1"},
                Supersede(
                    client_command_id="c", family=family, record_id="it", content="y",
                    new_kind="fact", source_event_id="evt_1",
                ),
            )
            for family in ("memory", "identity")
        ),
        *(
            (
                f"/api/{family}/it/retract",
                {},
                Retract(client_command_id="c", family=family, record_id="it"),
            )
            for family in ("memory", "identity")
        ),
    ],
)  # fmt: skip
async def test_writing(client, broker, path, fields, message):
    name = type(message).__name__
    broker.answers[name] = Recorded(record=RECORD, event_id="evt_9")
    response = await client.post(path, {"clientCommandId": "c"} | fields)
    assert broker.asked == [message]
    assert (response.status, response.json()) == (200, {"record": WIRE, "eventId": "evt_9"})


@pytest.mark.parametrize(
    "fields",
    [
        {"scopeType": "agent"},
        {"scopeType": "correlation"},
        {"scopeType": "world"},
        {"scopeType": "room", "kind": "summary"},
        {"scopeType": "room", "agentMemoryType": "dated"},
        {"scopeType": "room", "content": ""},
    ],
    ids=str,
)
async def test_what_cannot_be_written(client, broker, fields):
    response = await client.post("/api/memory", {"clientCommandId": "c", **KEEP} | fields)
    assert (response.status, response.code) == (400, "INVALID_ENVELOPE")
    assert broker.asked == []


async def test_reading_memories(client, store):
    store.answers["Read"] = MemoryPage(records=(RECORD,), next_before="mem_1")
    response = await client.get(
        "/api/memory?scopeType=agent&scopeId=agent%3Aa&agentMemoryType=core&kind=note&q=two+words"
        "&author=user%3Aweb&subject=agent%3Aa&show=history&before=mem_2&limit=3&roomId=room%3Amain"
    )
    assert response.json() == {"records": [WIRE], "nextBefore": "mem_1"}
    assert store.asked[0].query == MemoryQuery(
        room_id="room:main", words="two words", scope_type="agent", scope_id=A,
        agent_memory_type="core", kind="note", author="user:web", subject=A, history=True,
        before="mem_2", limit=3,
    )  # fmt: skip
    await client.get("/api/memory")
    assert store.asked[1].query == MemoryQuery()
    assert (await client.get("/api/memory?limit=201")).status == 400


async def test_reading_identities(client, store):
    store.answers["Read"] = IdentityPage(records=())
    response = await client.get("/api/identity?subject=agent%3Aa&show=history")
    assert response.json() == {"records": []}
    assert store.asked[0].query == IdentityQuery(subject=A, history=True)


@pytest.mark.parametrize("family", ["memory", "identity"])
async def test_reading_one_record(client, store, family):
    store.answers["Read"] = PlacedRecord(record=RECORD, room_id="room:main")
    assert (await client.get(f"/api/{family}/it")).json() == {
        "record": WIRE,
        "roomId": "room:main",
    }
    assert store.asked[0].query == RecordQuery(family=family, record_id="it")


async def test_records_are_shown_as_messages_are(client, store, entrance):
    bold = attrs.evolve(RECORD, content="**x** <i>")
    view = {"html": "<p><strong>x</strong> &lt;i&gt;</p>\n"}
    shown = WIRE | {"content": "**x** <i>", "view": view}
    store.answers["Read"] = MemoryPage(records=(bold, attrs.evolve(bold, content="y" * 70_000)))
    records = (await client.get("/api/memory?render=html")).json()["records"]
    assert records == [shown, WIRE | {"content": "y" * 70_000}]
    store.answers["Read"] = PlacedRecord(record=bold)
    assert (await client.get("/api/memory/mem_1?render=html")).json() == {"record": shown}
    store.answers["Read"] = IdentityPage(records=())
    agent = AgentConfig(id="a", driver="demo", name="A", identity="**x** <i>", cwd="/")
    entrance.setup.desk.running = Config(path="/groupx.json", agents=(agent,))
    assert (await client.get("/api/identity?subject=agent%3Aa&render=html")).json() == {
        "records": [],
        "configured": "**x** <i>",
        "configuredView": view,
    }


async def test_identities_come_with_what_the_config_says_of_their_subject(client, store, entrance):
    store.answers["Read"] = IdentityPage(records=())
    agent = AgentConfig(id="a", driver="demo", name="A", identity="You plan.", cwd="/")
    entrance.setup.desk.running = Config(path="/groupx.json", agents=(agent,))
    response = await client.get("/api/identity?subject=agent%3Aa")
    assert response.json() == {"records": [], "configured": "You plan."}
    assert (await client.get("/api/identity?subject=agent%3Ab")).json() == {"records": []}
    assert (await client.get("/api/identity")).json() == {"records": []}


@pytest.mark.parametrize(("segment", "actor"), [("a", A), ("agent:a", A), (SYSTEM, SYSTEM)])
async def test_policies(client, store, broker, segment, actor):
    store.answers["Read"] = broker.answers["SetMemoryPolicy"] = MemoryPolicy()
    policy = {
        "useMemories": True, "generation": "enabled", "source": "default", "revision": 0,
    }  # fmt: skip
    response = await client.get(f"/api/memory-policy/{segment}")
    assert response.json() == {"policy": policy}
    assert store.asked[0].query == PolicyQuery(actor_id=actor)
    await client.get(f"/api/memory-policy/{segment}?roomId=room%3Aold")
    assert store.asked[1].query == PolicyQuery(actor_id=actor, room_id="room:old")
    body = {
        "clientCommandId": "c", "useMemories": False, "generation": "disabled",
        "expectedRevision": 0, "reason": "private",
    }  # fmt: skip
    response = await client.put(f"/api/memory-policy/{segment}", body)
    assert (response.status, response.json()) == (200, {"policy": policy})
    assert broker.asked == [
        SetMemoryPolicy(
            client_command_id="c", agent=actor, use_memories=False, generation="disabled",
            expected_revision=0, reason="private",
        )
    ]  # fmt: skip


async def test_a_policy_of_nobody(client, store, broker):
    response = await client.get("/api/memory-policy/user:web")
    assert (response.status, response.code) == (404, "UNKNOWN_TARGET")
    assert store.asked == broker.asked == []


async def test_an_agents_days(client, store):
    record = attrs.evolve(RECORD, agent_memory_type="dated", kind="summary")
    failed = DatedDay(
        local_date="2026-02-03",
        waiting_turns=2,
        last_error_code="ADAPTER_EXITED",
        next_attempt_at="2026-02-03T10:00:00.000Z",
    )
    done = DatedDay(local_date="2026-02-02", waiting_turns=0, record=record)
    store.answers["Read"] = DaysPage(days=(failed, done), next_before="2026-02-02")
    response = await client.get(
        "/api/memory/days?agent=agent%3Aa&limit=2&before=2026-02-04&roomId=room%3Amain"
        "&localDate=2026-02-03"
    )
    assert response.json() == {
        "days": [
            {"localDate": "2026-02-03", "waitingTurns": 2, "lastErrorCode": "ADAPTER_EXITED",
             "nextAttemptAt": "2026-02-03T10:00:00.000Z"},
            {"localDate": "2026-02-02", "waitingTurns": 0,
             "record": WIRE | {"agentMemoryType": "dated", "kind": "summary"}},
        ],
        "nextBefore": "2026-02-02",
    }  # fmt: skip
    assert store.asked[0].query == DaysQuery(
        actor_id=A, room_id="room:main", local_date="2026-02-03", before="2026-02-04", limit=2
    )
    assert (await client.get("/api/memory/days")).status == 400
    await client.get("/api/memory/days?agent=a")
    assert store.asked[1].query == DaysQuery(actor_id=A)


@pytest.mark.parametrize("day", ["yesterday", "20260203", "2026-2-3", "2026-02-30", ""])
@pytest.mark.parametrize("name", ["localDate", "before"])
async def test_days_that_are_none(client, store, name, day):
    response = await client.get(f"/api/memory/days?agent=a&{name}={day}")
    assert (response.status, response.code) == (400, "INVALID_ENVELOPE")
    assert store.asked == []


async def test_days_of_what_cannot_be_an_agent(client, store):
    response = await client.get("/api/memory/days?agent=user%3Aweb")
    assert (response.status, response.code) == (404, "UNKNOWN_TARGET")
    assert store.asked == []
