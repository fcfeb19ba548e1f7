"""The routes of the room's context."""

import pytest

from groupx.actors.messages import CancelCompaction, CompactContext, MeasureContext, ResetRoom
from groupx.domain.compaction import CompactionBegun
from groupx.domain.compaction_state import (
    CompactionCancelled,
    CompactionState,
    CompactionView,
)
from groupx.domain.context_reset import ContextReset
from groupx.domain.context_usage import ContextUsage
from groupx.domain.context_view import ContextStart, SaidSize, context_view
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import MAIN_ROOM, ActorId
from groupx.domain.limits import Limits

START = ContextStart(
    room_id=MAIN_ROOM, reset_through_seq=0, summary_through_seq=None, summary_characters=0,
    first_seq=1, newest_seq=9,
)  # fmt: skip
USAGE = ContextUsage(
    actor_id=ActorId("agent:a"), source="turn", tracker="native", characters=9, tokens=None,
    epoch=1, revision=2, updated_at="t",
)  # fmt: skip


async def test_the_gauge_has_the_tables_shape(client, context):
    view = context_view(START, SaidSize(messages=13, characters=100), [USAGE], Limits())
    context.answers["MeasureContext"] = view
    answer = await client.get("/api/context")
    assert (answer.status, context.asked) == (200, [MeasureContext()])
    assert answer.json() == {
        "estimatedCharacters": 4_720,
        "maxCharacters": 256_000,
        "compactionTriggerCharacters": 192_000,
        "utilizationPercent": 1.8,
        "uncompactedMessageCount": 13,
        "compactable": True,
        "bySource": [
            {
                "actorId": "agent:a", "source": "turn", "tracker": "native", "characters": 9,
                "epoch": 1, "revision": 2, "updatedAt": "t",
            }
        ],
    }  # fmt: skip


async def test_what_there_is_of_checkpoint_and_reset_is_named(client, context):
    start = ContextStart(
        room_id=MAIN_ROOM, reset_through_seq=3, summary_through_seq=7, summary_characters=50,
        first_seq=1, newest_seq=9,
    )  # fmt: skip
    view = context_view(start, SaidSize(), [], Limits(context_characters=1_000))
    context.answers["MeasureContext"] = view
    body = (await client.get("/api/context")).json()
    assert (body["summaryThroughSeq"], body["resetThroughSeq"]) == (7, 3)
    assert (body["estimatedCharacters"], body["utilizationPercent"]) == (1_790, 179.0)
    assert body["compactable"] is False


async def test_a_gauge_that_cannot_be_read_says_so(client, context):
    context.answers["MeasureContext"] = GroupXError(ErrorCode.STORE_BUSY, "Later.")
    answer = await client.get("/api/context")
    assert (answer.status, answer.code) == (503, "STORE_BUSY")


@pytest.mark.parametrize(
    ("fields", "changed", "status"),
    [({}, True, 200), ({"resetNativeSessions": True}, True, 202),
     ({"resetNativeSessions": True}, False, 200)],
)  # fmt: skip
async def test_a_reset_is_asked_of_the_broker(client, broker, fields, changed, status):
    broker.answers["ResetRoom"] = ContextReset(through_seq=431, changed=changed)
    answer = await client.post("/api/context/reset", {"clientCommandId": "c", **fields})
    assert answer.json() == {"throughSeq": 431, "changed": changed}
    assert answer.status == status
    sessions = fields.get("resetNativeSessions", False)
    assert broker.asked == [ResetRoom(client_command_id="c", reset_native_sessions=sessions)]


async def test_compaction_is_asked_of_the_broker(client, broker):
    broker.answers["CompactContext"] = CompactionBegun(compaction_id="compaction_1")
    answer = await client.post("/api/context/compact", {"clientCommandId": "c"})
    assert (answer.status, answer.json()) == (202, {"compactionId": "compaction_1"})
    assert broker.asked == [CompactContext(client_command_id="c")]
    broker.answers["CompactContext"] = GroupXError(ErrorCode.STORE_CONFLICT, "Nothing to do.")
    answer = await client.post("/api/context/compact", {"clientCommandId": "c"})
    assert (answer.status, answer.code) == (409, "STORE_CONFLICT")


async def test_a_cancel_of_a_compaction_is_asked_of_the_broker(client, broker):
    broker.answers["CancelCompaction"] = CompactionCancelled(compaction_id="compaction_1")
    answer = await client.post("/api/context/compact/cancel", {"clientCommandId": "c"})
    assert (answer.status, answer.json()) == (200, {"compactionId": "compaction_1"})
    assert broker.asked == [CancelCompaction(client_command_id="c")]


@pytest.mark.parametrize(
    ("last", "shown"),
    [
        (
            CompactionView(compaction_id="c", state=CompactionState.RUNNING, passes=2),
            {"compactionId": "c", "state": "running", "passes": 2},
        ),
        (
            CompactionView(
                compaction_id="c", state=CompactionState.FAILED, passes=1, error_code="X",
                message="No.",
            ),
            {"compactionId": "c", "state": "failed", "passes": 1, "errorCode": "X",
             "message": "No."},
        ),
    ],
)  # fmt: skip
async def test_the_gauge_tells_of_the_last_compaction(client, context, last, shown):
    context.answers["MeasureContext"] = context_view(START, SaidSize(), [], Limits(), last)
    assert (await client.get("/api/context")).json()["compaction"] == shown


async def test_a_reset_takes_no_word_for_a_flag(client, broker):
    body = {"clientCommandId": "c", "resetNativeSessions": "yes"}
    answer = await client.post("/api/context/reset", body)
    assert (answer.status, answer.code, broker.asked) == (400, "INVALID_ENVELOPE", [])
