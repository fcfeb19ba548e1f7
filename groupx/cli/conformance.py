"""`groupx conformance`: what an installed program can do, with the evidence for it."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groupx.cli.failures import DONE, REFUSED, Refused
from groupx.domain.config import DRIVERS
from groupx.domain.limits import Timeouts

if TYPE_CHECKING:
    from groupx.capabilities.cases import Case
    from groupx.capabilities.report import CaseReport, RunReport
    from groupx.capabilities.running import RunPlan

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


def _pairs(_ctx: click.Context, _param: click.Parameter, given: Any) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise click.BadParameter("write it as NAME=VALUE")
        pairs[name] = value
    return pairs


def _words(_ctx: click.Context, _param: click.Parameter, given: str | None) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(given or ""))
    except ValueError as error:
        raise click.BadParameter(f"it cannot be split into words: {error}") from None


@command.command("run")
@click.option("--driver", type=click.Choice(DRIVERS), required=True, help="How it is spoken to.")
@click.option(
    "--command",
    "program",
    callback=_words,
    metavar="WORDS",
    help="The program, as in a shell; else the driver's own.",
)
@click.option("--args", callback=_words, metavar="WORDS", help="More arguments, as in the config.")
@click.option("--mode", help="The native mode to ask for, as in the config.")
@click.option(
    "--cwd",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where it works; else an empty folder of its own.",
)
@click.option(
    "--env",
    "environment",
    multiple=True,
    callback=_pairs,
    metavar="NAME=VALUE",
    help="For the program, which has yours too; a secret is better set there.",
)
@click.option(
    "--directive",
    "directives",
    multiple=True,
    callback=_pairs,
    metavar="CASE=WORDS",
    help="How the mock model behind it is told to use a tool (cases tool, mcp-tool).",
)
@click.option(
    "--case", "names", multiple=True, metavar="CASE", help="Only this one; else all of them."
)
@click.option("--note", default="", help="For the report, such as which model answered.")
@click.option("--model-turns", is_flag=True, help="Also the cases that cost turns of its model.")
@click.option("--program-version", help="Of a program that does not tell its own.")
@click.option(
    "--handshake-timeout",
    type=click.IntRange(1, 600),
    default=15,
    show_default=True,
    metavar="SECONDS",
    help="From each start to a ready session; as timeouts.handshake of a config.",
)
@click.option(
    "--timeout",
    type=click.IntRange(1, 86_400),
    default=1200,
    show_default=True,
    metavar="SECONDS",
    help="For the whole run.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--markdown", "markdown_file", type=click.Path(path_type=Path, dir_okay=False))
def run(
    *,
    driver: str,
    program: tuple[str, ...],
    args: tuple[str, ...],
    mode: str | None,
    cwd: Path | None,
    environment: dict[str, str],
    directives: dict[str, str],
    names: tuple[str, ...],
    note: str,
    model_turns: bool,
    program_version: str | None,
    handshake_timeout: int,
    timeout: int,
    json_file: Path | None,
    markdown_file: Path | None,
) -> int:
    """Start a program through its driver, case by case, and say what it can do.

    Without --model-turns nothing is sent to a model. With it, about fifteen short prompts are.
    """
    import tempfile

    from groupx.adapters.contract import SessionProfile
    from groupx.adapters.registry import adapter_for
    from groupx.capabilities.documents import write_report
    from groupx.capabilities.redaction import Redactor, secrets_in
    from groupx.capabilities.running import RunPlan
    from groupx.capabilities.tables import markdown_report, plain_table
    from groupx.cli.offline import now_ms

    with tempfile.TemporaryDirectory(prefix="groupx-conformance-") as work:
        plan = RunPlan(
            adapter=adapter_for(driver),
            profile=SessionProfile(
                agent_id="conformance",
                command=program,
                args=args,
                cwd=str(cwd.resolve() if cwd else work),
                env=environment,
                mode=mode,
                timeouts=Timeouts(handshake=handshake_timeout * 1000),
                run_dir=work,
            ),
            redactor=Redactor(secrets_in(os.environ, environment)),
            now_ms=now_ms,
            model_turns=model_turns,
            directives=directives,
            note=note,
            cases=_chosen(names),
            version=program_version,
            seconds=timeout,
            on_case=_show_progress,
        )
        report = _play(plan)
    click.echo(plain_table(report))
    if json_file is not None:
        json_file.write_bytes(write_report(report))
    if markdown_file is not None:
        markdown_file.write_text(markdown_report(report))
    return REFUSED if report.failed else DONE


def _chosen(names: tuple[str, ...]) -> "tuple[Case, ...]":
    """The cases of those names, after the handshake, without which nothing goes; none = all."""
    from groupx.capabilities.cases import CASES, HANDSHAKE

    known = {case.name: case for case in CASES}
    for name in names:
        if name not in known:
            raise click.BadParameter(f"no case '{name}'; there are {', '.join(known)}")
    wanted = {HANDSHAKE.name, *names} if names else known
    return tuple(case for case in CASES if case.name in wanted)


def _play(plan: "RunPlan") -> "RunReport":
    import trio

    from groupx.capabilities.evidence import EvidenceRefused
    from groupx.capabilities.running import run as play
    from groupx.process.spawner import Spawner, SpawnError

    async def with_spawner() -> "RunReport":
        spawner = Spawner()
        await spawner.start()
        try:
            return await play(plan, spawner)
        finally:
            await spawner.aclose()

    try:
        return trio.run(with_spawner)
    except (EvidenceRefused, SpawnError) as error:
        raise Refused(str(error)) from None


def _show_progress(case: "CaseReport") -> None:
    click.echo(f"{case.capability}: {case.status}", err=True)


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
