"""The `groupx` program, and `python -m groupx`."""

import gc
import sys

from groupx.supervisor.early_signals import end_at_signals


def main() -> None:
    """The command line. Of `groupx run`, a signal means the end from the very first moment."""
    if sys.argv[1:2] == ["run"]:
        end_at_signals()
        gc.disable()  # nothing of all that is imported is garbage (cli/run.py enables it)
    from groupx import cli  # noqa: PLC0415 — only once signals are obeyed

    cli.main()


if __name__ == "__main__":
    main()
