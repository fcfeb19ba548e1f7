"""What the makers of docs/capabilities.md are asked on the command line."""

import argparse
from pathlib import Path

from .real_programs import PROGRAMS


def read_arguments(description: str, document: Path) -> argparse.Namespace:
    """`programs` (all when none is named), `output` and `reports`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="Else all.")
    parser.add_argument("--output", type=Path, default=document)
    parser.add_argument(
        "--reports",
        type=Path,
        help="Keep the JSON reports in this folder; earlier ones in it are merged, too.",
    )
    given = parser.parse_args()
    if unknown := set(given.programs) - set(PROGRAMS):
        parser.error(f"unknown: {', '.join(unknown)}; there are {', '.join(PROGRAMS)}")
    return given
