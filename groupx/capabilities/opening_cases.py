"""The cases that open and close sessions, without a model's turn."""

import uuid

from groupx.adapters.contract import AdapterStartError
from groupx.capabilities.labels import Status
from groupx.capabilities.stage import PASSED, CaseFailed, Finding, Stage
from groupx.capabilities.transcript import Transcript
from groupx.capabilities.trees import tree_of_run
from groupx.domain.errors import ErrorCode

SET = frozenset({"probed", "advertised"})
"""What a session says of a mode that it was given and did not refuse."""
UNCONFIRMED = "it took the mode and did not say that it is in it; a case with a tool shows it"
BY_ARGUMENTS = "no mode is negotiated: what opens it, if anything, is in its arguments"


async def handshake(stage: Stage, transcript: Transcript) -> Finding:
    """It is ready within its time."""
    async with stage.session(transcript):
        return Finding(Status.PASSED, f"ready in {transcript.milliseconds} ms")


async def mode(stage: Stage, transcript: Transcript) -> Finding:
    """The driver's or the given mode was set, and the program says that it is in it."""
    async with stage.session(transcript) as session:
        said = session.facts.capabilities.get("mode")
        if said == "probed":
            return PASSED
        if said == "advertised":
            return Finding(Status.NOT_OBSERVED, UNCONFIRMED)
        if stage.profile.mode is not None:
            return Finding(Status.NOT_OBSERVED, f"it offers no mode '{stage.profile.mode}'")
        return Finding(Status.NOT_OBSERVED, BY_ARGUMENTS)


async def new_session(stage: Stage, transcript: Transcript) -> Finding:
    """Two sessions are two: each is new and has an id of its own."""
    ids: list[str | None] = []
    for _ in range(2):
        async with stage.session(transcript) as session:
            if session.facts.continuity != "new":
                raise CaseFailed("It went on with an older session although a new one was asked.")
            ids.append(session.facts.native_session_id)
    if None in ids or ids[0] == ids[1]:
        raise CaseFailed("Two new sessions were not told apart by their ids.")
    return PASSED


async def resume_unknown(stage: Stage, transcript: Transcript) -> Finding:
    """An id that it never gave is refused, or a new session takes its place and is called new."""
    unknown = str(uuid.uuid4())
    try:
        async with stage.session(transcript, resume=unknown) as session:
            if session.facts.continuity == "resumed":
                raise CaseFailed("It claims to have resumed a session that never was.")
            return Finding(Status.PASSED, "a new session took its place")
    except AdapterStartError as error:
        if error.code is not ErrorCode.NATIVE_RESUME_UNSUPPORTED:
            raise
        transcript.note(f"refused: {error.message}")
        return Finding(Status.PASSED, "refused; GroupX opens a new session then")


async def close(stage: Stage, transcript: Transcript) -> Finding:
    """Nothing of its process tree is left."""
    async with stage.session(transcript):
        before = await tree_of_run(stage)
        transcript.note(f"{len(before)} processes while it is open")
    return await nothing_left(before, stage, transcript)


async def nothing_left(before: set[int], stage: Stage, transcript: Transcript) -> Finding:
    """Whether those `before` are all gone. Raises CaseFailed."""
    left = before & await tree_of_run(stage)
    transcript.note(f"{len(left)} processes afterwards")
    if left:
        raise CaseFailed(f"{len(left)} of its processes were left.")
    return PASSED if before else Finding(Status.NOT_OBSERVED, "none of its processes could be seen")
