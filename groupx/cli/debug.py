"""`groupx debug`: what to know, and what to do, when something is odd."""

import json
import os
from pathlib import Path
from typing import Any

import click

from groupx.cli.failures import DONE, Refused
from groupx.cli.place import Place, config_options, find_place
from groupx.domain.errors import GroupXError
from groupx.runtime_folder import sibling_databases


@click.group("debug")
def command() -> None:
    """What to know, and what to do, when something is odd."""


@command.command("paths")
@config_options
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def paths(config: str | None, demo: bool, as_json: bool) -> int:
    """Print every place GroupX uses and why, and which databases are there. Creates nothing."""
    place = find_place(config=config, demo=demo)
    facts = _facts(place)
    if as_json:
        click.echo(json.dumps(facts, indent=2, ensure_ascii=False))
        return DONE
    width = max(len(key) for key in facts)
    siblings: list[dict[str, Any]] = facts.pop("siblings")
    for key, value in facts.items():
        click.echo(f"{key:<{width}}  {'-' if value is None else value}")
    for sibling in siblings:
        click.echo(f"{'sibling':<{width}}  {sibling['path']}  (format {sibling['format']})")
    return DONE


@command.command("reindex")
@config_options
def reindex(config: str | None, demo: bool) -> int:
    """Build the search index anew out of the history.

    If the room runs, beside what it does; otherwise here and now. Nothing else is changed.
    """
    from groupx.cli.reindexing import reindexed

    click.echo(reindexed(find_place(config=config, demo=demo)))
    return DONE


def _facts(place: Place) -> dict[str, Any]:
    problem: str | None = None
    try:
        where = place.load()[1]
    except (Refused, GroupXError) as error:
        where, problem = place.paths(), error.message
    database = where.database
    return {
        "config": where.config,
        "configChosenBy": place.chosen_by,
        "configProblem": problem,
        "data": where.data,
        "database": database or ":memory:",
        "databaseChosenBy": where.choice.rule,
        "channel": where.channel,
        "format": None if database is None else _format(Path(database)),
        "siblings": [
            {"path": str(sibling), "format": _format(sibling)}
            for sibling in sibling_databases(where)
        ],
        "lock": where.lock,
        "databaseLock": None if database is None else f"{os.path.realpath(database)}.lock",
        "log": where.log,
        "token": where.token,
    }


def _format(database: Path) -> str | int | None:
    """The format found; None for no database, and what is wrong for one that cannot be opened."""
    from groupx.store.probe import probe

    if not database.exists():
        return None
    try:
        return probe(database) or "empty"
    except GroupXError as error:
        return str(error.code)
