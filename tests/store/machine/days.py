"""Dated memory as it ought to be: which turns wait, what runs, and what was made of each day."""

from collections.abc import Sequence

import attrs

from groupx.domain.memory_policy import Generation
from groupx.domain.rollup import DayKey
from groupx.domain.times import ms_from_iso

SKIPS: dict[Generation, str] = {"disabled": "policy_disabled", "excluded": "policy_excluded"}
WAITS = "waits"
DONE = "done"


@attrs.define
class Source:
    """A turn that completed."""

    turn: str
    day: DayKey
    at: int
    """When it ended, in milliseconds."""
    state: str = WAITS
    """This, or done, or why no memory is made of it."""
    memory: str | None = None


class Days:
    """The part of the model that is about days."""

    def __init__(self) -> None:
        self.sources: dict[str, Source] = {}
        """In the order in which the turns ended."""
        self.running: dict[DayKey, str] = {}
        """Day → since when a batch of it runs."""
        self.made: dict[DayKey, str] = {}
        """Day → the memory that was last made of it, whatever became of that."""
        self.policies: dict[tuple[str, str], tuple[Generation, int]] = {}
        """(room, agent) → what may be made, and how often that was decided."""

    def policy(self, room: str, actor: str) -> tuple[Generation, int]:
        return self.policies.get((room, actor), ("enabled", 0))

    def waiting(self, day: DayKey) -> list[Source]:
        return [it for it in self.sources.values() if it.day == day and it.state == WAITS]

    def file(self, turn: str, day: DayKey, at: int) -> None:
        generation, _ = self.policy(day.room_id, day.actor_id)
        self.sources[turn] = Source(turn, day, at, SKIPS.get(generation, WAITS))

    def obey(self, day: DayKey) -> None:
        """Where no memory may be made, nothing of this agent's waits but what a batch has."""
        generation, _ = self.policy(day.room_id, day.actor_id)
        if generation in SKIPS:
            self.skip(day.room_id, day.actor_id, SKIPS[generation])

    def skip(self, room: str, actor: str, why: str) -> None:
        for it in self.sources.values():
            if (it.day.room_id, it.day.actor_id, it.state) != (room, actor, WAITS):
                continue
            running = self.running.get(it.day)
            if running is None or it.at > ms_from_iso(running):
                it.state = why

    def give_up(self, room: str, why: str, actors: Sequence[str]) -> None:
        """What runs, too."""
        for day in [it for it in self.running if it.room_id == room and it.actor_id in actors]:
            del self.running[day]
        for actor in actors:
            self.skip(room, actor, why)

    def begin(self, day: DayKey, now: int) -> tuple[list[str], int] | None:
        """The turns of a new batch, and its beginning; None when there is nothing to do."""
        if day in self.running:
            return None
        self.obey(day)
        found = self.waiting(day)
        if not found:
            return None
        return [it.turn for it in found], max(now, *(it.at for it in found))

    def finish(self, day: DayKey, turns: Sequence[str], memory: str | None) -> None:
        for turn in turns:
            self.sources[turn].state, self.sources[turn].memory = DONE, memory
        if memory is not None:
            self.made[day] = memory
        del self.running[day]
        self.obey(day)

    def enter(self, old: str, new: str) -> None:
        """A new room: what was decided goes along."""
        for (room, actor), policy in list(self.policies.items()):
            if room == old:
                self.policies[new, actor] = policy

    def forget(self, room: str) -> None:
        """The room was deleted."""
        self.sources = {k: it for k, it in self.sources.items() if it.day.room_id != room}
        self.running = {day: it for day, it in self.running.items() if day.room_id != room}
        self.made = {day: it for day, it in self.made.items() if day.room_id != room}
        self.policies = {place: it for place, it in self.policies.items() if place[0] != room}
