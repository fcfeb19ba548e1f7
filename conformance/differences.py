"""What cannot be said in a protocol, and where a driver rightly ends a case otherwise."""

from collections.abc import Mapping
from typing import Any

from groupx.domain.errors import ErrorCode

Differences = Mapping[tuple[str, str], str]

CHUNKS = "an agent tells its text in chunks only, never whole again"
AT_ITS_END = "with the SDK, nothing comes after the end of a turn"
ALWAYS_READS = "the SDK always reads"
KNOWN_ENDS = "the SDK has no stop reasons but those of ACP"
NOT_EXPRESSIBLE: Differences = {
    ("acp", "text_exactly_once"): CHUNKS,
    ("acp-sdk", "second_end"): AT_ITS_END,
    ("acp-sdk", "end_then_exit"): AT_ITS_END,
    ("acp-sdk", "close_of_one_that_hangs"): AT_ITS_END,
    ("acp-sdk", "stdin_not_read"): AT_ITS_END,
    ("acp-sdk", "ends_strangely"): KNOWN_ENDS,
    ("acp-sdk", "ends_mutely"): KNOWN_ENDS,
    ("acp-sdk", "asks_without_reading"): ALWAYS_READS,
    ("acp-sdk", "asks_a_person_without_reading"): ALWAYS_READS,
    ("acp-sdk", "text_exactly_once"): CHUNKS,
    ("acp-sdk", "lone_surrogates"): "the SDK writes no half of a surrogate pair",
    ("app-server", "cut_short"): "a turn has no such end",
    ("stream-json", "refused_session"): "the session is opened by argv",
    ("stream-json", "login_wanted"): "the program tells only in a turn",
    ("stream-json", "cancel_lost"): "an interrupt is kept for its turn, none is lost",
    ("stream-json", "all_before_the_start_is_answered"): "a message is taken up before its answer",
    ("stream-json", "session_forgotten"): "a running program keeps its session",
    ("stream-json", "failed_first_of_all"): "a message is taken up before its failure",
    ("stream-json", "resume_ignores_the_replay"): "nothing is replayed",
}
"""(driver or protocol, case) → why."""

IN_DOUBT = "an error in answer to a cancel leaves the session in doubt"
BRICKED = "only one cancel, confirmed as such, leaves it able to run a prompt"
UNLIKE: Mapping[tuple[str, str], tuple[str, Mapping[str, Any]]] = {
    ("acp", "cancel_failed"): (IN_DOUBT, {"usable": False}),
    ("acp-sdk", "cancel_failed"): (IN_DOUBT, {"usable": False}),
    ("hermes", "cancel_failed"): (
        "an error is how it says that it stopped",
        {"status": "cancelled", "code": None, "usable": False},
    ),
    ("hermes", "cancel_too_late"): (BRICKED, {"usable": False}),
    ("hermes", "cancel_lost"): (BRICKED, {"usable": False}),
    ("app-server", "ends_mutely"): (
        "a status that is missing is one that nobody knows",
        {"code": ErrorCode.NATIVE_TURN_FAILED, "usable": True},
    ),
}
"""(driver or protocol, case) → why, and what is expected of its first turn instead."""
