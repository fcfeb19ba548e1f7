"""What a dialect is: the words of a protocol for what a script says."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from ..script import Step, Steps

AGENTS = Path(__file__).parent.parent / "agents"


class Dialect(ABC):
    """Compiles one script. A word that it has no method for is the scripted agent's own.

    A method is named after its word, gets the step, and gives the steps of the scenario.
    """

    protocol: ClassVar[str]
    earlier: ClassVar[str]
    """The session that its programs know from before."""
    agent: ClassVar[Path]
    """The program that does what a scenario says."""
    prompting: ClassVar[str]
    """Under what name a scenario keeps its turns."""
    unsaid: ClassVar[Mapping[str, str]] = {}
    """Words that its programs cannot be made to follow → why."""
    mode: ClassVar[str | None] = None
    """A most open mode that its programs offer, to be named in a profile."""

    def __init__(self, program: str) -> None:
        self.program = program
        """What the program calls itself."""
        self.turns = 0
        self.begun = False
        self.open_calls: list[str] = []

    def scenario(self, phases: Mapping[str, Steps], turns: Sequence[Steps]) -> Step:
        """What the scripted agent reads."""
        compiled = {**self.ordinary(), self.prompting: [self.turn(steps) for steps in turns]}
        for phase, steps in phases.items():
            compiled |= self.phase(phase, steps)
        return compiled

    def command(self, scenario: Path, log: Path) -> tuple[str, ...]:
        """What is started; the driver's own arguments follow."""
        interpreter = (sys.executable, "-E", "-s", "-S")
        return (*interpreter, str(self.agent), str(scenario), str(log))

    def turn(self, steps: Steps) -> list[Step]:
        """The answer to one prompt."""
        self.turns += 1
        self.begun = False
        self.open_calls = []
        return self.compile(steps)

    def compile(self, steps: Sequence[Step]) -> list[Step]:
        done: list[Step] = []
        for step in steps:
            word = next(iter(step))
            method = getattr(self, f"on_{word}", None)
            done += [step] if method is None else method(step)
        return done

    def on_bytewise(self, step: Step) -> list[Step]:
        return [{"bytewise": inner} for inner in self.compile([step["bytewise"]])]

    def on_await(self, step: Step) -> list[Step]:
        names = {"cancel": self.cancelling, "answer": self.question}
        return [{"await": names.get(step["await"], step["await"])}]

    # --- what a protocol adds ---------------------------------------------------------------

    cancelling: ClassVar[str]
    """Our request to stop a turn."""
    question: ClassVar[int | str]
    """The id of the program's questions."""

    def ordinary(self) -> Step:
        """Answers of the handshake that are more than the scripted agent's own."""
        return {}

    @abstractmethod
    def phase(self, phase: str, steps: Steps) -> Step:
        """A part of the handshake, as an entry of the scenario."""

    @abstractmethod
    def prompts(self, frames: list[Step]) -> list[str]:
        """The texts of the prompts among the frames that were sent to the program."""

    @abstractmethod
    def cancels(self, frames: list[Step]) -> int:
        """How often it was asked to stop."""

    @abstractmethod
    def sets_mode(self, frame: Step) -> bool:
        """Whether the frame puts the session in its most open mode."""


def error_of(words: str, code: int, data: Any = None) -> Step:
    """An error of JSON-RPC."""
    return {"error": {"code": code, "message": words, "data": data}}
