"""`groupx doctor`: whether the agents, and what a room needs, are as they should be."""

import json
import os
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from groupx.adapters.registry import ADAPTERS
from groupx.cli.failures import DONE, REFUSED
from groupx.cli.place import config_options, find_place
from groupx.cli.spawning import run_with_spawner
from groupx.domain.config import AgentConfig, Config
from groupx.domain.ids import ASSISTANT_SESSION
from groupx.domain.limits import Timeouts

if TYPE_CHECKING:
    from groupx.capabilities.checkup import Checkup, Patient
    from groupx.capabilities.machine import Check

WIDTH = 80
_MARK = 6
_UNCONFIGURED = tuple(driver for driver in ADAPTERS if driver not in ("acp", "demo"))
"""What is looked for although no agent has it: `acp` has no program of its own."""
_MCP = {
    "connected": "it connects to the room's MCP server",
    "not_connected": "it was given the room's MCP server, and has not connected to it yet",
    "not_taken": "it takes no MCP server over HTTP: it cannot call other agents",
}


@click.command("doctor")
@config_options
@click.option(
    "--driver",
    "drivers",
    multiple=True,
    type=click.Choice(tuple(ADAPTERS)),
    help="Only this one; may be given more than once.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(*, config: str | None, demo: bool, drivers: tuple[str, ...], as_json: bool) -> int:
    """Check the installed programs and what a room needs, and say what to install or do.

    Each program is started and greeted, and closed again; nothing is sent to a model. Exit code 0
    when at least one agent of the config can be used (without a config: any program) and nothing
    that a room needs is broken, else 1.
    """
    from groupx.capabilities.machine import machine_checks
    from groupx.cli.doctor_room import room_checks

    checks, settings = room_checks(find_place(config=config, demo=demo))
    checks = (*machine_checks(), *checks)
    patients = _patients(settings, drivers)
    checkups = _check_all(patients, settings)
    configured = [checkup for checkup in checkups if set(checkup.agents) - {ASSISTANT_SESSION}]
    usable = any(checkup.usable for checkup in configured or checkups)
    healthy = usable and all(check.ok for check in checks)
    if as_json:
        click.echo(json.dumps(_document(checks, checkups, healthy=healthy), indent=2))
    else:
        for line in _lines(checks, checkups, usable=usable):
            click.echo(line)
    return DONE if healthy else REFUSED


def _patients(config: Config | None, drivers: tuple[str, ...]) -> "list[Patient]":
    """The agents of the config and its assistant, those of one setting together; then the other
    drivers."""
    from groupx.adapters.contract import SessionProfile
    from groupx.adapters.registry import adapter_for
    from groupx.capabilities.checkup import Patient

    timeouts = config.timeouts if config else Timeouts()
    groups: dict[tuple[Any, ...], list[AgentConfig]] = {}
    for agent in _programs(config):
        if not drivers or agent.driver in drivers:
            env = tuple(sorted(agent.env.items()))
            key = (agent.driver, agent.command, agent.args, agent.mode, agent.cwd, env)
            groups.setdefault(key, []).append(agent)
    patients = [
        Patient(
            adapter=adapter_for(agents[0].driver),
            agents=tuple(agent.id for agent in agents),
            profile=SessionProfile(
                agent_id=agents[0].id,
                command=agents[0].command,
                args=agents[0].args,
                mode=agents[0].mode,
                cwd=agents[0].cwd,
                env=agents[0].env,
                timeouts=timeouts,
                run_dir="",
            ),
        )
        for agents in groups.values()
    ]
    known = {patient.adapter.driver for patient in patients}
    patients += [
        Patient(
            adapter=adapter_for(driver),
            profile=SessionProfile(
                agent_id=driver, command=(), cwd=os.getcwd(), timeouts=timeouts, run_dir=""
            ),
        )
        for driver in dict.fromkeys(drivers or _UNCONFIGURED)
        if driver not in known
    ]
    return patients


def _programs(config: Config | None) -> tuple[AgentConfig, ...]:
    """What a room of this config starts."""
    if config is None:
        return ()
    assistant = config.enabled_assistant
    return (*config.enabled_agents(), *((assistant.program,) if assistant else ()))


def _check_all(patients: "list[Patient]", config: Config | None) -> "tuple[Checkup, ...]":
    from groupx.capabilities.checkup import check_all
    from groupx.capabilities.redaction import Redactor, secrets_in

    environments = [agent.env for agent in (*config.agents, *_programs(config))] if config else []
    redactor = Redactor(secrets_in(os.environ, *environments))
    return run_with_spawner(lambda spawner: check_all(patients, spawner, redactor))


# --- what is said ----------------------------------------------------------------------------


def _lines(checks: "Sequence[Check]", checkups: "Sequence[Checkup]", *, usable: bool) -> list[str]:
    lines: list[str] = []
    for check in checks:
        lines += _entry("ok" if check.ok else "FAIL", f"{check.name}: {check.detail}")
    for title, chosen in (
        ("Agents of the config", [checkup for checkup in checkups if checkup.agents]),
        ("Programs", [checkup for checkup in checkups if not checkup.agents]),
    ):
        if chosen:
            lines += ["", title]
            for checkup in chosen:
                lines += _program(checkup)
    broken = [check.name for check in checks if not check.ok]
    if broken:
        lines += ["", f"Broken: {', '.join(broken)}."]
    if not usable:
        lines += ["", "No agent can be used yet. The demo room needs none: groupx run --demo"]
    return lines


def _program(checkup: "Checkup") -> list[str]:
    name = checkup.driver
    if checkup.agents:
        names = ["the assistant" if it == ASSISTANT_SESSION else it for it in checkup.agents]
        name = f"{', '.join(names)} (driver {checkup.driver})"
    if not checkup.found:
        mark = "FAIL" if checkup.agents else "-"
        return _entry(mark, f"{name}: {' '.join(checkup.problems)}")
    mark = "FAIL" if not checkup.usable else "warn" if checkup.problems else "ok"
    version = f" {checkup.version}" if checkup.version else ""
    ready = f", ready in {checkup.handshake_ms / 1000:.1f} s" if checkup.handshake_ms else ""
    lines = _entry(mark, f"{name}:{version} at {checkup.path or '?'}{ready}")
    if checkup.starts:
        login = {"yes": "logged in", "no": "not logged in", "unknown": "cannot be told"}
        lines += _more(f"login: {login[checkup.login.known]}; {checkup.login.how}")
        if checkup.mcp in _MCP:
            lines += _more(f"MCP: {_MCP[checkup.mcp]}")
    for problem in checkup.problems:
        lines += _more(problem)
    for note in checkup.notes:
        lines += _more(f"note: {note}")
    return lines


def _entry(mark: str, text: str) -> list[str]:
    return _wrapped(text, f"{mark:<{_MARK}}", " " * _MARK)


def _more(text: str) -> list[str]:
    return _wrapped(text, " " * _MARK, " " * (_MARK + 2))


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _document(
    checks: "Sequence[Check]", checkups: "Sequence[Checkup]", *, healthy: bool
) -> dict[str, Any]:
    from groupx.domain.wire import to_wire

    return {
        "schema": "groupx.doctor/1",
        "ok": healthy,
        "checks": to_wire(checks),
        "programs": [{**to_wire(checkup), "usable": checkup.usable} for checkup in checkups],
    }
