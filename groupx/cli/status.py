"""`groupx status`: whether this config's room runs, and how it is."""

import json
from typing import Any, cast

import click

from groupx.cli.failures import DONE, REFUSED
from groupx.cli.place import config_options, find_place
from groupx.cli.running import Silent, client_of, find_running


@click.command("status")
@config_options
@click.option("--json", "as_json", is_flag=True, help="The health as JSON.")
def command(config: str | None, demo: bool, as_json: bool) -> int:
    """Say whether this config's room runs, and how it is. Exit code 1 unless it answers."""
    place = find_place(config=config, demo=demo)
    try:
        running = find_running(place)
    except Silent as silent:
        if not as_json:
            raise
        facts = {"running": True, "config": str(place.config_path), "health": None}
        click.echo(json.dumps({**facts, "problem": silent.message}))
        return REFUSED
    if running is None:
        if as_json:
            click.echo(json.dumps({"running": False, "config": str(place.config_path)}))
        else:
            click.echo(f"No room of {place.config_path} runs. Start it with `groupx run`.")
        return REFUSED
    health = client_of(place, running).health().body
    if as_json:
        facts = {"running": True, "config": str(place.config_path), "url": running.url}
        click.echo(json.dumps({**facts, "health": health}))
        return DONE
    click.echo(f"The room of {place.config_path}\n  {health.get('status')} on {running.url}")
    for line in _details(health):
        click.echo(f"  {line}")
    return DONE


def _details(health: dict[str, Any]) -> list[str]:
    lines = [f"version {health.get('version')}"]
    for name in ("database", "store"):
        section = health.get(name)
        if isinstance(section, dict):
            facts = cast("dict[str, Any]", section)
            lines.append(f"{name}: " + ", ".join(f"{key} {facts[key]}" for key in facts))
    agents = health.get("agents")
    if isinstance(agents, dict):
        states = cast("dict[str, Any]", agents)
        lines += [f"{actor_id}: {state}" for actor_id, state in states.items()]
    if health.get("restartRequired"):
        lines.append("the config was changed; it counts after `groupx restart`")
    if port := health.get("pendingPort"):
        lines.append(f"the config's port is {port}; it counts after `groupx restart`")
    return lines
