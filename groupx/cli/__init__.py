"""The command line: one module per command, each imported when it is used.

Exit codes: 0 done, 1 refused (what to do is printed), 70 the daemon had to stop by itself.
"""

import importlib
import keyword
import sys
from typing import NoReturn, cast

import click

from groupx.cli.failures import REFUSED, words_of
from groupx.domain.errors import GroupXError

_COMMANDS = {
    "run": "Run the room in the foreground until Ctrl-C.",
    "start": "Run the room in the background.",
    "stop": "Stop this config's room.",
    "restart": "Stop this config's room and start it again.",
    "status": "Say whether this config's room runs, and how it is.",
    "open": "Open the room in the browser.",
    "session": "New, old and archived rooms.",
    "search": "Find messages and memories by their words.",
    "context": "How full the room's context is; make it smaller, or begin it anew.",
    "backup": "Copy the whole database into a file.",
    "restore": "Put a backup in the place of the database.",
    "export": "Write the room down, for people or for an import.",
    "import": "Make a new database out of an export.",
    "token": "The token that opens the room.",
    "doctor": "Check the installed programs and what a room needs.",
    "conformance": "What an installed program can do, with the evidence for it.",
    "debug": "What to know, and what to do, when something is odd.",
}
"""Command → its summary; the module of the same name in this package holds `command`
(with `_` after a word that Python has for itself)."""


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        name = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        module = importlib.import_module(f"groupx.cli.{name}")
        return cast("click.Command", module.command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="groupx", message="groupx %(version)s")
def group() -> None:
    """Your native coding agents and you, in one durable, local room.

    Exit codes: 0 done; 1 refused, and what to do is printed; 70 the daemon had to stop by itself.
    """


def main() -> None:
    """The `groupx` program."""
    if sys.platform == "win32":
        _fail("GroupX runs on Linux and macOS; on Windows, run it inside WSL.")
    try:
        code = group.main(prog_name="groupx", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(0)
    except click.ClickException as error:
        error.show()
        sys.exit(REFUSED)
    except (click.Abort, KeyboardInterrupt):
        _fail("stopped by Ctrl-C.")
    except GroupXError as error:
        _fail(error.message)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(REFUSED)
    except OSError as error:
        _fail(words_of(error))
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> NoReturn:
    click.echo(f"groupx: {message}", err=True)
    sys.exit(REFUSED)
