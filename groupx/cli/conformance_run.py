"""`groupx conformance run`: one program through the cases, with the evidence for each label."""

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groupx.adapters.registry import ADAPTERS
from groupx.cli.failures import DONE, REFUSED, Refused
from groupx.cli.spawning import run_with_spawner
from groupx.domain.limits import Timeouts

if TYPE_CHECKING:
    from groupx.capabilities.cases import Case
    from groupx.capabilities.report import CaseReport, RunReport
    from groupx.capabilities.running import RunPlan


def _pairs(_ctx: click.Context, _param: click.Parameter, given: Any) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise click.BadParameter("write it as NAME=VALUE")
        pairs[name] = value
    return pairs


def _directives(ctx: click.Context, param: click.Parameter, given: Any) -> dict[str, str]:
    """That of a shell has the command that is to be run, which is another one each time."""
    from groupx.capabilities.prompts import COMMAND

    pairs = _pairs(ctx, param, given)
    if COMMAND not in pairs.get("tool", COMMAND):
        raise click.BadParameter(f"that of case tool has to have {COMMAND} in it")
    return pairs


def _words(_ctx: click.Context, _param: click.Parameter, given: str | None) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(given or ""))
    except ValueError as error:
        raise click.BadParameter(f"it cannot be split into words: {error}") from None


_FILE = click.Path(path_type=Path, dir_okay=False)


def _new_file(_ctx: click.Context, _param: click.Parameter, given: Path | None) -> Path | None:
    """Told before the run, and not when its results are to be written."""
    if given is not None and not given.resolve().parent.is_dir():
        raise click.BadParameter(f"there is no folder {given.parent}")
    return given


@click.command("run")
@click.option(
    "--driver", type=click.Choice(tuple(ADAPTERS)), required=True, help="How it is spoken to."
)
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
    callback=_directives,
    metavar="CASE=WORDS",
    help="How the mock model behind it is told to use a tool (cases tool, mcp-tool); {command} in "
    "that of case tool is the command.",
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
    "--request-timeout",
    type=click.IntRange(1, 600),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="For each answer of the handshake; as timeouts.request of a config.",
)
@click.option(
    "--timeout",
    type=click.IntRange(1, 86_400),
    default=1200,
    show_default=True,
    metavar="SECONDS",
    help="For the whole run.",
)
@click.option(
    "--json",
    "json_file",
    callback=_new_file,
    type=_FILE,
    metavar="FILE",
    help="The report with all evidence, for `groupx conformance matrix`.",
)
@click.option(
    "--markdown",
    "markdown_file",
    callback=_new_file,
    type=_FILE,
    metavar="FILE",
    help="The report for people.",
)
def command(
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
    request_timeout: int,
    timeout: int,
    json_file: Path | None,
    markdown_file: Path | None,
) -> int:
    """Start a program through its driver, case by case, and say what it can do.

    Without --model-turns nothing is sent to a model. With it, about sixteen short prompts are.
    """
    import tempfile

    if driver == "acp" and not program:
        raise click.UsageError("--driver acp has no program of its own: name it with --command")
    from groupx.adapters.contract import SessionProfile
    from groupx.adapters.registry import adapter_for
    from groupx.capabilities.redaction import Redactor, secrets_in
    from groupx.capabilities.running import RunPlan
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
                timeouts=Timeouts(
                    handshake=handshake_timeout * 1000, request=request_timeout * 1000
                ),
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
    _deliver(report, json_file, markdown_file)
    return REFUSED if report.failed or report.cut_short else DONE


def _deliver(report: "RunReport", json_file: Path | None, markdown_file: Path | None) -> None:
    from groupx.capabilities.documents import write_report
    from groupx.capabilities.tables import markdown_report, plain_table

    click.echo(plain_table(report))
    if json_file is not None:
        json_file.write_bytes(write_report(report))
    if markdown_file is not None:
        markdown_file.write_text(markdown_report(report))


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
    from groupx.capabilities.evidence import EvidenceRefused
    from groupx.capabilities.running import run as play

    try:
        return run_with_spawner(lambda spawner: play(plan, spawner))
    except EvidenceRefused as error:
        raise Refused(str(error)) from None


def _show_progress(case: "CaseReport") -> None:
    click.echo(f"{case.capability}: {case.status}", err=True)
