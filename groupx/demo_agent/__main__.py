"""An offline agent that speaks ACP over stdio: the demo room's member, and a test agent.

`python -m groupx.demo_agent [--name NAME] [--pace SECONDS]`; the pace, the delay before each
piece of text, may also come from the environment as DEMO_AGENT_PACE. What it does is decided by
plain words in the current message: see scenes.py and teamwork.py. Same message, same answer; no
files, and no network but the tools of its own room.
"""

import argparse
import os

from groupx.demo_agent.agent import DemoAgent
from groupx.demo_agent.wire import Wire


def main() -> None:
    """Serve one client on stdin and stdout."""
    parser = argparse.ArgumentParser(prog="groupx.demo_agent", description=__doc__)
    parser.add_argument("--name", default="Demo")
    parser.add_argument(
        "--pace",
        type=float,
        default=float(os.environ.get("DEMO_AGENT_PACE", "0.03")),
        help="seconds before each piece of text",
    )
    arguments = parser.parse_args()
    DemoAgent(Wire(), name=arguments.name, pace=max(0.0, arguments.pace)).serve()


if __name__ == "__main__":
    main()
