"""`groupx export`: the room written down, whether it runs or not."""

import contextlib
import os
import sys
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlencode

import attrs
import click

from groupx.cli.client import BrokenDownload, NobodyListens, NotARuntime
from groupx.cli.failures import DONE, Refused
from groupx.cli.offline import leased, ledger, running_or_none
from groupx.cli.place import Place, config_options, find_place, refuse_misplaced
from groupx.cli.running import Running, client_of
from groupx.store.exchange.exporting import ExportRequest, export_of
from groupx.store.exchange.files import make_private, new_file
from groupx.store.exchange.formats import FORMS, JSONL
from groupx.store.exchange.reading import run

EXPORT_SECONDS = 120.0
"""Without a byte from the room."""


@click.command("export")
@config_options
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMS)),
    default=JSONL,
    help="jsonl (everything public, for `groupx import`; the default), markdown, html.",
)
@click.option("--output", metavar="FILE", help="A new file; else the terminal's output.")
@click.option("--reasoning", is_flag=True, help="With what agents thought (markdown, html).")
@click.option("--room", metavar="ID", help="Another room than the active one (markdown, html).")
def command(
    *,
    config: str | None,
    demo: bool,
    form: str,
    output: str | None,
    reasoning: bool,
    room: str | None,
) -> int:
    """Write the room's history down, as of now; the room may run meanwhile.

    An export holds what is public: history, memories, identities, summaries. A backup holds
    everything.
    """  # fmt: skip
    place = find_place(config=config, demo=demo)
    request = ExportRequest(form=form, room_id=room, reasoning=reasoning)
    export_of(request).close()  # refuses what makes no sense before anything is asked or written
    if output is not None:
        refuse_misplaced(Path(os.path.abspath(output)), place)
    running = running_or_none(place)
    pieces = _online(place, running, request) if running else _offline(place, request)
    with contextlib.closing(pieces):
        if output is None:
            _write(pieces, sys.stdout.buffer)
            return DONE
        target = Path(os.path.abspath(output))
        with new_file(target) as staged:
            make_private(staged)
            with staged.open("wb") as file:
                _write(pieces, file)
    click.echo(f"Exported to {target}." + _next_step(request, target))
    return DONE


def _next_step(request: ExportRequest, target: Path) -> str:
    if request.form != JSONL:
        return ""
    return f"\nTo make a database of it: groupx import {target} --into NEW.db"


def _write(pieces: Iterable[bytes], file: BinaryIO) -> None:
    file.writelines(pieces)
    file.flush()


def _offline(place: Place, request: ExportRequest) -> Generator[bytes]:
    with leased(place) as offline, ledger(offline) as conn:
        yield from run(export_of(request), conn)


def _online(place: Place, running: Running, request: ExportRequest) -> Generator[bytes]:
    query = {"format": request.form, "reasoning": int(request.reasoning)}
    if request.room_id is not None:
        query["room"] = request.room_id
    client = attrs.evolve(client_of(place, running), timeout_seconds=EXPORT_SECONDS)
    try:
        yield from client.download(f"/api/export?{urlencode(query)}")
    except (NobodyListens, NotARuntime):
        raise Refused(
            f"the room on port {running.port} did not answer; nothing was exported. "
            "Look with `groupx status`, then try again."
        ) from None
    except BrokenDownload as error:
        raise Refused(
            f"the export broke off ({error}), so it is not whole and no file was made of it. "
            "Look with `groupx status`, then export again."
        ) from None
