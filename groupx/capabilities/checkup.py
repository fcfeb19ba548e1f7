"""Whether a program can be used, as far as it can be told without a turn of its model."""

import os
import re
import tempfile
from collections.abc import Sequence
from typing import Literal

import attrs
import trio

from groupx.adapters.contract import Adapter, AdapterStartError, Login, SessionProfile
from groupx.capabilities.mcp_cases import asked_for_tools, server_of
from groupx.capabilities.mcp_probe import McpProbe
from groupx.capabilities.pitfalls import WITHOUT_MCP, node_problem
from groupx.capabilities.redaction import Redactor
from groupx.capabilities.stage import CaseFailed, Stage
from groupx.capabilities.transcript import Transcript
from groupx.domain.errors import ErrorCode
from groupx.domain.text import excerpt
from groupx.process.environment import child_environment
from groupx.process.spawner import Spawner

MCP_SECONDS = 5.0
SLACK_SECONDS = 45.0
"""Beyond the handshake: to ask for the version, wait for MCP, close."""
AT_ONCE = 2
MAX_PROBLEM = 900
UNTOLD = "It does not tell its version."

Mcp = Literal["connected", "not_connected", "not_taken", "not_tried"]


@attrs.frozen(kw_only=True)
class Patient:
    """What is looked at: one driver with one setting, and the agents that have it."""

    adapter: Adapter
    profile: SessionProfile
    agents: tuple[str, ...] = ()
    """Ids in the config; empty for a driver that no agent of it has."""


@attrs.frozen(kw_only=True)
class Checkup:
    """What was found. `problems` say what they mean and what to do."""

    driver: str
    agents: tuple[str, ...] = ()
    found: bool
    path: str | None = None
    version: str | None = None
    starts: bool = False
    handshake_ms: int | None = None
    login: Login = attrs.field(factory=lambda: Login("unknown", "it was not started"))
    mcp: Mcp = "not_tried"
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether a message to it has a chance."""
        return self.starts and self.login.known != "no"


async def check_all(
    patients: Sequence[Patient], spawner: Spawner, redactor: Redactor
) -> tuple[Checkup, ...]:
    """Every checkup, in the order of the patients; a few at once, each bounded in time."""
    found: dict[int, Checkup] = {}
    room = trio.CapacityLimiter(AT_ONCE)

    async def one(number: int, patient: Patient) -> None:
        async with room:
            found[number] = await check_up(patient, spawner, redactor)

    async with trio.open_nursery() as nursery:
        for number, patient in enumerate(patients):
            nursery.start_soon(one, number, patient)
    return tuple(found[number] for number in range(len(patients)))


async def check_up(patient: Patient, spawner: Spawner, redactor: Redactor) -> Checkup:
    """Look for the program, start it, shake hands, offer it an MCP server, close it."""
    seconds = patient.profile.timeouts.handshake / 1000 + SLACK_SECONDS
    checkup = Checkup(driver=patient.adapter.driver, found=False)
    with (
        trio.move_on_after(seconds) as bound,
        tempfile.TemporaryDirectory(prefix="groupx-doctor-") as run,
    ):
        profile = attrs.evolve(patient.profile, run_dir=run)
        checkup = await _find(patient.adapter, profile, spawner)
        if checkup.found:
            stage = Stage(adapter=patient.adapter, spawner=spawner, profile=profile)
            checkup = await _look(checkup, stage, Transcript(redactor))
    if bound.cancelled_caught:
        problem = f"It was not done with within {seconds:g} s. Try it in a terminal of its own."
        checkup = _with_problem(checkup, problem)
    problems = [
        excerpt(redactor.without_secrets(" ".join(text.split())), MAX_PROBLEM)
        for text in checkup.problems
    ]
    return attrs.evolve(checkup, agents=patient.agents, problems=tuple(problems))


async def _find(adapter: Adapter, profile: SessionProfile, spawner: Spawner) -> Checkup:
    """Whether the program is there, and which version of it."""
    report = await adapter.probe(profile, spawner)
    if not report.found:
        problem = report.problem or "It was not found."
        return Checkup(driver=adapter.driver, found=False, problems=(problem,))
    version, odd = report.version, None
    if version is not None and not re.search(r"\d+\.\d+", version):
        version, odd = None, f'{UNTOLD} It said: "{version}".'
    return Checkup(
        driver=adapter.driver,
        found=True,
        path=report.path,
        version=version,
        notes=report.notes,
        problems=tuple(text for text in (report.problem, odd) if text),
    )


async def _look(checkup: Checkup, stage: Stage, transcript: Transcript) -> Checkup:
    environment = child_environment(os.environ, stage.profile.env)
    old_node = await node_problem(checkup.driver, checkup.path or "", environment, stage.spawner)
    if old_node is None:
        return await _start(checkup, stage, transcript)
    # What it says without its Node is of no use.
    return Checkup(driver=checkup.driver, found=True, path=checkup.path, problems=(old_node,))


async def _start(checkup: Checkup, stage: Stage, transcript: Transcript) -> Checkup:
    """Open a session and close it; nothing is sent to a model."""
    with McpProbe() as probe:
        try:
            async with stage.session(transcript, mcp=server_of(probe)) as session:
                facts, took = session.facts, transcript.milliseconds
                mcp: Mcp = "not_connected"
                if facts.capabilities.get("mcp") == "unsupported":
                    mcp = "not_taken"
                elif facts.mcp_injected:
                    heard = await asked_for_tools(probe, MCP_SECONDS)
                    mcp = "connected" if heard else "not_connected"
        except AdapterStartError as error:
            login = checkup.login
            if error.code is ErrorCode.NATIVE_LOGIN_REQUIRED:
                login = Login("no", "it says so itself")
            return _with_problem(attrs.evolve(checkup, login=login), error.message)
        except CaseFailed as error:
            return _with_problem(checkup, str(error))
    told = facts.program_version is not None
    checkup = attrs.evolve(
        checkup,
        starts=True,
        problems=tuple(it for it in checkup.problems if not (told and it.startswith(UNTOLD))),
        handshake_ms=took,
        version=facts.program_version or checkup.version,
        login=facts.login,
        mcp=mcp,
    )
    if facts.login.known == "no":
        checkup = _with_problem(
            checkup, "A message to it would fail. Log in with the program itself, then try again."
        )
    if mcp == "not_connected" and checkup.driver in WITHOUT_MCP:
        checkup = _with_problem(checkup, WITHOUT_MCP[checkup.driver])
    return checkup


def _with_problem(checkup: Checkup, problem: str) -> Checkup:
    return attrs.evolve(checkup, problems=(*checkup.problems, problem))
