"""What an address list means."""

import pytest

from groupx.domain.errors import GroupXError
from groupx.domain.ids import USER_WEB, ActorId
from groupx.domain.roster import RosterEntry, resolve_targets


def entry(name: str, **flags: bool) -> RosterEntry:
    return RosterEntry(actor_id=ActorId(f"agent:{name}"), adapter_id="demo", **flags)


ROSTER = (entry("a"), entry("b"), entry("c", stopped=True), entry("d", pending_restart=True))


def names(addressed) -> list[str]:
    return [target.actor_id for target in addressed.targets]


def test_everyone_is_who_runs_in_roster_order_and_says_who_is_left_out() -> None:
    addressed = resolve_targets(["@all"], ROSTER, caller=USER_WEB)
    assert names(addressed) == ["agent:a", "agent:b"]
    assert [(item.target, item.reason) for item in addressed.skipped] == [("agent:c", "stopped")]


def test_everyone_leaves_out_the_caller_and_the_observers() -> None:
    addressed = resolve_targets(
        ["@all"], ROSTER, caller=ActorId("agent:a"), observers=[ActorId("agent:c")]
    )
    assert names(addressed) == ["agent:b"]
    assert {item.reason for item in addressed.skipped} == {"caller", "observer"}


def test_by_name_in_the_callers_order() -> None:
    addressed = resolve_targets(["agent:b", "agent:a"], ROSTER, caller=USER_WEB)
    assert names(addressed) == ["agent:b", "agent:a"]
    assert addressed.skipped == ()


def test_an_agent_may_send_to_itself() -> None:
    assert names(resolve_targets(["agent:a"], ROSTER, caller=ActorId("agent:a"))) == ["agent:a"]


@pytest.mark.parametrize(
    ("to", "code"),
    [
        ([], "INVALID_ENVELOPE"),
        (["agent:a", "agent:a"], "INVALID_ENVELOPE"),
        (["@all", "agent:a"], "INVALID_ENVELOPE"),
        ([f"agent:{n}" for n in range(33)], "INVALID_ENVELOPE"),
        (["agent:nobody"], "UNKNOWN_TARGET"),
        (["a"], "UNKNOWN_TARGET"),
        (["agent:d"], "UNKNOWN_TARGET"),
        (["agent:c"], "TARGET_NOT_RUNNING"),
        (["agent:a", "agent:c"], "TARGET_NOT_RUNNING"),
    ],
)
def test_refusals(to: list[str], code: str) -> None:
    with pytest.raises(GroupXError) as refused:
        resolve_targets(to, ROSTER, caller=USER_WEB)
    assert refused.value.code == code
    assert "othing was sent" in refused.value.message


def test_nobody_left() -> None:
    with pytest.raises(GroupXError) as refused:
        resolve_targets(["@all"], ROSTER[2:3], caller=USER_WEB)
    assert refused.value.code == "TARGET_NOT_RUNNING"
    assert refused.value.details["skipped"] == [{"target": "agent:c", "reason": "stopped"}]
