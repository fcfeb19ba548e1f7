"""One session of Claude Code: prompts one at a time, interrupts, closes."""

import trio

from groupx.adapters.claude.connection import StreamConnection
from groupx.adapters.claude.prompting import BUSY, Expected, PromptRun, Verdict, question_of
from groupx.adapters.contract import (
    Cancelled,
    EventSink,
    Exited,
    Interaction,
    PromptEnd,
    SessionFacts,
    SessionProfile,
)
from groupx.adapters.json_lines import Json, text_of
from groupx.domain.text import without_surrogates
from groupx.process.child import ChildProcess

SETTLE_SECONDS = 5.0
"""From a turn's result to the program's word that it is idle."""
STDERR_CHARACTERS = 2000

NO_ANSWERS: dict[str, Json] = {
    "can_use_tool": {
        "behavior": "deny",
        "message": "GroupX answers no permission requests.",
        "interrupt": True,
    },
    "elicitation": {"action": "cancel"},
    "request_user_dialog": {"behavior": "cancelled"},
}
"""How each request for a person's word is declined."""


class ClaudeSession:
    """A `NativeSession`. `open_as` completes it once the handshake is done."""

    def __init__(self, child: ChildProcess, profile: SessionProfile, session_id: str) -> None:
        self._child = child
        self.profile = profile
        self._facts: SessionFacts | None = None
        self._mode = ""
        self._run: PromptRun | None = None
        self._usable = True
        self._idle = trio.Event()
        self._idle.set()
        self.session_id = session_id
        self.closed = trio.Event()
        """Set once the process is gone, for whatever reason."""
        self.unprompted: Interaction | None = None
        """What the program asked while no prompt ran."""
        self.early_result: Json | None = None
        """Why the program does not start, where it says so in a result."""
        self.connection = StreamConnection(
            child,
            on_frame=self._on_frame,
            on_request=self._on_request,
            on_loss=self._on_loss,
        )

    def open_as(self, facts: SessionFacts, *, mode: str) -> None:
        """The handshake is done; `mode` is the permission mode in effect."""
        self._facts = facts
        self._mode = mode

    @property
    def facts(self) -> SessionFacts:
        """What the handshake established."""
        assert self._facts is not None, "the session is not open yet"
        return self._facts

    @property
    def usable(self) -> bool:
        """Whether another prompt may be sent."""
        return self._usable and self.connection.loss is None

    # --- prompting --------------------------------------------------------------------------

    async def prompt(self, text: str, sink: EventSink, *, attempt_id: str = "") -> PromptEnd:
        """Send one prompt and run it to its one end."""
        assert self._run is None, "one prompt at a time"
        expected = Expected(session_id=self.session_id, cwd=self.profile.cwd, mode=self._mode)
        run = self._run = PromptRun(sink, expected)
        usable = False
        try:
            verdict = await self._converse(run, text)
            usable = verdict.usable
            return verdict.end
        finally:
            self._usable = self._usable and usable
            self._run = None

    async def _converse(self, run: PromptRun, text: str) -> Verdict:
        if not await self._is_free():
            return Verdict(BUSY, False)
        if run.cancel_asked:
            return Verdict(Cancelled(), True)
        run.sent = True
        self.connection.post(run.frame(without_surrogates(text)))
        if self.connection.loss is not None:
            return self._lost(run)
        with run.patience:
            await run.over.wait()
            with trio.move_on_after(SETTLE_SECONDS):
                if not self._idle.is_set():  # it is in a program that does not tell its state
                    await run.settled.wait()
        return self._judge(run, settled=self._idle.is_set() or run.settled.is_set())

    async def _is_free(self) -> bool:
        """A turn that nobody asked for is ended: a message would be folded into it."""
        if not self._idle.is_set():
            self.connection.tell({"subtype": "interrupt"})
        with trio.move_on_after(self.profile.timeouts.cancel / 1000):
            await self._idle.wait()
        return self._idle.is_set()

    def _judge(self, run: PromptRun, *, settled: bool) -> Verdict:
        if self.connection.loss is not None and run.reader.result is None:
            return self._lost(run)
        if not run.over.is_set():
            return run.on_silence()
        verdict = run.judge()
        return Verdict(verdict.end, verdict.usable and settled)

    def _lost(self, run: PromptRun) -> Verdict:
        loss = self.connection.loss
        assert loss is not None
        if run.interaction is not None:
            return run.on_silence()
        run.reader.close_tools("failed")
        if loss.kind == "broken":
            return Verdict(run.broken(loss.reason), False)
        exited = Exited(
            returncode=self._child.returncode,
            stderr_excerpt=self._child.stderr_excerpt(STDERR_CHARACTERS),
        )
        return Verdict(exited, False)

    # --- cancelling -------------------------------------------------------------------------

    async def cancel(self) -> None:
        """Ask the program to stop the running prompt; a no-op when none runs.

        An interrupt right behind the message is kept for its turn, and one without a turn does
        nothing.
        """
        await trio.lowlevel.checkpoint()
        run = self._run
        if run is None or run.over.is_set():
            return
        run.cancel_asked = True
        if run.sent:
            self.connection.tell({"subtype": "interrupt"})

    # --- what the program says, on the reader's task ----------------------------------------

    def _on_frame(self, frame: Json) -> None:
        if self._facts is None and frame.get("type") == "result":
            self.early_result = frame
        if self._run is not None and self._run.sent:
            reason = self._run.read(frame)
            if reason is not None:
                self.connection.distrust(reason)
        if frame.get("type") == "system" and frame.get("subtype") == "session_state_changed":
            self._on_state(text_of(frame.get("state")))

    def _on_state(self, state: str) -> None:
        if state != "idle":
            if self._idle.is_set():
                self._idle = trio.Event()
            return
        self._idle.set()
        if self._run is not None:
            self._run.on_idle()

    def _on_request(self, subtype: str, request: Json) -> Json | None:
        answer = NO_ANSWERS.get(subtype)
        if answer is not None:
            self._refuse(question_of(subtype, request))
        return answer

    def _refuse(self, interaction: Interaction) -> None:
        run = self._run
        if run is None or not run.reader.started:
            self.unprompted = self.unprompted or interaction
            return
        if run.cancel_asked or run.over.is_set():
            return  # a question on the way to being cancelled is moot
        run.interaction = interaction
        run.cancel_asked = True
        run.patience.deadline = trio.current_time() + self.profile.timeouts.cancel / 1000
        self.connection.tell({"subtype": "interrupt"})

    def _on_loss(self) -> None:
        self._idle.set()
        if self._run is not None:
            self._run.over.set()
            self._run.settled.set()

    # --- the end ----------------------------------------------------------------------------

    async def close(self) -> None:
        """Stop ladder: stdin EOF, at which an idle program ends; SIGTERM; SIGKILL of the tree."""
        self._usable = False
        await self._child.stop(self.profile.timeouts.close / 1000)

    def kill(self) -> None:
        """SIGKILL the whole tree now."""
        self._usable = False
        self._child.kill_tree()
