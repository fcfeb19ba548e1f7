"""The conformance suite: one case, over one driver, against a scripted program.

    outcome = await check_adapter(adapter, CASES["cancel_mid_stream"], spawner, folder)
    assert outcome.problems == ()
    outcomes = await check_all(adapter, CASES.values(), spawner, folder)

Whoever writes a driver runs every case over it; see docs/adapters.md.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import attrs
import trio

from groupx.adapters.contract import Adapter, AdapterStartError, NativeSession, SessionProfile
from groupx.domain.limits import Timeouts
from groupx.process.proctable import read_process
from groupx.process.spawner import Spawner

from .case import Case, Expect, Refused, Turn
from .dialects.dialect import Dialect
from .differences import NOT_EXPRESSIBLE, UNLIKE
from .judging import problems_of
from .peers import Peer, peer_of
from .recording import record
from .script import ends, says, turn

CASE_SECONDS = 30.0
"""A case that takes longer is a fault."""
AT_ONCE = 8
"""Cases that `check_all` runs at the same time: many of them only wait."""
TIMEOUTS = Timeouts(handshake=20_000, request=20_000, cancel=4_000, close=4_000)
NEXT = Turn(does=turn(says("next"), ends()), prompt="and now?", expect=Expect(text="next"))
"""Sent after the last turn of a case that leaves its session usable."""

Frame = dict[str, Any]
Judge = Callable[[list[Frame]], list[str]]
"""Says what is wrong with the frames that were sent to a program."""


@attrs.frozen(kw_only=True)
class Outcome:
    """What came of a case."""

    case: str
    problems: tuple[str, ...] = ()
    skipped: str | None = None
    """Why the driver's program cannot do it."""


async def check_adapter(
    adapter: Adapter | Peer,
    case: Case,
    spawner: Spawner,
    folder: Path,
    *,
    judge: Judge | None = None,
) -> Outcome:
    """Run one case in an empty `folder`; never raises for what the driver does."""
    peer = adapter if isinstance(adapter, Peer) else peer_of(adapter)
    if (reason := not_expressible(peer, case)) is not None:
        return Outcome(case=case.name, skipped=reason)
    check = _Check(peer, _as_expected_of(peer, case), spawner, folder)
    try:
        with trio.fail_after(CASE_SECONDS):
            await check.run()
    except trio.TooSlowError:
        check.problems.append(f"it took over {CASE_SECONDS:g} s")
    except Exception as error:  # a driver raises nothing but AdapterStartError
        check.problems.append(f"it raised {error!r}")
    else:
        check.look_back(judge)
    return Outcome(case=case.name, problems=tuple(check.problems))


async def check_all(
    adapter: Adapter | Peer,
    cases: Iterable[Case],
    spawner: Spawner,
    folder: Path,
    *,
    judge: Judge | None = None,
) -> dict[str, Outcome]:
    """Run many cases, some at once, each in a folder of its own. Gives outcomes by name."""
    outcomes: dict[str, Outcome] = {}
    limiter = trio.CapacityLimiter(AT_ONCE)

    async def run(case: Case) -> None:
        async with limiter:
            where = folder / case.name
            where.mkdir()
            outcomes[case.name] = await check_adapter(adapter, case, spawner, where, judge=judge)

    async with trio.open_nursery() as nursery:
        for case in cases:
            nursery.start_soon(run, case)
    return outcomes


def not_expressible(peer: Peer, case: Case) -> str | None:
    """Why the program of a peer cannot do what a case wants; None when it can."""
    scripts = (*case.does.values(), *(turn.does for turn in case.turns))
    words = {next(iter(step)) for steps in scripts for step in steps}
    for key in ((name, case.name) for name in peer.names):
        if key in NOT_EXPRESSIBLE:
            return NOT_EXPRESSIBLE[key]
    return next((why for word, why in peer.dialect.unsaid.items() if word in words), None)


def _as_expected_of(peer: Peer, case: Case) -> Case:
    for name in peer.names:
        if (name, case.name) in UNLIKE:
            _, changes = UNLIKE[name, case.name]
            first, *others = case.turns
            first = attrs.evolve(first, expect=attrs.evolve(first.expect, **changes))
            return attrs.evolve(case, turns=(first, *others))
    return case


class _Check:
    def __init__(self, peer: Peer, case: Case, spawner: Spawner, folder: Path) -> None:
        self._peer = peer
        self._case = case
        self._spawner = spawner
        self._folder = folder
        self._log = folder / "log.jsonl"
        self._dialect = peer.dialect(peer.program)
        self._prompted: list[tuple[str, bool]] = []
        """Every prompt, and whether it must have arrived."""
        self.problems: list[str] = []

    # --- the case ---------------------------------------------------------------------------

    async def run(self) -> None:
        """Open the session, run the turns, end it."""
        refused: AdapterStartError | None = None
        async with trio.open_nursery() as nursery:
            profile = self._profile()
            serve = self._peer.adapter.serve
            try:
                session: NativeSession = await nursery.start(serve, profile, self._spawner)
            except AdapterStartError as error:
                refused = error
            else:
                await self._converse(session, profile)
        if refused is not None:
            self._check_refusal(refused)

    def _profile(self) -> SessionProfile:
        case, dialect = self._case, self._dialect
        turns = [turn.does for turn in (*case.turns, NEXT)]
        scenario = self._folder / "scenario.json"
        scenario.write_text(json.dumps(dialect.scenario(case.does, turns)))
        fields: dict[str, Any] = {
            "agent_id": "tester",
            "command": dialect.command(scenario, self._log),
            "cwd": str(self._folder),
            "timeouts": TIMEOUTS,
            "run_dir": str(self._folder),
            "resume": dialect.earlier if case.resume else None,
            "mode": dialect.mode if case.with_mode else None,
        }
        return SessionProfile(**{**fields, **case.profile})

    async def _converse(self, session: NativeSession, profile: SessionProfile) -> None:
        case = self._case
        if case.refused and case.continuity is None:
            self.problems.append("a session was opened")
        self._check_facts(session, profile)
        for number, one in enumerate(case.turns, 1):
            await self._prompt(session, one, f"turn {number}")
        if not case.turns or case.turns[-1].expect.usable:
            await self._prompt(session, NEXT, "the next turn")
        if case.closes:
            await session.close()
        else:
            session.kill()
        await session.closed.wait()
        if session.usable:
            self.problems.append("it is usable after its end")

    async def _prompt(self, session: NativeSession, one: Turn, name: str) -> None:
        if one.after_exit:
            await session.closed.wait()
        recording = await record(session, one)
        self._prompted.append((one.prompt, one.expect.delivered))
        found = problems_of(recording, one.expect, session)
        self.problems += [f"{name}: {problem}" for problem in found]

    # --- what is checked of its beginning ---------------------------------------------------

    def _check_facts(self, session: NativeSession, profile: SessionProfile) -> None:
        facts, wanted = session.facts, self._case.continuity
        if not facts.native_session_id:
            self.problems.append("the session has no name")
        if wanted is not None and facts.continuity != wanted:
            self.problems.append(f"the session is {facts.continuity}, not {wanted}")
        if facts.continuity == "resumed" and facts.native_session_id != profile.resume:
            self.problems.append(f"{facts.native_session_id} is not the session to be resumed")
        if facts.argv[: len(profile.command)] != profile.command:
            self.problems.append(f"another program was started: {facts.argv}")
        if profile.mcp is not None:
            if not facts.mcp_injected:
                self.problems.append("the room's MCP server was not given")
            if any(profile.mcp.bearer in argument for argument in facts.argv):
                self.problems.append("the bearer is in the argv")

    def _check_refusal(self, error: AdapterStartError) -> None:
        def fits(wanted: Refused) -> bool:
            return (
                error.code is wanted.code
                and wanted.transient in (None, error.transient)
                and wanted.says in error.message
            )

        if not any(map(fits, self._case.refused)):
            kind = "transient" if error.transient else "for good"
            self.problems.append(f"it was refused ({kind}): {error.code}: {error.message}")
        if len(error.message) > 2_000:
            self.problems.append("the message of the refusal is not bounded")

    # --- what is checked afterwards ---------------------------------------------------------

    def look_back(self, judge: Judge | None) -> None:
        """What was sent to the program, and what it left behind."""
        frames = self._frames()
        self._check_prompts(self._dialect.prompts(frames))
        self._check_cancels(cancels_by_turn(self._dialect, frames))
        if self._case.with_mode and not any(map(self._dialect.sets_mode, frames)):
            self.problems.append("no mode was set")
        if self._case.spawns:
            pid = int((self._folder / "child.pid").read_text())
            if read_process(pid) is not None:
                self.problems.append(f"process {pid} was left behind")
        self.problems += [] if judge is None else judge(frames)

    def _frames(self) -> list[Frame]:
        if not self._log.exists():
            return []
        whole, _, _ = self._log.read_bytes().rpartition(b"\n")
        return [json.loads(line) for line in whole.split(b"\n") if line]

    def _check_prompts(self, arrived: list[str]) -> None:
        """Each at most once and in order; with evidence of its turn, it must have arrived."""
        sent = [text.replace("\ud800", "\ufffd") for text, _ in self._prompted]
        if arrived != sent[: len(arrived)]:
            self.problems.append(f"{len(arrived)} prompts arrived, not as they were sent")
        if len(arrived) < sum(delivered for _, delivered in self._prompted):
            self.problems.append(f"only {len(arrived)} prompts arrived")

    def _check_cancels(self, asked: list[int]) -> None:
        for number, one in enumerate(self._case.turns):
            count = asked[number] if number < len(asked) else 0
            bounds = one.expect.cancels
            if bounds is not None and not bounds[0] <= count <= bounds[1]:
                self.problems.append(f"turn {number + 1}: it was asked to stop {count} times")


def cancels_by_turn(dialect: Dialect, frames: list[Frame]) -> list[int]:
    """How often the program was asked to stop after each prompt, before the next one."""
    asked: list[int] = []
    for frame in frames:
        if dialect.prompts([frame]):
            asked.append(0)
        elif asked:
            asked[-1] += dialect.cancels([frame])
    return asked
