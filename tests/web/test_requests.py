import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.supervision import Supervision
from groupx.web.requests import (
    COMMAND,
    MAX_DEPTH,
    MAX_ID_CHARACTERS,
    SENDER_FIELDS,
    SUPERVISION,
    TARGETS,
    flag,
    identifier,
    number,
    read_body,
    read_query,
    text,
)

SCHEMA = {
    **COMMAND,
    "to": TARGETS,
    "content": text(),
    "force": flag(),
    "replyToEventId": identifier(required=False),
    "supervision": SUPERVISION,
}
WATCHED = {"observers": ["agent:b"], "mode": "live_steer"}
GOOD = {"clientCommandId": "c1", "to": ["agent:a"], "content": "hi"}
QUERY = {"beforeSeq": number(least=1, most=2**63 - 1), "limit": number(least=1, most=200)}


def body(**changes):
    return json.dumps(GOOD | changes).encode()


def refused(raw, schema=SCHEMA):
    with pytest.raises(GroupXError) as caught:
        read_body(raw, schema)
    json.dumps(caught.value.to_wire()).encode()
    return caught.value


def outcome(raw):
    try:
        read_body(raw, SCHEMA)
    except GroupXError as error:
        return error.http_status
    return None


def test_a_good_body():
    assert read_body(body(force=True, replyToEventId=None), SCHEMA) == {
        "clientCommandId": "c1",
        "to": ("agent:a",),
        "content": "hi",
        "force": True,
    }


def test_who_watches():
    given = read_body(body(supervision=WATCHED), SCHEMA)["supervision"]
    assert given == Supervision(observers=("agent:b",), mode="live_steer")
    assert "supervision" not in read_body(body(supervision=None), SCHEMA)


@pytest.mark.parametrize("name", sorted(SENDER_FIELDS))
def test_who_speaks_is_not_for_the_request_to_say(name):
    error = refused(body(**{name: "user:web", "unknown": 1}))
    assert error.code is ErrorCode.SENDER_FIELD_FORBIDDEN
    assert error.details["field"] == name


@pytest.mark.parametrize("name", ["transport", "access", "observers", "rooms", "To", ""])
def test_an_unknown_field_is_refused_by_name(name):
    error = refused(body(**{name: "x"}))
    assert error.code is ErrorCode.INVALID_ENVELOPE
    assert error.details["field"] == name


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b'"x"',
        b"null",
        b"7",
        b"\xff\xfe{}",
        b'\xef\xbb\xbf{"clientCommandId":"c1"}',
        b'{"clientCommandId":"c1","clientCommandId":"c2","to":["a"],"content":"x"}',
        b'{"clientCommandId":"c1","to":["a"],"content":NaN}',
        b'{"clientCommandId":"c1","to":["a"],"content":' + b"9" * 5000 + b"}",
        b"[" * 200_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"content":' + b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1) + b"}",
    ],
    ids=range(14),
)
def test_what_is_no_json_object_of_ours(raw):
    assert refused(raw).code is ErrorCode.INVALID_ENVELOPE


@pytest.mark.parametrize(
    "changes",
    [
        {"clientCommandId": None},
        {"clientCommandId": ""},
        {"clientCommandId": 7},
        {"clientCommandId": "x" * (MAX_ID_CHARACTERS + 1)},
        {"to": "agent:a"},
        {"to": []},
        {"to": [1]},
        {"to": ["a"] * 33},
        {"to": None},
        {"content": ""},
        {"content": ["x"]},
        {"content": None},
        {"content": "\ud83d"},
        {"to": ["agent:\ud83d"]},
        {"clientCommandId": "\udfff"},
        {"\ud800": 1},
        {"force": "yes"},
        {"force": 1},
        {"replyToEventId": 3},
        {"supervision": "live_steer"},
        {"supervision": []},
        {"supervision": {}},
        {"supervision": {"mode": "live_steer"}},
        {"supervision": {"observers": ["agent:b"]}},
        {"supervision": {**WATCHED, "mode": "silent"}},
        {"supervision": {**WATCHED, "observers": []}},
        {"supervision": {**WATCHED, "observers": ["agent:b"] * 5}},
        {"supervision": {**WATCHED, "observers": [None]}},
        {"supervision": {**WATCHED, "role": "boss"}},
    ],
    ids=str,
)
def test_wrong_values(changes):
    assert refused(body(**changes)).code is ErrorCode.INVALID_ENVELOPE


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_content_arrives_as_it_was_sent(content):
    assert read_body(body(content=content), SCHEMA)["content"] == content


def test_nul_is_kept():
    assert read_body(body(content="a\0b"), SCHEMA)["content"] == "a\0b"


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(raw):
    assert outcome(raw) in {None, 400}


@given(st.recursive(st.none() | st.booleans() | st.text() | st.integers() | st.floats(),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_any_json_is_read_or_refused(value):
    assert outcome(json.dumps(value).encode()) in {None, 400}


def test_queries():
    assert read_query(b"", QUERY) == {}
    assert read_query(b"beforeSeq=17&limit=200", QUERY) == {"beforeSeq": 17, "limit": 200}


@pytest.mark.parametrize(
    "raw",
    [
        b"beforeSeq=x",
        b"beforeSeq=",
        b"beforeSeq=-1",
        b"beforeSeq=1.0",
        b"beforeSeq=+1",
        b"beforeSeq=1_0",
        b"beforeSeq=%D9%A1",
        b"beforeSeq=" + b"9" * 4500,
        b"beforeSeq=0",
        b"limit=201",
        b"limit=1&limit=2",
        b"render=html",
        b"roomId=room%3Amain",
        b"limit",
        b"limit=%ff",
        b"&".join(b"a%d=1" % n for n in range(100)),
        b"limit=\xff",
    ],
)
def test_bad_queries(raw):
    with pytest.raises(GroupXError) as caught:
        read_query(raw, QUERY)
    assert caught.value.code is ErrorCode.INVALID_ENVELOPE
