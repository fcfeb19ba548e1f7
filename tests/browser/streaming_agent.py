"""An ACP agent that streams code, quickly and for long: `python streaming_agent.py NAME`.

Whatever it is asked, it answers with as much of it as `CHARACTERS` says; a cancel ends it.
"""

import sys
import time

from groupx.demo_agent.agent import DemoAgent
from groupx.demo_agent.turn import END_TURN, Turn
from groupx.demo_agent.wire import CancelledByClient, Wire

PIECES_A_SECOND = 200
PIECE = 10
CHARACTERS = 60_000
CODE = "".join(
    f"    def step_{number}(self, value):\n        return value * {number} + len(self.kept)\n\n"
    for number in range(CHARACTERS // 60)
)


def stream(turn: Turn) -> str:
    """At an even pace, whatever else the machine does."""
    text = f"```python\n{CODE[:CHARACTERS]}```\n"
    begin = time.monotonic()
    for number in range(len(text) // PIECE):
        due = begin + number / PIECES_A_SECOND
        if turn.cancel.wait(max(0.0, due - time.monotonic())):
            raise CancelledByClient
        piece = text[number * PIECE : (number + 1) * PIECE]
        turn.update("agent_message_chunk", content={"type": "text", "text": piece})
    return END_TURN


if __name__ == "__main__":
    DemoAgent(Wire(), name=sys.argv[1], pace=0.0, cast=lambda _message: stream).serve()
