"""One prompt beside the room, from the moment it may leave to its one end."""

import trio

from groupx.actors.accumulator import Accumulator
from groupx.actors.silence import Silence
from groupx.actors.turn_end import Halt, TurnEnd, end_of_turn
from groupx.adapters.contract import (
    Completed,
    ContentDelta,
    Exited,
    NativeEvent,
    NativeSession,
    PromptEnd,
    ReasoningDelta,
    Started,
    ToolUpdate,
)
from groupx.domain.context_usage import Usage
from groupx.domain.limits import Timeouts


class OnePrompt:
    """Sends one prompt once and listens until its end; made for one `run`."""

    def __init__(
        self,
        session: NativeSession,
        *,
        name: str,
        timeouts: Timeouts,
        stopping: trio.Event,
        may_use_tools: bool = True,
    ) -> None:
        self._session = session
        self._name = name
        self._timeouts = timeouts
        self._stopping = stopping
        self._may_use_tools = may_use_tools
        self._silence = Silence(timeouts, lambda: self.heard.tool_is_open)
        self._started = False
        self._halt: Halt | None = None
        self._halted = trio.Event()
        self._killed = False
        self._patience = trio.CancelScope()
        self.heard = Accumulator()
        self.used_tool: str | None = None
        """The tool that ended it, where it may use none."""
        self.usage: Usage | None = None
        """As the program reported it last."""

    def cancel(self) -> None:
        """No reply is wanted any more. Never waits."""
        self._stop_for(Halt.CANCEL)

    @property
    def is_halted(self) -> bool:
        """Whether it is to end: nothing more is wanted of the program."""
        return self._halted.is_set()

    async def run(self, text: str) -> TurnEnd:
        """Prompt; how it ended. Cancelling it kills the program's tree."""
        over = False
        try:
            async with trio.open_nursery() as nursery:
                for duty in (self._obey_stop, self._watch_silence, self._climb_ladder):
                    nursery.start_soon(duty)
                prompt_end = await self._prompt(text)
                if isinstance(prompt_end, Completed) and prompt_end.usage is not None:
                    self.usage = prompt_end.usage
                nursery.cancel_scope.cancel()
            over = True
        finally:
            if not over:
                self._session.kill()
        return end_of_turn(
            prompt_end,
            halt=self._halt,
            killed=self._killed,
            started=self._started,
            name=self._name,
        )

    async def _prompt(self, text: str) -> PromptEnd:
        await trio.lowlevel.checkpoint_if_cancelled()
        with self._patience:
            return await self._session.prompt(text, self._hear)
        return Exited(returncode=None)

    def _hear(self, event: NativeEvent) -> None:
        """The session's sink: synchronous, bounded."""
        if isinstance(event, Started):
            self._started = True
        elif isinstance(event, ContentDelta):
            self.heard.add_content(event)
        elif isinstance(event, ReasoningDelta):
            self.heard.add_reasoning(event.text)
        elif isinstance(event, ToolUpdate):
            self.heard.add_tool(event)
            if not self._may_use_tools and self.used_tool is None:
                self.used_tool = event.name
                self._stop_for(Halt.CANCEL)
        elif isinstance(event, Usage):
            self.usage = event
        self._silence.heard()

    async def _obey_stop(self) -> None:
        await self._stopping.wait()
        self._stop_for(Halt.STOP)

    async def _watch_silence(self) -> None:
        await self._silence.too_long()
        self._stop_for(Halt.IDLE if self._silence.heard_anything else Halt.FIRST_EVENT)

    def _stop_for(self, halt: Halt) -> None:
        """The first reason stands."""
        if self._halt is None:
            self._halt = halt
            self._halted.set()

    async def _climb_ladder(self) -> None:
        """Ask, ask again, kill; each step bounded. One that uses a tool where it may use none is
        killed unasked: what asking takes, the tool would have."""
        await self._halted.wait()
        for _ in range(2 if self.used_tool is None else 0):
            with trio.move_on_after(self._timeouts.cancel / 2000):
                await self._session.cancel()
                await trio.sleep_forever()
        self._killed = True
        self._session.kill()
        await trio.sleep(self._timeouts.close / 1000)
        self._patience.cancel()
