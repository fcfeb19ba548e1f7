"""How the machine takes its steps, and what it looks at after each."""

from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from groupx.domain.ids import SYSTEM, USER_WEB, WEB_BINDING, ActorId
from tests.store.machine import invariants
from tests.store.machine.agreement import agree
from tests.store.machine.drawing import MAIN, MOODS
from tests.store.machine.history import History
from tests.store.machine.model import ACTIVE, Attempt, Model, Stop, Turn
from tests.store.machine.packets import nobody_would_miss_anything
from tests.store.machine.statistics import Statistics
from tests.store.machine.working import Working
from tests.store.machine.world import AGENTS, Step, World


class Base(RuleBasedStateMachine):
    """The store under its own executor."""

    log = Statistics()
    folder: Path

    def __init__(self) -> None:
        super().__init__()
        self.world = World(self.folder)
        self.model = Model(MAIN)
        self.does = Working(self.world, self.model, self.log)
        self.history = History()
        self.told: tuple[Any, ...] = ()
        """What the packets that were looked at last began with."""
        self.waiting: list[Step] = []
        self.gather = 0
        """How many steps to come are to share one commit."""
        self.depth = 0
        self.without: frozenset[str] = frozenset()
        self._live(asks=False)

    def teardown(self) -> None:
        try:
            invariants.check_whole(self.world.conn)
        finally:
            self.world.end()
        log = self.log
        log.runs += 1
        log.deepest = max(log.deepest, self.depth)
        log.turns += len(self.model.turns)
        log.events += self.history.seq
        log.ends.update(turn.status for turn in self.model.turns.values())

    @initialize(without=st.frozensets(st.sampled_from(MOODS), max_size=3))
    def mood(self, without: frozenset[str]) -> None:
        self.without = without

    # --- how steps are taken --------------------------------------------------------------

    def take(self, step: Step | None) -> None:
        if step is None:
            return
        self.waiting.append(step)
        if len(self.waiting) > self.gather:
            self._commit()

    def _commit(self) -> None:
        steps, self.waiting, self.gather = self.waiting, [], 0
        if not steps:
            return
        heads = {actor: self.model.head(actor) for actor in AGENTS}
        before = {actor: turn and turn.id for actor, turn in heads.items()}
        results = self.world.submit(steps)
        self.log.largest_group = max(self.log.largest_group, len(steps))
        for step, result in zip(steps, results, strict=True):
            step.judge(result)
            self._name_callbacks()
            self._name_stops()
        for actor in AGENTS:
            head = self.model.head(actor)
            if head is not None and head.id != before[actor]:
                assert actor in self.world.woken, f"{actor} has {head.id} to do and was not told"

    def _name_callbacks(self) -> None:
        for child in self.model.unnamed_callbacks():
            row = self.does.row(
                "SELECT turn_id, source_event_id FROM turns JOIN completion_claims"
                " ON callback_turn_id = turn_id WHERE child_turn_id = ?",
                child,
            )
            assert row is not None, f"nobody is called back for {child}"
            self.model.name_callback(child, *row)

    def _name_stops(self) -> None:
        """Callbacks that a limit stopped: the room shows each."""
        model = self.model
        for child in model.unnamed_stops:
            row = self.does.row(
                "SELECT event_id, root_correlation_id, json_extract(body_json, '$.limit'),"
                " parent_turn_id FROM events"
                " WHERE event_type = 'routing.loop_stopped'"
                " AND json_extract(body_json, '$.refused.childTurnId') = ?",
                child,
            )
            assert row is not None, f"nobody sees that the callback for {child} was stopped"
            stop, root, limit, parent = row
            to = (model.turns[parent].target,)
            assert parent == model.claims[child].waiter
            model.stops[stop] = Stop(
                stop, root, model.room, limit, parent, SYSTEM, to, "", child=child
            )
        model.unnamed_stops.clear()

    def _live(self, *, asks: bool) -> None:
        """A daemon starts: what was in memory is gone, the rows decide."""
        model, world = self.model, self.world
        model.stopped.clear()
        model.bindings = {WEB_BINDING: USER_WEB}
        left_open = [turn for turn in model.open_turns() if turn.sent]
        model.forget_calls()
        model.recover(AGENTS, asks=asks)
        roster = [actor for actor in AGENTS if actor not in model.gone]
        recovered = world.begin(roster, asks=asks)
        model.days.running.clear()
        self._name_callbacks()
        self._name_stops()
        assert {case.turn_id for case in recovered.undecided} == {
            turn.id for turn in left_open if not turn.ended
        }
        for actor in roster:
            self._open_session(actor)

    def _open_session(self, actor: ActorId) -> None:
        self.model.bindings[self.world.open_session(actor)] = actor

    # --- choosing -------------------------------------------------------------------------

    def turn(self, which: int, *statuses: str) -> Turn | None:
        """One of the newest turns of these statuses."""
        found = [t for t in self.model.turns.values() if not statuses or t.status in statuses]
        return found[-1 - which % min(len(found), 12)] if found else None

    def attempt(self, which: int) -> Attempt | None:
        turn = self.turn(which, *ACTIVE) or self.turn(which)
        return turn.attempts[-1] if turn and turn.attempts else None

    def message(self, which: int) -> str | None:
        found = list(self.model.messages)
        return found[-1 - which % min(len(found), 12)] if found else None

    # --- after each step ------------------------------------------------------------------

    @invariant()
    def the_promises_hold(self) -> None:
        self.depth += 1
        self.log.steps += 1
        if self.waiting:
            return
        self.history.observe(self.world.conn, self.model.room)
        (events,) = self.does.row("SELECT count(*) FROM events")
        assert events == self.history.seq - self.model.deleted_events, "events are gone"
        agree(self.world.conn, self.model)
        invariants.check(self.world.conn)
        chain = self.model.checkpoints.get(self.model.room)
        told = self.model.room, self.model.floor(self.model.room), chain and chain[-1].id
        if told != self.told:
            self.told = told
            nobody_would_miss_anything(self.world.conn, self.model)
