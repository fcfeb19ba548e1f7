"""A program that is nothing but words, behind the contract of the drivers."""

import re
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest
import trio

from groupx.adapters.contract import (
    AdapterStartError,
    Cancelled,
    Completed,
    ContentDelta,
    EventSink,
    Exited,
    ProbeReport,
    PromptEnd,
    ReasoningDelta,
    SessionFacts,
    SessionProfile,
    Started,
    ToolUpdate,
)
from groupx.capabilities.redaction import Redactor
from groupx.capabilities.running import RunPlan
from groupx.domain.context_usage import Usage
from groupx.domain.errors import ErrorCode
from groupx.process.spawner import Spawner

KNOWN = "known-session"


@attrs.define
class Paper:
    """An adapter and its program; every field is one way in which it may deviate."""

    driver: str = "acp"
    adapter_id: str = "acp"
    can_reconcile: bool = False
    version: str | None = "1.2.3"
    start_error: AdapterStartError | None = None
    adopts_unknown: bool = False
    unknown_error: ErrorCode | None = None
    mode: str = "probed"
    mode_resumed: str | None = None
    forgets: bool = False
    end_resumed: PromptEnd | None = None
    mcp: bool = True
    injects: bool = True
    pieces: tuple[str, ...] = ("rea", "dy")
    thinks: bool = True
    tool_phases: tuple[str, ...] = ("started", "completed")
    runs: bool = True
    """Whether its tool does what it was told to."""
    remembers: bool = True
    told: dict[str | None, str] = attrs.field(factory=dict)
    """Session → all that it was told."""
    tells_usage: bool = True
    deaf_seconds: float | None = None
    usable_after_cancel: bool = True
    silent: bool = False
    end: PromptEnd | None = None
    leaks: bool = False
    immortal: bool = False
    killed_code: int = -9
    starts: int = 0
    profiles: list[SessionProfile] = attrs.field(factory=list)
    on_start: Callable[[SessionProfile], None] = lambda _: None

    async def probe(self, profile: SessionProfile, spawner: Spawner) -> ProbeReport:
        return ProbeReport(found=True, path="/bin/paper")

    async def serve(self, profile, spawner, *, task_status=trio.TASK_STATUS_IGNORED) -> None:
        self.starts += 1
        self.profiles.append(profile)
        self.on_start(profile)
        if self.start_error is not None:
            raise self.start_error
        unknown = profile.resume not in (None, KNOWN) and "session-" not in profile.resume
        if unknown and self.unknown_error is not None:
            raise AdapterStartError(self.unknown_error, "It does not know that session.")
        known = not unknown and not self.forgets
        resumed = profile.resume is not None and (known or self.adopts_unknown)
        session = self.session(profile, f"session-{self.starts}", resumed)
        task_status.started(session)
        await session.closed.wait()

    def session(self, profile: SessionProfile, name: str, resumed: bool) -> "PaperSession":
        return PaperSession(self, profile, name, resumed)


class PaperSession:
    def __init__(self, paper: Paper, profile: SessionProfile, name: str, resumed: bool) -> None:
        self._paper, self._cwd = paper, profile.cwd
        self.usable = True
        self.closed = trio.Event()
        self._cancel = trio.Event()
        self._end = (resumed and paper.end_resumed) or paper.end
        argv = ("/opt/paper/bin/paper", "--speak")
        if paper.leaks and profile.mcp:
            argv = (*argv, profile.mcp.bearer)
        self.facts = SessionFacts(
            native_session_id=profile.resume if resumed else name,
            protocol="paper",
            program_name="paper",
            program_version=paper.version,
            continuity="resumed" if resumed else "new",
            capabilities={
                "mode": (resumed and paper.mode_resumed) or paper.mode,
                "mcp": "advertised" if paper.mcp else "unsupported",
                "resume": "advertised",
            },
            argv=argv,
            mcp_injected=paper.mcp and paper.injects and profile.mcp is not None,
        )

    async def prompt(self, text: str, sink: EventSink) -> PromptEnd:
        paper = self._paper
        sink(Started())
        if paper.silent:
            await trio.sleep_forever()
        if paper.thinks and "THINK" in text:
            sink(ReasoningDelta("so it is"))
        told = paper.told.get(self.facts.native_session_id, "")
        paper.told[self.facts.native_session_id] = told + text
        if "shell" in text:
            if paper.runs and paper.tool_phases:
                self._add(text)
            for phase in paper.tool_phases:
                status = "completed" if phase == "completed" else "in_progress"
                sink(ToolUpdate(phase=phase, tool_call_id="t", name="shell", status=status))
        known = re.findall(r"Remember the word (\S+)", told) if paper.remembers else []
        for piece in known if "RECALL" in text else paper.pieces:
            sink(ContentDelta(piece))
        if end := self._end:
            return end
        if "SLOW" in text and paper.deaf_seconds is not None:
            await trio.sleep(paper.deaf_seconds)
        elif "SLOW" in text:
            await self._cancel.wait()
            if self.closed.is_set() and not paper.immortal:
                return Exited(returncode=paper.killed_code)
            self.usable = paper.usable_after_cancel
            return Cancelled()
        return Completed(usage=Usage(total_tokens=7) if paper.tells_usage else None)

    def _add(self, text: str) -> None:
        """What its shell would do."""
        found = re.search(r"`expr (\d+) \+ (\d+) \| tee (\S+)`", text)
        assert found is not None
        (Path(self._cwd) / found[3]).write_text(f"{int(found[1]) + int(found[2])}\n")

    async def cancel(self) -> None:
        await trio.lowlevel.checkpoint()
        self._cancel.set()

    async def close(self) -> None:
        await trio.lowlevel.checkpoint()
        self.closed.set()

    def kill(self) -> None:
        self.closed.set()
        self._cancel.set()


@pytest.fixture
def plan(tmp_path):
    """`plan(paper, **fields)` → a RunPlan whose clock stands still."""

    def make(paper: Paper, **fields) -> RunPlan:
        profile = SessionProfile(
            agent_id="a", command=("paper",), cwd=str(tmp_path), run_dir=str(tmp_path)
        )
        return RunPlan(
            **{
                "adapter": paper,
                "profile": profile,
                "redactor": Redactor(),
                "now_ms": lambda: 1_700_000_000_000,
                **fields,
            }
        )

    return make
