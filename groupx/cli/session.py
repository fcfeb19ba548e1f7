"""`groupx session`: the rooms as sessions. New, listed, archived, pruned."""

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from groupx.cli.failures import DONE, Refused
from groupx.cli.place import config_options, find_place
from groupx.cli.session_rooms import Rooms, Wire, rooms_of
from groupx.cli.terminal import one_line
from groupx.domain.rooms import MAX_PRUNE_DAYS, MAX_TITLE_CHARACTERS, Shown

_MAX_TITLE_COLUMNS = 40


@click.group("session")
def command() -> None:
    """The rooms as sessions: one is active, the others can be read.

    Works whether the room runs or not.
    """


@command.command("new")
@config_options
@click.option("--title", metavar="TEXT", help="What to call it.")
def new(config: str | None, demo: bool, title: str | None) -> int:
    """Archive the active room and open another; every agent begins a new session.

    Refused while a turn waits or runs.
    """
    if title is not None and not 0 < len(title) <= MAX_TITLE_CHARACTERS:
        raise Refused(f"a title has 1 to {MAX_TITLE_CHARACTERS} characters; nothing was done.")
    with rooms_of(find_place(config=config, demo=demo)) as rooms:
        opened = rooms.new(title)
    click.echo(f"The room {_named(opened)} is active now. The one before is archived.")
    return DONE


@command.command("list")
@config_options
@click.option("--all", "everything", is_flag=True, help="Archived ones too.")
@click.option("--archived", is_flag=True, help="Archived ones only.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", help="For whom."
)
def list_(*, config: str | None, demo: bool, everything: bool, archived: bool, form: str) -> int:
    """List the rooms, the active one first."""
    if everything and archived:
        raise Refused("--all and --archived exclude each other: use one of them.")
    shown: Shown = "all" if everything else "archived" if archived else "listed"
    with rooms_of(find_place(config=config, demo=demo)) as rooms:
        found = rooms.listed(shown)
    if form == "json":
        click.echo(json.dumps({"rooms": found}, ensure_ascii=False))
    elif found:
        click.echo(_table(found))
    else:
        click.echo("There is no such room.")
    return DONE


@command.command("archive")
@config_options
@click.argument("room_id", metavar="ID")
def archive(config: str | None, demo: bool, room_id: str) -> int:
    """Hide a room from the default list. It can still be read."""
    with rooms_of(find_place(config=config, demo=demo)) as rooms:
        click.echo(f"The room {_named(rooms.set_archived(room_id, True))} is archived.")
    return DONE


@command.command("unarchive")
@config_options
@click.argument("room_id", metavar="ID")
def unarchive(config: str | None, demo: bool, room_id: str) -> int:
    """Show a room in the default list again."""
    with rooms_of(find_place(config=config, demo=demo)) as rooms:
        click.echo(f"The room {_named(rooms.set_archived(room_id, False))} is listed again.")
    return DONE


@command.command("prune")
@config_options
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(1, MAX_PRUNE_DAYS),
    required=True,
    metavar="DAYS",
    help="Rooms without activity for so long.",
)
@click.option("--archive", "hide", is_flag=True, help="Archive them.")
@click.option("--delete", is_flag=True, help="Delete them, after a backup.")
@click.option("--yes", is_flag=True, help="Delete without asking.")
def prune(*, config: str | None, demo: bool, days: int, hide: bool, delete: bool, yes: bool) -> int:
    """Archive or delete old rooms. With neither --archive nor --delete: only say which.

    Never the active room, nor one in which a turn is open. Deleting also removes old backups of
    this database from its own folder.
    """
    if hide and delete:
        raise Refused("--archive and --delete exclude each other: use one of them.")
    if delete and not yes and not sys.stdin.isatty():
        raise Refused(
            "nobody can be asked here whether to delete, so nothing was done. Look at what it "
            "would be without --delete, then add --yes."
        )
    with rooms_of(find_place(config=config, demo=demo)) as rooms:
        if hide:
            done = rooms.prune("archive", days)
            click.echo(f"Archived {_count(done['archived'], 'room')}. {_UNARCHIVE}")
        elif delete:
            _delete(rooms, days, yes=yes)
        else:
            for line in _preview(rooms.prune("preview", days), days):
                click.echo(line)
    return DONE


_UNARCHIVE = "To list one again: groupx session unarchive ID"


def _delete(rooms: Rooms, days: int, *, yes: bool) -> None:
    before = rooms.prune("preview", days)
    if not before["deleted"] and not before["artifacts"]["files"]:
        click.echo(f"Nothing is older than {_count(days, 'day')}; nothing was done.")
        return
    if not yes:
        for line in _preview(before, days):
            click.echo(line)
        if not click.confirm("Delete them for good?"):
            raise Refused("nothing was deleted.")
    done = rooms.prune("delete", days)
    click.echo(f"Deleted {_contents(done)}.")
    click.echo(f"What there was before is in {done['backup']['path']}.")
    for line in _skipped(done["artifacts"]):
        click.echo(line)


def _preview(report: Wire, days: int) -> list[str]:
    ids = report["roomIds"]
    return [
        f"Without activity for {_count(days, 'day')}: {_count(len(ids), 'room')}.",
        *(f"  {room_id}" for room_id in ids),
        f"--archive would hide {_count(report['archived'], 'room')}.",
        f"--delete would delete {_contents(report)}.",
        *_skipped(report["artifacts"]),
    ]


def _contents(report: Wire) -> str:
    files = report["artifacts"]
    return (
        f"{_count(report['deleted'], 'room')} ({_count(report['events'], 'event')}, "
        f"{_count(report['turns'], 'turn')}) and {_count(files['files'], 'old file')} of this "
        f"database in its folder of backups ({files['bytes']} bytes)"
    )


def _skipped(artifacts: Wire) -> list[str]:
    if not artifacts["skipped"]:
        return []
    return [
        f"{_count(artifacts['skipped'], 'old file')} there cannot be told to be of this database; "
        "left alone."
    ]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _named(room: Wire) -> str:
    known = room["title"] != room["roomId"]
    return f"{room['roomId']} ({one_line(room['title'])})" if known else str(room["roomId"])


def _table(rooms: Sequence[Wire]) -> str:
    rows = [("ROOM", "TITLE", "STATE", "EVENTS", "TURNS", "LAST ACTIVITY")]
    rows += [_row(room) for room in rooms]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _row(room: Wire) -> tuple[str, str, str, str, str, str]:
    title: Any = "" if room["title"] == room["roomId"] else room["title"]
    line = one_line(str(title))
    shown = line if len(line) <= _MAX_TITLE_COLUMNS else f"{line[: _MAX_TITLE_COLUMNS - 1]}…"
    state = "active" if room["active"] else "archived" if room.get("archivedAt") else "closed"
    return (
        room["roomId"], shown, state, str(room["events"]), str(room["turns"]),
        room["lastActivityAt"],
    )  # fmt: skip
