"""`groupx context`: how full the room's context is, making it smaller, or beginning it anew."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

import click

from groupx.cli.client import Answer, RuntimeClient
from groupx.cli.failures import DONE, Refused
from groupx.cli.place import config_options, find_place
from groupx.cli.running import client_of, find_running
from groupx.cli.terminal import one_line


@click.group("context", invoke_without_command=True)
@config_options
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def command(ctx: click.Context, *, config: str | None, demo: bool, as_json: bool) -> int:
    """Say how full the active room's context is, in characters. The room must run."""
    if ctx.invoked_subcommand is not None:
        return DONE
    found = _done(_client(ctx).get("/api/context"))
    click.echo(json.dumps(found, ensure_ascii=False) if as_json else "\n".join(_told(found)))
    return DONE


@command.command("compact")
@config_options
@click.option("--cancel", is_flag=True, help="End the one that runs, whoever began it.")
@click.pass_context
def compact(ctx: click.Context, *, config: str | None, demo: bool, cancel: bool) -> int:
    """Have an agent write a checkpoint of everything but the newest messages.

    Packets then carry it in their place. Nothing is removed.
    """
    if cancel:
        ended = _post(_client(ctx), "/api/context/compact/cancel")
        click.echo(
            f"The compaction {ended['compactionId']} was ended. What it had written by then stays."
        )
        return DONE
    begun = _post(_client(ctx), "/api/context/compact")
    click.echo(
        f"A checkpoint is being written ({begun['compactionId']}). "
        "`groupx context` shows how it goes and when the context got smaller."
    )
    return DONE


@command.command("reset")
@config_options
@click.option("--native-sessions", is_flag=True, help="New sessions of the programs too.")
@click.pass_context
def reset(ctx: click.Context, *, config: str | None, demo: bool, native_sessions: bool) -> int:
    """Begin the context anew: agents are told nothing of before any more.

    Nothing is removed, and memories stay. With --native-sessions every agent also begins a new
    session, once it is idle.
    """
    done = _post(_client(ctx), "/api/context/reset", resetNativeSessions=native_sessions)
    if done["changed"]:
        click.echo(f"Agents are told nothing up to seq {done['throughSeq']} from now on.")
        if native_sessions:
            click.echo("Each begins a new session once it is idle.")
    else:
        click.echo("Nothing was said since the last reset; nothing was changed.")
    return DONE


def _client(ctx: click.Context) -> RuntimeClient:
    """Of the config that is named behind the command, or behind `context`."""
    named: dict[str, Any] = {"config": None, "demo": False}
    for level in (ctx.parent, ctx):
        given = {} if level is None else level.params
        named |= {name: given[name] for name in named if given.get(name)}
    place = find_place(**named)
    running = find_running(place)
    if running is None:
        raise Refused(
            f"no room of {place.config_path} runs, so its context cannot be asked for. "
            "Start it with `groupx run` or `groupx start`."
        )
    return client_of(place, running)


def _post(client: RuntimeClient, path: str, **fields: Any) -> Mapping[str, Any]:
    return _done(client.post(path, {"clientCommandId": uuid.uuid4().hex, **fields}))


def _done(answer: Answer) -> Mapping[str, Any]:
    if answer.status >= 400:
        raise Refused(answer.error_message)
    return answer.body


def _told(found: Mapping[str, Any]) -> list[str]:
    lines = [
        f"About {found['estimatedCharacters']} of {found['maxCharacters']} characters "
        f"({found['utilizationPercent']} %)",
        f"  {found['uncompactedMessageCount']} messages that no checkpoint covers",
    ]
    for name, words in (("summaryThroughSeq", "checkpoint"), ("resetThroughSeq", "last reset")):
        if name in found:
            lines.append(f"  {words} at seq {found[name]}")
    if "compaction" in found:
        lines.append(_compaction(found["compaction"]))
    return lines + [_usage(usage) for usage in found["bySource"]]


def _compaction(last: Mapping[str, Any]) -> str:
    passes = "1 pass" if last["passes"] == 1 else f"{last['passes']} passes"
    told = f"  last compaction {last['state']}, {passes} begun"
    reason = last.get("message") or last.get("errorCode")
    return f"{told}: {one_line(reason)}" if reason else told


def _usage(usage: Mapping[str, Any]) -> str:
    characters = usage["characters"]
    known = "unknown" if characters is None else f"{characters} characters"
    tokens = f", {usage['tokens']} tokens" if "tokens" in usage else ""
    return f"  {usage['actorId']} {usage['source']}: {known}{tokens}"
