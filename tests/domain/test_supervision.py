"""Which agents can be a pair, and what an observer is told."""

import pytest

from groupx.domain.errors import GroupXError
from groupx.domain.ids import USER_WEB, ActorId
from groupx.domain.roster import RosterEntry
from groupx.domain.supervision import PairedTurn, Supervision, resolve_pair, watch_brief

A, B, C = (ActorId(f"agent:{name}") for name in "abc")
ROSTER = tuple(RosterEntry(actor_id=actor, adapter_id="demo") for actor in (A, B, C))


def pair(to, *observers, caller=USER_WEB):
    addressed, watching = resolve_pair(to, Supervision(observers=observers), ROSTER, caller=caller)
    return [it.actor_id for it in addressed.targets], [it.actor_id for it in watching]


@pytest.mark.parametrize(
    ("to", "observers", "caller", "found"),
    [
        ((A,), (B,), USER_WEB, ([A], [B])),
        ((A, B), (C,), USER_WEB, ([A, B], [C])),
        (("@all",), (C, A), USER_WEB, ([B], [C, A])),
        (("@all",), (C,), A, ([B], [C])),
        ((A,), (C,), A, ([A], [C])),
    ],
)
def test_pairs(to, observers, caller, found):
    assert pair(to, *observers, caller=caller) == found


def test_without_supervision_nobody_watches():
    addressed, watching = resolve_pair((A,), None, ROSTER, caller=USER_WEB)
    assert ([it.actor_id for it in addressed.targets], watching) == ([A], ())


@pytest.mark.parametrize(
    ("code", "to", "observers", "caller"),
    [
        ("SUPERVISION_PAIR_INVALID", (A,), (A,), USER_WEB),
        ("SUPERVISION_PAIR_INVALID", (A, B), (B,), USER_WEB),
        ("SUPERVISION_PAIR_INVALID", (B,), (A,), A),
        ("SUPERVISION_PAIR_INVALID", ("@all",), (A,), A),
        ("SUPERVISION_PAIR_INVALID", (A,), (), USER_WEB),
        ("SUPERVISION_PAIR_INVALID", (A,), (B, B), USER_WEB),
        ("SUPERVISION_PAIR_INVALID", (A,), ("@all",), USER_WEB),
        ("SUPERVISION_PAIR_INVALID", (A,), tuple("bcdef"), USER_WEB),
        ("UNKNOWN_TARGET", (A,), ("agent:x",), USER_WEB),
        ("UNKNOWN_TARGET", ("agent:x",), (A,), USER_WEB),
        ("TARGET_NOT_RUNNING", ("@all",), (A, B, C), USER_WEB),
        ("INVALID_ENVELOPE", (A, A), (B,), USER_WEB),
        ("INVALID_ENVELOPE", ("@all", A), (B,), USER_WEB),
    ],
)
def test_no_pairs(code, to, observers, caller):
    with pytest.raises(GroupXError) as refused:
        pair(to, *observers, caller=caller)
    assert refused.value.code == code
    assert "nothing was sent" in refused.value.message.lower()


def test_the_brief_says_what_a_steer_is_and_what_it_is_not():
    workers = [PairedTurn(turn_id="turn_1", actor_id=A, role="worker")]
    brief = watch_brief(workers, ROSTER[1:])
    for said in ("agent:a, turn turn_1", "agent:b, agent:c", "nudge", "interrupt"):
        assert said in brief
    assert "allows and forbids nothing" in brief
