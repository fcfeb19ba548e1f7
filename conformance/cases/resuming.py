"""Going on with an earlier session, only where the program proves that it knows it."""

from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts

from ..case import Case, Refused, Turn
from ..script import ANSWERS, HANG, ends, refuses, says, turn
from .endings import COMPLETED

IMPATIENT = {"timeouts": Timeouts(handshake=1_500, request=1_000)}
BACK = (Turn(does=turn(says("back"), ends()), expect=COMPLETED(text="back")),)
AFRESH = (
    Refused(code=ErrorCode.NATIVE_RESUME_UNSUPPORTED),
    Refused(code=ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT, transient=True),
    Refused(code=ErrorCode.ADAPTER_START_FAILED),
)
"""Each has the program started anew; the first without its earlier session."""


def case(name, *steps, **fields):
    return Case(name=name, does={"resume": steps} if steps else {}, resume=True, **fields)


CASES = (
    case("resume_known", turns=BACK, continuity="resumed"),
    case("resume_known_with_mode", turns=BACK, continuity="resumed", with_mode=True),
    case("resume_ignores_the_replay", says("then"), ANSWERS, turns=BACK, continuity="resumed"),
    case(
        "resume_unknown",
        refuses("no such session", "unknown"),
        turns=BACK,
        continuity="new",
        refused=(Refused(code=ErrorCode.NATIVE_RESUME_UNSUPPORTED),),
    ),
    case("resume_hangs", HANG, refused=AFRESH, profile=IMPATIENT),
    case("resume_exits", {"exit": 3}, refused=AFRESH),
    case(
        "resume_breaks",
        {"raw": "panic!\n", "times": 60},
        HANG,
        refused=(
            Refused(code=ErrorCode.NATIVE_RESUME_UNSUPPORTED),
            Refused(code=ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ),
    ),
)
