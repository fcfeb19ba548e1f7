"""Command hashes: what is the same command and what is not."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from groupx.domain.canonical import canonical_hash, command_hash


def test_a_known_value() -> None:
    """RFC 8785 sorts keys and escapes nothing it need not: the bytes are written out here."""
    canonical = '["message.send",{"content":"é\\n","to":["agent:b","agent:a"]}]'
    request = {"to": ["agent:b", "agent:a"], "content": "é\n", "replyToEventId": None}
    assert command_hash("message.send", request) == hashlib.sha256(canonical.encode()).hexdigest()


def test_null_is_absence_but_order_of_targets_counts() -> None:
    one = command_hash("message.send", {"to": ["agent:a", "agent:b"], "content": "x"})
    assert one == command_hash(
        "message.send", {"content": "x", "to": ["agent:a", "agent:b"], "forwardedEventId": None}
    )
    assert one != command_hash("message.send", {"to": ["agent:b", "agent:a"], "content": "x"})
    assert one != command_hash("turn.retry", {"to": ["agent:a", "agent:b"], "content": "x"})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, max_size=6), st.randoms())
def test_key_order_never_matters(value, random) -> None:
    items = list(value.items())
    random.shuffle(items)
    assert canonical_hash(dict(items)) == canonical_hash(value)
