"""`groupx conformance`: what an installed program can do, with the evidence for it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groupx.cli import conformance_run
from groupx.cli.failures import DONE, Refused

if TYPE_CHECKING:
    from groupx.capabilities.report import RunReport

WRONG_USE = 2


class _Group(click.Group):
    """Exit code 1 means here that a case failed; a wrong command line is 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            error.show()
            return WRONG_USE


@click.group("conformance", cls=_Group)
def command() -> None:
    """What an installed program can do, with the evidence for it.

    Exit codes: 0 no case failed; 1 one failed, or the command could not be done; 2 wrong use.
    """


command.add_command(conformance_run.command)


@command.command("matrix")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Else printed.")
def matrix(files: tuple[Path, ...], output: Path | None) -> int:
    """Merge JSON reports of runs into one table in Markdown.

    A report whose labels are not proven by its own evidence is refused.
    """
    from groupx.capabilities.documents import MAX_BYTES, read_report
    from groupx.capabilities.evidence import EvidenceRefused
    from groupx.capabilities.tables import matrix as merge

    reports: list[RunReport] = []
    for file in files:
        try:
            with file.open("rb") as stream:
                reports.append(read_report(stream.read(MAX_BYTES + 1)))
        except EvidenceRefused as error:
            raise Refused(f"{file}: {error} No table was made.") from None
    try:
        text = merge(reports)
    except EvidenceRefused as error:
        raise Refused(f"{error} No table was made.") from None
    if output is None:
        click.echo(text)
    else:
        output.write_text(text)
    return DONE
