"""From the start of the program to an open session."""

from groupx.adapters.contract import McpServer
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts

from ..case import Case, Refused, Turn
from ..script import ANSWER, ANSWERS, HANG, asks, ends, refuses, says, turn
from .endings import COMPLETED

FAILED, BROKEN = ErrorCode.ADAPTER_START_FAILED, ErrorCode.PROTOCOL_INVALID_MESSAGE
SHORT = {"timeouts": Timeouts(handshake=400)}
SERVER = McpServer(name="groupx", url="http://127.0.0.1:1/mcp", bearer="top-secret")
HELLO = (Turn(does=turn(says("hello"), ends()), expect=COMPLETED(text="hello")),)


def dies(code):
    return ({"stderr": "no such model\n"}, {"exit": code})


CASES = (
    Case(name="open", turns=HELLO, continuity="new"),
    Case(name="open_with_mcp", turns=HELLO, profile={"mcp": SERVER}),
    Case(name="open_with_mode", turns=HELLO, with_mode=True),
    Case(name="banner_first", does={"start": ({"raw": "Welcome!\n\n42\n"},)}, turns=HELLO),
    *(
        Case(
            name=f"refused_{phase}",
            does={phase: (refuses("params are v2"),)},
            refused=(Refused(code=FAILED, says="params are v2"),),
        )
        for phase in ("greeting", "session")
    ),
    Case(
        name="login_wanted",
        does={"session": (refuses("auth_required", "login"),)},
        refused=(Refused(code=ErrorCode.NATIVE_LOGIN_REQUIRED, transient=False, says="og in"),),
    ),
    Case(
        name="mode_refused",
        does={"mode": (refuses("not here"),)},
        with_mode=True,
        refused=(Refused(code=ErrorCode.NATIVE_POLICY_BLOCKED, transient=False),),
    ),
    *(
        Case(
            name=f"silent_{phase}",
            does={phase: (HANG,)},
            profile=SHORT,
            refused=(
                Refused(
                    code=ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT, transient=True, says="timeouts."
                ),
            ),
        )
        for phase in ("greeting", "session")
    ),
    *(
        Case(
            name=f"exit_at_{phase}",
            does={phase: dies(7)},
            refused=(Refused(code=FAILED, transient=True, says="exit status 7"),),
        )
        for phase in ("start", "greeting", "session")
    ),
    Case(
        name="exit_at_start_says_why",
        does={"start": dies(0)},
        refused=(Refused(code=FAILED, transient=False, says="no such model"),),
    ),
    Case(
        name="eof_at_greeting",
        does={"greeting": ({"close": "stdout"}, {"await": "end"})},
        refused=(Refused(code=FAILED),),
    ),
    Case(
        name="garbage_at_session",
        does={"session": ({"raw": "panic!\n"}, HANG)},
        refused=(Refused(code=BROKEN, transient=False, says="panic!"),),
    ),
    Case(
        name="another_program",
        does={"start": ({"raw": "Usage: something else\n", "times": 60}, HANG)},
        refused=(Refused(code=BROKEN, transient=False, says="Usage: something else"),),
    ),
    Case(
        name="question_before_any_prompt",
        does={"session": (asks("elicitation", "Your name?"), ANSWER, ANSWERS)},
        refused=(
            Refused(
                code=ErrorCode.UNEXPECTED_NATIVE_INTERACTION, transient=False, says="Your name?"
            ),
        ),
    ),
    Case(
        name="no_such_program",
        profile={"command": ("/nowhere/program",)},
        refused=(Refused(code=FAILED, transient=False, says="/nowhere/program"),),
    ),
)
