"""`groupx token`: the secret that opens the room."""

from pathlib import Path

import click

from groupx.cli.failures import DONE, Refused
from groupx.cli.place import config_options, find_place


@click.group("token")
def command() -> None:
    """The token that opens the room."""


@command.command("rotate")
@config_options
def rotate(config: str | None, demo: bool) -> int:
    """Make a new token; every browser and script that held the old one is out, at once."""
    from groupx.web.token import rotate_token

    path = Path(find_place(config=config, demo=demo).paths().token)
    if not path.exists():
        raise Refused(f"there is no token at {path} yet; the first `groupx run` makes one.")
    rotate_token(path)
    click.echo("The token is new. Log in again with `groupx open`.")
    return DONE
