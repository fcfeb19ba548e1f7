import orjson

from groupx.domain.envelope import EventDraft, Provenance
from groupx.domain.wire import to_wire
from groupx.store.event_rows import content_of, load_json


def test_a_frame_is_the_envelope_as_json(ledger):
    reply = ledger.send().message_event_id
    drafts = (
        EventDraft(type="system.error", room_id="room:main", actor_id="system:groupx",
                   correlation_id="corr_1", body={}),
        EventDraft(type="message.created", room_id="room:main", actor_id=ledger.a,
                   correlation_id="corr_1", root_correlation_id="corr_2", hop_count=3,
                   body={"content": "x\\ud83d \x00", "n": [1, None, {"a": 1.5}]},
                   to=(ledger.b,), instance_id="instance_1", reply_to_event_id=reply,
                   forwarded_event_id=reply, causation_id="turn_1", parent_turn_id="turn_1",
                   idempotency_key="k",
                   provenance=Provenance(source_kind="mcp", labels=("ask",))),
    )  # fmt: skip
    for draft in drafts:
        envelope = ledger.write(lambda tx, it: tx.emit(it), draft)
        assert ledger.frames[-1].data == orjson.dumps(to_wire(envelope))
        assert ledger.frames[-1].seq == envelope.seq


def test_stored_json_is_read_whatever_its_surrogates():
    assert load_json('{"a":["\\ud83d",{"\\uDC00":1}]}') == {"a": ["\ufffd", {"\ufffd": 1}]}
    assert load_json('"\\\\ud83d"') == "\\ud83d"
    assert content_of({"content": 5}) == content_of({}) == ""
