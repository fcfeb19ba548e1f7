"""Write docs/turn-machine.md from the tables in groupx.domain: `python docs/turn_machine.py`."""

from pathlib import Path

from groupx.domain import attempts, turns

TARGET = Path(__file__).with_name("turn-machine.md")


def diagram() -> str:
    """The page, as Markdown with two Mermaid diagrams."""
    turn_lines = [f"  {old} --> {new}: {event}" for (old, event), new in turns.TRANSITIONS.items()]
    ends = [f"  {status} --> [*]" for status in turns.TurnStatus if status in turns.TERMINAL]
    attempt_lines = [
        f"  {'__'.join(old)} --> {'__'.join(new)}: {event}"
        for (old, event), new in attempts.TRANSITIONS.items()
    ]
    return "\n".join(
        [
            "# The turn machine",
            "",
            "Made from the tables in `groupx/domain/turns.py` and `groupx/domain/attempts.py`;",
            "every pair that is not drawn is refused with `STORE_CONFLICT`.",
            "",
            "## Turns",
            "",
            "```mermaid",
            "stateDiagram-v2",
            "  [*] --> queued",
            *turn_lines,
            *ends,
            "```",
            "",
            "## Attempts (phase and certainty)",
            "",
            "```mermaid",
            "stateDiagram-v2",
            "  [*] --> prepared__not_delivered",
            *attempt_lines,
            "```",
            "",
        ]
    )


if __name__ == "__main__":
    TARGET.write_text(diagram())
