"""`python -m conformance.mock --port 0 --log FILE`: prints its port, serves until it is ended."""

import argparse
import contextlib
from pathlib import Path

from .server import MockModel


def main() -> None:
    parser = argparse.ArgumentParser(description="A mock model server on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path)
    arguments = parser.parse_args()
    model = MockModel(arguments.port, arguments.log)
    print(model.port, flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        model.serve()


if __name__ == "__main__":
    main()
