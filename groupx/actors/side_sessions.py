"""Short sessions beside the room: one prompt to an agent's own program, without the room's tools.

What is asked there is none of the room's turns: nothing of it is written down but what its asker
makes of the answer, so the room may have it asked again. A program keeps its own tools and its mode
there, as in the room: it is asked for words alone, and the moment it is seen to use a tool its
process tree is killed. What the tool did until then is done.
"""

from collections.abc import Mapping
from typing import Protocol

import attrs
import trio

from groupx.actors.one_prompt import OnePrompt
from groupx.actors.private_session import PrivateSession
from groupx.actors.session_keeper import SessionPorts
from groupx.actors.turn_end import TurnEnd
from groupx.adapters.contract import AdapterStartError
from groupx.domain.config import AgentConfig
from groupx.domain.context_usage import Usage
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from groupx.domain.outcomes import ENDINGS, Cause

AT_ONCE = 2
"""Of all engines together: they must not crowd out the room's own programs."""
LONGEST_SECONDS = 900.0
"""For one answer, however lively its program is: what is asked beside the room is short."""
MARK_BYTES = 8
"""Of chance, in the mark by which a prompt encloses its material."""
INVALID = str(ErrorCode.NATIVE_TURN_FAILED)
"""The code of an answer that is not what was asked for."""


@attrs.frozen(kw_only=True)
class SideProgram:
    """How to start an agent's program beside the room."""

    agent: AgentConfig
    sessions: SessionPorts


@attrs.frozen(kw_only=True)
class SideAnswer:
    """What the program said, whole."""

    text: str
    usage: Usage | None = None


class SideFailure(Exception):
    """No answer. `transient`: the program did not start this time, and may the next."""

    def __init__(self, code: str, message: str, *, transient: bool = False) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.transient = transient


class Asks(Protocol):
    """What asks a program one thing beside the room (SideSessions)."""

    async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
        """The answer; SideFailure."""
        ...


class SideSessions:
    """Asks programs by the actor they belong to; each session lives as long as its one prompt."""

    def __init__(self, programs: Mapping[ActorId, SideProgram]) -> None:
        self._programs = programs
        self._places = trio.CapacityLimiter(AT_ONCE)
        self._asked: dict[ActorId, set[trio.CancelScope]] = {it: set() for it in programs}

    def stop(self, actor_id: ActorId) -> None:
        """End what this agent's program is asked, or waits to be asked: no answer of it counts any
        more. Never waits."""
        for asked in self._asked[actor_id]:
            asked.cancel()

    async def ask(self, actor_id: ActorId, text: str) -> SideAnswer:
        """The answer to `text`, in a new session of `actor_id`; SideFailure.

        Cancelling it ends the program's tree at once.
        """
        program = self._programs[actor_id]
        result: SideAnswer | SideFailure = _stopped(program.agent)
        asked = trio.CancelScope()
        self._asked[actor_id].add(asked)
        try:
            with asked:
                async with self._places, trio.open_nursery() as nursery:
                    result = await _asked(program, text, nursery)
                    nursery.cancel_scope.cancel()
        finally:
            self._asked[actor_id].discard(asked)
        if asked.cancel_called:
            result = _stopped(program.agent)
        if isinstance(result, SideFailure):
            raise result
        return result


async def _asked(
    program: SideProgram, text: str, nursery: trio.Nursery
) -> SideAnswer | SideFailure:
    session = PrivateSession(program.agent, program.sessions, nursery, folder="side")
    try:
        native = await session.open()
    except AdapterStartError as error:
        return SideFailure(str(error.code), error.message, transient=error.transient)
    prompt = OnePrompt(
        native,
        name=program.agent.name,
        timeouts=program.sessions.timeouts,
        stopping=trio.Event(),
        may_use_tools=False,
    )
    with trio.move_on_after(LONGEST_SECONDS):
        end = await prompt.run(text)
        await session.close()
        return _result(program.agent, prompt, end)
    return SideFailure(
        str(ErrorCode.TURN_IDLE_TIMEOUT),
        f"{program.agent.name} came to no end of its answer within {LONGEST_SECONDS:g} s, so it "
        "was stopped.",
    )


def _stopped(agent: AgentConfig) -> SideFailure:
    return SideFailure(
        str(ErrorCode.TARGET_NOT_RUNNING), f"{agent.name} was stopped before its answer was whole."
    )


def _result(agent: AgentConfig, prompt: OnePrompt, end: TurnEnd) -> SideAnswer | SideFailure:
    if prompt.used_tool is not None:
        return SideFailure(
            str(ErrorCode.UNEXPECTED_NATIVE_INTERACTION),
            f"{agent.name} used a tool ({prompt.used_tool}) where only words were asked for.",
        )
    if end.cause is not Cause.COMPLETED:
        code = end.error_code or str(ENDINGS[end.cause].code or ErrorCode.NATIVE_TURN_FAILED)
        return SideFailure(code, end.message or f"{agent.name} gave no answer.")
    if end.stop_reason is not None:
        return SideFailure(
            INVALID, f"{agent.name}'s answer ended before it was whole ({end.stop_reason})."
        )
    if prompt.heard.truncated:
        return SideFailure(INVALID, f"{agent.name}'s answer was longer than is held.")
    return SideAnswer(text=prompt.heard.response, usage=prompt.usage)
