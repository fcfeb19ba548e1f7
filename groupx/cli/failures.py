"""How a command fails: one line for people, one of three exit codes."""

import click

DONE = 0
REFUSED = 1
FATAL = 70


class Refused(click.ClickException):
    """The command did nothing; the message says what happened, what it means, what to do."""

    exit_code = REFUSED

    def show(self, file: object = None) -> None:
        """Print it to stderr."""
        click.echo(f"groupx: {self.message}", err=True)
