"""`groupx token`: the secret that opens the room."""

from pathlib import Path

import click

from groupx.cli.client import NobodyListens, NotARuntime
from groupx.cli.failures import DONE, Refused
from groupx.cli.place import Place, config_options, find_place
from groupx.cli.running import Silent, client_of, find_running, written_port


@click.group("token")
def command() -> None:
    """The token that opens the room."""


@command.command("rotate")
@config_options
def rotate(config: str | None, demo: bool) -> int:
    """Make a new token; every browser and script that held the old one is out, at once.

    Also what they hold open ends, and login links that were not used yet are void.
    """
    from groupx.web.token import rotate_token

    place = find_place(config=config, demo=demo)
    path = Path(place.paths().token)
    if not path.exists():
        raise Refused(f"there is no token at {path} yet; the first `groupx run` makes one.")
    rotate_token(path)
    click.echo(_told(place))
    return DONE


def _told(place: Place) -> str:
    """Any request with the new token makes the running room look; this one does it now."""
    port = written_port(place.paths())
    try:
        running = find_running(place)
        if running is None:
            return "The token is new. Log in with `groupx open` once the room runs."
        client_of(place, running).health()
    except (NobodyListens, NotARuntime, Silent):
        return (
            f"The token is new, but the room on port {port} did not answer just now: what "
            "the old one holds open ends within 15 s. To be sure, run `groupx restart`."
        )
    return (
        "The token is new. Whoever held the old one is out, and what they held open has ended. "
        "Log in again with `groupx open`."
    )
