"""Every end that a driver can report, under every reason to stop, written out once more."""

import pytest

from groupx.actors.turn_end import Halt, end_of_turn
from groupx.adapters.contract import Cancelled, Completed, Exited, Failed, Interaction
from groupx.domain.errors import ErrorCode
from groupx.domain.outcomes import PROVES_DELIVERY, Cause

NATIVE = Failed(code=ErrorCode.NATIVE_LOGIN_REQUIRED, message="Log in.")
BROKEN = Failed(
    code=ErrorCode.PROTOCOL_INVALID_MESSAGE, message="?", evidence=False, session_usable=False
)
EXIT = Exited(returncode=1, stderr_excerpt="secret path")

TABLE = {
    Completed(): dict.fromkeys([None, *Halt], Cause.COMPLETED),
    Interaction(kind="permission", reason="x"): dict.fromkeys([None, *Halt], Cause.INTERACTION),
    Cancelled(): {
        None: Cause.CANCELLED,
        Halt.CANCEL: Cause.CANCELLED,
        Halt.FORCE: Cause.CANCELLED,
        Halt.STOP: Cause.STOP_CONFIRMED,
        Halt.FIRST_EVENT: Cause.NO_FIRST_EVENT,
        Halt.IDLE: Cause.IDLE,
    },
    NATIVE: {
        None: Cause.NATIVE_FAILED,
        Halt.CANCEL: Cause.NATIVE_FAILED,
        Halt.FORCE: Cause.NATIVE_FAILED,
        Halt.STOP: Cause.NATIVE_FAILED,
        Halt.FIRST_EVENT: Cause.NO_FIRST_EVENT,
        Halt.IDLE: Cause.IDLE,
    },
    BROKEN: {
        None: Cause.PROTOCOL_BROKEN,
        Halt.CANCEL: Cause.PROTOCOL_BROKEN,
        Halt.FORCE: Cause.PROTOCOL_BROKEN,
        Halt.STOP: Cause.PROTOCOL_BROKEN,
        Halt.FIRST_EVENT: Cause.NO_FIRST_EVENT,
        Halt.IDLE: Cause.IDLE,
    },
    EXIT: {
        None: Cause.EXITED,
        Halt.CANCEL: Cause.CANCEL_IGNORED,
        Halt.FORCE: Cause.CANCEL_IGNORED,
        Halt.STOP: Cause.STOP_UNCONFIRMED,
        Halt.FIRST_EVENT: Cause.NO_FIRST_EVENT,
        Halt.IDLE: Cause.IDLE,
    },
}
CASES = [(end, halt, cause) for end, row in TABLE.items() for halt, cause in row.items()]


@pytest.mark.parametrize(("end", "halt", "cause"), CASES)
@pytest.mark.parametrize("started", [False, True])
def test_every_end_under_every_halt(end, halt, cause, started) -> None:
    result = end_of_turn(end, halt=halt, killed=halt is not None, started=started, name="Kim")
    assert result.cause is cause
    if started:
        assert result.evidence
    if isinstance(end, Cancelled | Exited):
        assert result.evidence == started
    assert "secret" not in (result.message or "")
    if cause not in (Cause.COMPLETED, Cause.CANCELLED, Cause.STOP_CONFIRMED):
        assert result.message


def test_a_native_code_is_kept_and_a_timeout_has_its_own() -> None:
    assert end_of_turn(NATIVE, halt=None, killed=False, started=True, name="K").error_code == (
        "NATIVE_LOGIN_REQUIRED"
    )
    late = end_of_turn(NATIVE, halt=Halt.IDLE, killed=False, started=True, name="K")
    assert late.error_code is None


def test_an_exit_during_a_cancel_before_the_kill_is_an_exit() -> None:
    ended = end_of_turn(EXIT, halt=Halt.CANCEL, killed=False, started=True, name="K")
    assert ended.cause is Cause.EXITED


@pytest.mark.parametrize(("end", "halt", "cause"), CASES)
@pytest.mark.parametrize("started", [False, True])
def test_a_message_claims_no_more_than_is_known_of_the_delivery(end, halt, cause, started) -> None:
    result = end_of_turn(end, halt=halt, killed=halt is not None, started=started, name="Kim")
    message = result.message or ""
    if result.evidence or cause in PROVES_DELIVERY:
        assert "may never have read" not in message
    elif message:
        assert "may never have read" in message
        assert "not send it again" in message
        assert "What it did until then" not in message
        assert "worked on this turn" not in message


@pytest.mark.parametrize("killed", [False, True])
def test_what_was_forced_is_not_said_to_have_been_asked(killed) -> None:
    forced = end_of_turn(EXIT, halt=Halt.FORCE, killed=killed, started=True, name="Kim")
    assert "by force" in forced.message
    assert "asked" not in forced.message
    ignored = end_of_turn(EXIT, halt=Halt.CANCEL, killed=True, started=True, name="Kim")
    assert "did not stop when asked" in ignored.message


def test_a_long_reason_does_not_push_out_what_it_means() -> None:
    end = Failed(code=ErrorCode.PROTOCOL_INVALID_MESSAGE, message="x" * 5_000, evidence=False)
    message = end_of_turn(end, halt=None, killed=False, started=False, name="Kim").message
    assert len(message) == 1_000
    assert "may never have read" in message


def test_which_ends_cost_the_session() -> None:
    def rebuild(end, halt=None) -> bool:
        return end_of_turn(end, halt=halt, killed=True, started=True, name="K").rebuild

    assert rebuild(EXIT)
    assert rebuild(BROKEN)
    assert not rebuild(NATIVE)
    assert not rebuild(Cancelled(), Halt.CANCEL)
    assert not rebuild(Completed(), Halt.IDLE)
    assert rebuild(Cancelled(), Halt.IDLE)


def test_what_the_program_said_last_is_for_the_diagnostic_only_and_bounded() -> None:
    ended = end_of_turn(
        Exited(returncode=None, stderr_excerpt="e" * 5_000),
        halt=None,
        killed=False,
        started=False,
        name="K{x}",
    )
    assert len(ended.diagnostic) == 500
    assert "K{x} ended before" in ended.message
    assert "exit code" not in ended.message
