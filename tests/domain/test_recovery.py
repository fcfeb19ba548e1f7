import itertools

import attrs
import pytest

from groupx.domain.attempts import INVOKED, PREPARED, STARTED
from groupx.domain.outcomes import Cause
from groupx.domain.recovery import NativeEnd, Unfinished, Verdict, settled_cause, verdict
from groupx.domain.turns import OPEN, TurnStatus

ORDINARY = Unfinished(
    status=TurnStatus.QUEUED,
    attempt=None,
    in_roster=True,
    same_transport=True,
    reconcilable=False,
)
TABLE = [
    ({}, Verdict.KEEP),
    ({"in_roster": False}, Verdict.AGENT_GONE),
    ({"same_transport": False}, Verdict.OTHER_TRANSPORT),
    ({"status": "dispatching", "attempt": PREPARED}, Verdict.REQUEUE),
    ({"status": "dispatching", "attempt": PREPARED, "in_roster": False}, Verdict.AGENT_GONE),
    ({"status": "dispatching", "attempt": PREPARED, "same_transport": False},
     Verdict.OTHER_TRANSPORT),
    ({"status": "cancelling", "attempt": PREPARED, "in_roster": False}, Verdict.CANCEL),
    ({"status": "dispatching", "attempt": INVOKED}, Verdict.INTERRUPT),
    ({"status": "running", "attempt": STARTED}, Verdict.INTERRUPT),
    ({"status": "running", "attempt": PREPARED}, Verdict.INTERRUPT),
    ({"status": "running", "attempt": PREPARED, "reconcilable": True}, Verdict.INTERRUPT),
    ({"status": "running", "attempt": STARTED, "reconcilable": True}, Verdict.RECONCILE),
    ({"status": "cancelling", "attempt": INVOKED, "reconcilable": True}, Verdict.RECONCILE),
    ({"status": "running", "attempt": STARTED, "reconcilable": True, "in_roster": False},
     Verdict.INTERRUPT),
    ({"status": "running", "attempt": None, "reconcilable": True}, Verdict.INTERRUPT),
    ({"status": "dispatching", "attempt": INVOKED, "reconcilable": True}, Verdict.RECONCILE),
    ({"status": "cancelling", "attempt": STARTED, "reconcilable": True}, Verdict.RECONCILE),
    ({"status": "queued", "attempt": INVOKED, "reconcilable": True}, Verdict.INTERRUPT),
    ({"status": "dispatching", "attempt": STARTED, "reconcilable": True}, Verdict.INTERRUPT),
    ({"status": "running", "attempt": INVOKED, "reconcilable": True}, Verdict.INTERRUPT),
    ({"status": "cancelling", "attempt": STARTED, "reconcilable": True, "same_transport": False},
     Verdict.INTERRUPT),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), TABLE)
def test_the_table(changes, expected):
    changes = dict(changes)
    if "status" in changes:
        changes["status"] = TurnStatus(changes["status"])
    assert verdict(attrs.evolve(ORDINARY, **changes)) is expected


def test_nothing_that_may_have_been_sent_is_ever_queued_again():
    flags = list(itertools.product((False, True), repeat=3))
    for status, attempt, (roster, transport, ask) in itertools.product(
        OPEN, (INVOKED, STARTED), flags
    ):
        decided = verdict(
            Unfinished(
                status=status,
                attempt=attempt,
                in_roster=roster,
                same_transport=transport,
                reconcilable=ask,
            )
        )
        assert decided in {Verdict.INTERRUPT, Verdict.RECONCILE}


@pytest.mark.parametrize(
    ("proven", "running", "cancelling"),
    [
        (NativeEnd.COMPLETED, Cause.COMPLETED, Cause.COMPLETED),
        (NativeEnd.FAILED, Cause.NATIVE_FAILED, Cause.NATIVE_FAILED),
        (NativeEnd.STOPPED, None, Cause.CANCELLED),
        (None, Cause.DAEMON_KILLED, Cause.DAEMON_KILLED),
    ],
)
def test_only_what_is_proven_is_more_than_interrupted(proven, running, cancelling):
    assert settled_cause(proven, cancelling=False) is running
    assert settled_cause(proven, cancelling=True) is cancelling
