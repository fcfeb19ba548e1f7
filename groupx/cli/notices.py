"""What is odd about a config, said once at a start."""

import click

from groupx.domain.config import Config
from groupx.runtime_notices import config_notices


def show_notices(config: Config) -> None:
    """One line each, on stderr."""
    for notice in config_notices(config):
        click.echo(f"groupx: {notice.message}", err=True)
