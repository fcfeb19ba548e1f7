"""How much a machine did: what a run of it is worth."""

from collections import Counter

import attrs


@attrs.define
class Statistics:
    """Counts over all runs of one machine."""

    runs: int = 0
    steps: int = 0
    deepest: int = 0
    largest_group: int = 0
    done: Counter[str] = attrs.field(factory=Counter)
    """Deed → how often it was accepted."""
    refused: Counter[str] = attrs.field(factory=Counter)
    """Deed and code → how often it was refused so."""
    ends: Counter[str] = attrs.field(factory=Counter)
    """Turns at the end of a run, by status."""
    turns: int = 0
    events: int = 0

    def codes(self) -> Counter[str]:
        """Refusals by code."""
        codes: Counter[str] = Counter()
        for name, count in self.refused.items():
            codes[name.rpartition(" ")[2]] += count
        return codes

    def lines(self) -> list[str]:
        """For people."""
        out = [
            f"{self.steps} steps in {self.runs} runs, the longest of {self.deepest}; "
            f"{self.turns} turns, {self.events} events; largest group {self.largest_group}"
        ]
        for title, counts in (
            ("accepted", self.done), ("refused", self.codes()), ("turns at the end", self.ends),
        ):  # fmt: skip
            out.append(f"{title}: " + ", ".join(f"{n} {c}" for n, c in counts.most_common()))
        return out
