"""The cases that need turns of a model."""

import secrets
import signal
from collections.abc import Awaitable, Callable

import trio

from groupx.adapters.contract import Cancelled, Completed, Exited, Interaction, NativeSession
from groupx.capabilities.labels import Status
from groupx.capabilities.opening_cases import SET, nothing_left
from groupx.capabilities.prompts import (
    COUNT,
    REASON,
    RECALL,
    SENTENCE,
    SHORT,
    WORD,
    remember,
    shell_prompt,
)
from groupx.capabilities.shell_probe import ShellProbe
from groupx.capabilities.stage import PASSED, CaseFailed, Finding, Stage, ask, completed
from groupx.capabilities.transcript import Transcript, Turn
from groupx.capabilities.trees import tree_of_run

TOO_LATE_SECONDS = 5.0
"""A turn that completes sooner after its cancel may have been over before the cancel came."""
TOO_LATE = "the answer was over before the cancel could have reached it"

_KILLED = (None, -signal.SIGKILL)
"""The return codes of a killed program; None where another than ours reaps it."""
OVER_BEFORE_KILL = "the answer was over before it could be killed"
NO_TOOL = Finding(Status.NOT_OBSERVED, "its model used no tool")
NO_TRACE = Finding(Status.NOT_OBSERVED, "it told of a tool, and the command has left no trace")
FORGOT = Finding(
    Status.NOT_OBSERVED,
    "it says that it went on with the session, and did not say the word that it was told before",
)


async def text(stage: Stage, transcript: Transcript) -> Finding:
    """The prompt reaches its model, and the answer comes back."""
    async with stage.session(transcript) as session:
        turn = completed(await ask(session, transcript, SHORT))
    if not turn.text.strip():
        raise CaseFailed("The turn completed without a word.")
    if WORD not in turn.text.lower():
        return Finding(Status.NOT_OBSERVED, "it answered something else than it was asked for")
    return PASSED


async def streaming(stage: Stage, transcript: Transcript) -> Finding:
    """The answer comes in more than one piece."""
    async with stage.session(transcript) as session:
        turn = completed(await ask(session, transcript, SENTENCE))
    if turn.deltas > 1:
        return Finding(Status.PASSED, f"{turn.deltas} pieces")
    return Finding(Status.NOT_OBSERVED, "the answer came in one piece")


async def reasoning(stage: Stage, transcript: Transcript) -> Finding:
    """What it thinks is told apart from what it answers."""
    async with stage.session(transcript) as session:
        turn = completed(await ask(session, transcript, REASON))
    return PASSED if turn.reasoning else Finding(Status.NOT_OBSERVED, "it showed none")


async def tool(stage: Stage, transcript: Transcript) -> Finding:
    """A tool is started and ended, and nobody is asked for leave."""
    async with stage.session(transcript) as session:
        turn, ran = await _with_tool(stage, session, transcript)
    if not turn.tools or not ran:
        return NO_TRACE if turn.tools else NO_TOOL
    started = {update.tool_call_id for update in turn.tools if update.phase == "started"}
    ended = {update.tool_call_id for update in turn.tools if update.phase == "completed"}
    if started - ended:
        raise CaseFailed("A tool that it started was never ended.")
    return PASSED


async def usage(stage: Stage, transcript: Transcript) -> Finding:
    """It tells what a turn cost."""
    async with stage.session(transcript) as session:
        turn = completed(await ask(session, transcript, SHORT))
    return PASSED if turn.usage else Finding(Status.NOT_OBSERVED, "it told none")


async def cancel(stage: Stage, transcript: Transcript) -> Finding:
    """A cancel in the middle of the answer is confirmed."""
    async with stage.session(transcript) as session:
        turn, seconds = await _cancelled(session, transcript)
    if not isinstance(turn.end, Completed):
        return PASSED
    if seconds > TOO_LATE_SECONDS:
        raise CaseFailed(f"The cancel was lost: the turn ran on for {seconds:.0f} s.")
    return Finding(Status.NOT_OBSERVED, TOO_LATE)


async def after_cancel(stage: Stage, transcript: Transcript) -> Finding:
    """The session that was cancelled answers the next prompt."""
    async with stage.session(transcript) as session:
        turn, _ = await _cancelled(session, transcript)
        if isinstance(turn.end, Completed):
            return Finding(Status.NOT_OBSERVED, TOO_LATE)
        if not session.usable:
            return Finding(Status.UNSUPPORTED, "GroupX opens another session after a cancel")
        completed(await ask(session, transcript, SHORT))
    return PASSED


async def killed(stage: Stage, transcript: Transcript) -> Finding:
    """Killed in the middle of an answer, it says nothing more and leaves no process."""
    async with stage.session(transcript) as session:
        before: set[int] = set()
        asked: float | None = None

        async def kill(turn: Turn) -> None:
            nonlocal asked
            before.update(await tree_of_run(stage))
            if turn.end is None:
                transcript.note("kill")
                asked = trio.current_time()
                session.kill()

        turn = await _interrupted(session, transcript, kill)
        late = asked is None or trio.current_time() - asked < TOO_LATE_SECONDS
        match turn.end:
            case Exited(returncode=code) if asked is None or code not in _KILLED:
                raise CaseFailed("It ended by itself in the turn, before it was killed.")
            case Exited():
                pass
            case Completed() if late:
                return Finding(Status.NOT_OBSERVED, OVER_BEFORE_KILL)
            case _:
                raise CaseFailed(f"The turn of a killed program did not break off: {turn.words}")
    return await nothing_left(before, stage, transcript)


async def resume(stage: Stage, transcript: Transcript) -> Finding:
    """A session that had a turn is gone on with by a new process, which knows what it was told."""
    word = f"pebble{secrets.token_hex(4)}"
    known = await _known_session(stage, transcript, word)
    async with stage.session(transcript, resume=known) as session:
        if session.facts.continuity != "resumed":
            return Finding(Status.UNSUPPORTED, "a new session took its place")
        turn = completed(await ask(session, transcript, RECALL))
    return PASSED if word in turn.text.lower() else FORGOT


async def mode_again(stage: Stage, transcript: Transcript) -> Finding:
    """After a resume it is in the mode of the new session, and asks nobody for leave."""
    known = await _known_session(stage, transcript)
    assert transcript.facts is not None
    before = transcript.facts.capabilities.get("mode")
    async with stage.session(transcript, resume=known) as session:
        facts = session.facts
        if facts.continuity != "resumed":
            return Finding(Status.UNSUPPORTED, "a new session took its place")
        if before in SET and facts.capabilities.get("mode") not in SET:
            raise CaseFailed("The mode that the new session had was not set after the resume.")
        turn, ran = await _with_tool(stage, session, transcript)
    if turn.tools and ran:
        return PASSED
    return NO_TRACE if turn.tools else NO_TOOL


async def _with_tool(
    stage: Stage, session: NativeSession, transcript: Transcript
) -> tuple[Turn, bool]:
    """A turn in which its model is to use a tool, and whether the tool did what it had to.

    Raises CaseFailed when it asks for leave.
    """
    probe = ShellProbe(stage.profile.cwd)
    prompt = shell_prompt(stage.adapter.driver, stage.directives.get("tool"), probe.command)
    ran = False
    try:
        turn = await ask(session, transcript, prompt)
    finally:
        with trio.CancelScope(shield=True):
            ran = await probe.take()
    transcript.note(f"the sum that the command leaves is there: {'yes' if ran else 'no'}")
    if isinstance(turn.end, Interaction):
        raise CaseFailed(f"It asked for {turn.end.kind} although it is in its most open mode.")
    return completed(turn), ran


async def _known_session(stage: Stage, transcript: Transcript, word: str = WORD) -> str | None:
    """The id of a closed session that was told a word; of a single turn, some keep nothing."""
    async with stage.session(transcript) as session:
        for prompt in (remember(word), SHORT):
            completed(await ask(session, transcript, prompt))
        return session.facts.native_session_id


async def _cancelled(session: NativeSession, transcript: Transcript) -> tuple[Turn, float]:
    """A long answer, cancelled when it has begun; and how many seconds it went on after that."""
    asked = 0.0

    async def cancel(_turn: Turn) -> None:
        nonlocal asked
        transcript.note("cancel")
        asked = trio.current_time()
        await session.cancel()

    turn = await _interrupted(session, transcript, cancel)
    if not isinstance(turn.end, Cancelled | Completed):
        raise CaseFailed(f"The cancelled turn was not cancelled: {turn.words}")
    return turn, trio.current_time() - asked


async def _interrupted(
    session: NativeSession, transcript: Transcript, act: Callable[[Turn], Awaitable[None]]
) -> Turn:
    """A long answer, and what is done when it has begun, unless it is over by then."""
    turn = Turn(transcript)

    async def run() -> None:
        turn.ended(await session.prompt(COUNT, turn.sink))
        turn.speaks.set()

    transcript.note(f"prompt {COUNT!r}")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await turn.speaks.wait()
        if turn.end is None:
            await act(turn)
    return turn
