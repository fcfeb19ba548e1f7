"""`groupx search`: what was said and what is remembered, found by the running room."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import click

from groupx.cli.client import RuntimeClient
from groupx.cli.failures import DONE, Refused
from groupx.cli.place import Place, config_options, find_place
from groupx.cli.running import client_of, find_running
from groupx.cli.terminal import as_typed, bold, one_line
from groupx.domain.search_query import MAX_QUERY

MAX_LIMIT = 50
"""Hits of one answer of the room."""
MAX_PAGES = 20
"""Answers that one command asks for, when they are short."""
_MARK = re.compile("<mark>(.*?)</mark>", re.DOTALL)


@click.command("search")
@config_options
@click.argument("words", nargs=-1, required=True)
@click.option("--rooms", type=click.Choice(["active", "all"]), default="active", help="In which.")
@click.option(
    "--limit", type=click.IntRange(1, MAX_LIMIT), default=20, show_default=True, help="At most."
)
@click.option("--cursor", metavar="CURSOR", help="Older ones: what the last search ended with.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(
    *,
    config: str | None,
    demo: bool,
    words: tuple[str, ...],
    rooms: str,
    limit: int,
    cursor: str | None,
    as_json: bool,
) -> int:
    """Find messages and memories by their words, the newest first. The room must run.

    "quoted words" stand together; from:, to:, before:, after: and has:code narrow it down;
    has:history adds memories that were rewritten or taken back. Put -- before
    words that begin with a dash.
    """
    query = as_typed(" ".join(words))
    if not query.strip():
        raise Refused("nothing was looked for, as there is no word to look for. Give at least one.")
    place = find_place(config=config, demo=demo)
    wanted: dict[str, Any] = {"q": query[:MAX_QUERY], "limit": limit}
    if rooms == "all":
        wanted["rooms"] = rooms
    if cursor is not None:
        wanted["cursor"] = cursor
    found = _find(_client(place), wanted)
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return DONE
    for line in _told(found):
        click.echo(line)
    return DONE


def _client(place: Place) -> RuntimeClient:
    running = find_running(place)
    if running is None:
        raise Refused(
            f"no room of {place.config_path} runs, so it cannot be searched. "
            "Start it with `groupx run` or `groupx start`."
        )
    return client_of(place, running)


def _find(client: RuntimeClient, wanted: dict[str, Any]) -> dict[str, Any]:
    """A page's worth of hits as the route gives it, out of as many short ones as it takes."""
    results: list[dict[str, Any]] = []
    page: dict[str, Any] = {}
    for _ in range(MAX_PAGES):
        asked = {**wanted, "limit": wanted["limit"] - len(results)}
        answer = client.get(f"/api/search?{urlencode(asked)}")
        if answer.status != 200:
            raise Refused(answer.error_message)
        page = answer.body
        results += page["results"]
        if len(results) >= wanted["limit"] or "nextCursor" not in page:
            break
        wanted = {**wanted, "cursor": page["nextCursor"]}
    return {**page, "results": results}


def _told(answer: dict[str, Any]) -> Iterator[str]:
    for hit in answer["results"]:
        place = f"#{hit['seq']}" if "seq" in hit else hit["id"]
        kind = "" if hit["kind"] == "message" else f" {hit['kind']}"
        status = "" if hit.get("status", "active") == "active" else f" ({hit['status']})"
        yield f"{hit['at'][:16].replace('T', ' ')}  {hit['actorId']}{kind}{status}  {place}"
        yield f"  {_plain(hit['excerptHtml'])}"
    if not answer["results"]:
        yield "Nothing so far." if "nextCursor" in answer else "Nothing was found."
    if "nextCursor" in answer:
        yield f"Older ones: --cursor {answer['nextCursor']}"
    if "indexing" in answer:
        told = answer["indexing"]
        yield f"Older text is still being indexed: {told['done']} of {told['total']} events."


def _plain(excerpt: str) -> str:
    """One line for a terminal, with nothing in it that a terminal would obey but our own bold."""
    text = one_line(excerpt)
    return html.unescape(_MARK.sub(lambda hit: bold(hit[1]), text))
