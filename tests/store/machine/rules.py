"""The rules: whatever people, agents, programs, clocks and power supplies can do, in any order."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from groupx.domain.ids import SYSTEM, USER_WEB, WEB_BINDING, ActorId
from groupx.domain.outcomes import Cause
from tests.store.machine import invariants
from tests.store.machine.agreement import agree
from tests.store.machine.history import History
from tests.store.machine.model import ACTIVE, Attempt, Model, Stop, Turn
from tests.store.machine.statistics import Statistics
from tests.store.machine.working import Working
from tests.store.machine.world import AGENTS, LIMITS, Step, World

MAIN = "room:main"
pick = st.integers(0, 31)
actors = st.sampled_from(AGENTS)
commands = st.integers(0, 255)
"""Client command ids; few enough to come again."""
somebody = st.sampled_from(
    [
        ("agent:a",), ("agent:b",), ("agent:c",), ("agent:a",), ("agent:b",),
        ("agent:a", "agent:b"), ("agent:c", "agent:a", "agent:b"), ("@all",),
    ]
)  # fmt: skip
nobody = st.sampled_from(
    [(), ("agent:x",), ("agent:a", "agent:a"), ("@all", "agent:b"), ("user:web",)]
)
calls = st.sampled_from(["mcp.send", "mcp.ask"])
ends = st.sampled_from([*Cause, *[Cause.COMPLETED] * 12, *[Cause.CANCELLED] * 3])
MOODS = (
    "_work", "_wake_me", "cancel", "lane", "take_back", "call", "end", "crash", "stop_agent",
    "lane_crashes", "stop_and_start", "requeue",
)  # fmt: skip
"""What a run can be without."""
fuse = st.sampled_from([False, False, False, True])
"""Whether it comes to that: a daemon is to live for a while."""
words = st.sampled_from(["hello", "go on", "x" * LIMITS.message_characters])


def deed(**drawn: Any) -> Callable[[Callable[..., None]], Any]:
    """A rule. All have one name for Hypothesis, which else leaves out half of them in half of
    the runs, and nothing gets far; what a run is without, `mood` says."""

    def make(method: Callable[..., None]) -> Any:
        def deed(self: "Machine", **values: Any) -> None:
            note(f"# {method.__name__}")
            if method.__name__ not in self.without:
                method(self, **values)

        return rule(**drawn)(deed)

    return make


class Machine(RuleBasedStateMachine):
    """The store under its own executor."""

    log = Statistics()
    folder: Path

    def __init__(self) -> None:
        super().__init__()
        self.world = World(self.folder)
        self.model = Model(MAIN)
        self.does = Working(self.world, self.model, self.log)
        self.history = History()
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

    # --- people ---------------------------------------------------------------------------

    @deed(to=somebody, cid=commands, content=words)
    def say(self, to: tuple[str, ...], cid: int, content: str) -> None:
        self.take(self.does.send(to, content, cid=f"c{cid}"))

    def _more(self, actor: ActorId, cid: int) -> None:
        self.take(self.does.send((actor,), "more", cid=f"m{cid}"))

    more = deed(actor=actors, cid=commands)(_more)
    even_more = deed(actor=actors, cid=commands)(_more)

    @deed(to=somebody, cid=commands, which=pick)
    def reply(self, to: tuple[str, ...], cid: int, which: int) -> None:
        reply = self.message(which) if which else "evt_none"
        self.take(self.does.send(to, "yes", cid=f"r{cid}", reply=reply))

    @deed(to=nobody, cid=commands, which=pick)
    def say_oddly(self, to: tuple[str, ...], cid: int, which: int) -> None:
        """To nobody, too much, or only for the record."""
        if which % 4 == 0:
            content = "x" * (LIMITS.message_characters + 1)
            self.take(self.does.send(("agent:a",), content, cid=f"l{cid}"))
        elif which % 4 == 1:
            self.take(self.does.send(to, "hello", cid=f"n{cid}"))
        else:
            reply = self.message(which) if which % 2 else None
            self.take(self.does.publish("note", cid=f"p{cid}", reply=reply))

    @deed(which=pick, other=st.booleans(), to=somebody)
    def say_it_again(self, which: int, other: bool, to: tuple[str, ...]) -> None:
        """An id that was used: with the same words, or with others."""
        used = [
            (key, asked)
            for key, (asked, _) in self.model.commands.items()
            if key[0] == WEB_BINDING and asked[0] == "message.send"
        ]
        if not used:
            return
        (_, cid), (_, request) = used[-1 - which % len(used)]
        self.take(
            self.does.send(
                tuple(request["to"]) if not other else to,
                request["content"] if not other else "something else",
                cid=cid,
                reply=request["reply"],
            )
        )

    @deed(kind=st.sampled_from(["retry", "continue"]), which=pick, cid=commands)
    def again(self, kind: str, which: int, cid: int) -> None:
        ended = self.turn(which, "failed", "cancelled", "interrupted", "completed")
        turn = ended or self.turn(which)
        turn_id = turn.id if turn and which else "turn_none"
        self.take(self.does.again(kind, turn_id, cid=f"a{cid}"))  # pyright: ignore

    @deed(which=pick, cid=commands, one=st.booleans())
    def let_it_go_on(self, which: int, cid: int, one: bool) -> None:
        stops = list(self.model.stops.values())
        if stops:
            stop = stops[-1 - which % min(len(stops), 6)]
            root = stop.root if which else "corr_none"
            self.take(self.does.go_on(root, stop.id if one else None, cid=f"g{cid}"))

    @deed(which=pick, cid=commands, replaces=st.booleans())
    def take_back(self, which: int, cid: int, replaces: bool) -> None:
        instead = "better" if replaces else None
        message = self.message(which) if which else "evt_none"
        waiting = [
            item.id
            for item in self.model.messages.values()
            if len(item.turns) > 1
            and all(self.model.turns[turn].status == "queued" for turn in item.turns)
        ]
        if which % 2 and waiting:
            message = waiting[which % len(waiting)]
        if message is None:
            return
        self.take(self.does.withdraw(message, cid=f"w{cid}", instead=instead))

    @deed(which=pick, cid=commands, force=st.booleans())
    def cancel(self, which: int, cid: int, force: bool) -> None:
        turn = self.turn(which, *ACTIVE) if which % 3 else self.turn(which)
        if turn is None and which:
            return
        turn_id = turn.id if turn else "turn_none"
        self.take(self.does.cancel(turn_id, cid=f"x{cid}", force=force))

    @deed(
        actor=actors,
        state=st.sampled_from(["paused", "runnable", "runnable", "runnable"]),
        cid=commands,
        by=st.sampled_from([USER_WEB, USER_WEB, USER_WEB, *AGENTS]),
    )
    def lane(self, actor: ActorId, state: str, cid: int, by: ActorId) -> None:
        """By a person; an agent may not."""
        binding = WEB_BINDING if by == USER_WEB else self.world.bindings.get(by)
        if binding is not None:
            self.take(self.does.lane(actor, state, cid=f"q{cid}", by=by, binding=binding))

    @deed(which=pick, cid=commands, archived=st.booleans())
    def rooms(self, which: int, cid: int, archived: bool) -> None:
        known = [*self.model.rooms, "room_none"]
        if which % 2 and len(known) < 5:
            self.take(self.does.new_room(cid=f"o{cid}"))
        elif which % 4 == 0:
            room = known[which // 4 % len(known)]
            self.take(self.does.archive(room, cid=f"h{cid}", archived=archived))

    # --- agents ---------------------------------------------------------------------------

    @deed(which=pick, to=somebody, kind=calls, wake_me=st.booleans(), cid=st.none() | commands)
    def call(
        self, which: int, to: tuple[str, ...], kind: str, wake_me: bool, cid: int | None
    ) -> None:
        """An agent sends or asks while it works."""
        parent = self.turn(which, *ACTIVE)
        if parent is not None:
            self._call(parent, parent.target, to, kind, wake_me, cid)

    def _wake_me(self, which: int, actor: ActorId, kind: str) -> None:
        parent = self.turn(which, *ACTIVE)
        if parent is not None:
            self._call(parent, parent.target, (actor,), kind, True, None)

    wake_me = deed(which=pick, actor=actors, kind=calls)(_wake_me)
    and_me = deed(which=pick, actor=actors, kind=calls)(_wake_me)
    me_too = deed(which=pick, actor=actors, kind=calls)(_wake_me)

    @deed(which=pick, to=somebody, kind=calls, by=actors)
    def call_out_of_any_turn(self, which: int, to: tuple[str, ...], kind: str, by: ActorId) -> None:
        """Also out of a turn that has ended, waits, or is another's."""
        parent = self.turn(which)
        if parent is not None:
            self._call(parent, by if which % 2 else parent.target, to, kind, True, None)

    def _call(
        self,
        parent: Turn,
        by: ActorId,
        to: tuple[str, ...],
        kind: str,
        wake_me: bool,
        cid: int | None,
    ) -> None:
        binding = self.world.bindings.get(by, "binding_none")
        self.take(
            self.does.send(
                to,
                "help",
                cid=None if cid is None else f"k{cid}",
                parent=parent.id,
                author=by,
                binding=binding,
                kind=kind,
                wake_me=wake_me,
            )
        )

    @deed(which=pick, by=pick, waits=st.booleans())
    def collect(self, which: int, by: int, waits: bool) -> None:
        """An agent waits for what it called, or waits no longer."""
        turn = self.turn(by, *ACTIVE) or self.turn(by)
        children = list(self.model.claims)
        if turn is not None and children:
            mine = [c for c in children if self.model.turns[self.model.claims[c].waiter] is turn]
            found = mine or children
            chosen = [found[-1 - which % len(found)], found[-1]][: 1 + which % 2]
            self.take(self.does.collect(list(dict.fromkeys(chosen)), turn.id, waits=waits))

    # --- lanes ----------------------------------------------------------------------------

    def _work(self, actor: ActorId, how: int) -> None:
        """What a healthy lane does next."""
        active = self.model.lane(actor, *ACTIVE)
        attempt = active[0].open_attempt if active else None
        if attempt is None:
            self._claim_head(actor, how % 4 > 0)
        elif attempt.phase == "prepared":
            self.take(self.does.invoke(attempt.id))
        elif attempt.phase == "prompt_invoked" and how % 4:
            self.take(self.does.started(attempt.id))
        else:
            self._end(active[0], Cause.COMPLETED, how % 2 > 0, "done")

    work = deed(actor=actors, how=pick)(_work)
    work_on = deed(actor=actors, how=pick)(_work)
    work_hard = deed(actor=actors, how=pick)(_work)
    work_late = deed(actor=actors, how=pick)(_work)
    work_more = deed(actor=actors, how=pick)(_work)
    work_fast = deed(actor=actors, how=pick)(_work)

    def _claim_head(self, actor: ActorId, at_once: bool) -> None:
        head, binding = self.model.head(actor), self.world.bindings.get(actor)
        if head is not None and binding is not None:
            self.take(
                self.does.claim(head.id, binding, at_once=at_once, transport="structured", floor=0)
            )

    @deed(
        which=pick,
        actor=actors,
        transport=st.sampled_from(["structured", "structured", "direct"]),
        floor=st.sampled_from([0, 0, 0, 1]),
    )
    def claim_any(self, which: int, actor: ActorId, transport: str, floor: int) -> None:
        """Not the next one, another's session, one that is closed, a packet that is stale."""
        turn = self.turn(which)
        if turn is None:
            return
        by = turn.target if which % 4 else actor
        binding = self.world.bindings.get(by, "binding_none")
        self.take(
            self.does.claim(turn.id, binding, at_once=False, transport=transport, floor=floor)
        )

    @deed(which=pick)
    def invoke(self, which: int) -> None:
        attempt = self.attempt(which)
        self.take(attempt and self.does.invoke(attempt.id))

    @deed(which=pick)
    def started(self, which: int) -> None:
        attempt = self.attempt(which)
        self.take(attempt and self.does.started(attempt.id))

    @deed(which=pick)
    def progress(self, which: int) -> None:
        turn = self.turn(which)
        self.take(turn and self.does.progress(turn.id))

    @deed(which=pick)
    def requeue(self, which: int) -> None:
        turn = self.turn(which, "dispatching") if which % 4 else self.turn(which)
        self.take(turn and self.does.requeue(turn.id))

    @deed(which=pick, cause=ends, evidence=st.booleans())
    def end(self, which: int, cause: Cause, evidence: bool) -> None:
        turn = self.turn(which, *ACTIVE)
        if turn is not None:
            self._end(turn, cause, evidence, "done")

    @deed(which=pick, cause=ends, evidence=st.booleans(), response=st.sampled_from(["done", "no"]))
    def end_any(self, which: int, cause: Cause, evidence: bool, response: str) -> None:
        """Also one that waits or whose attempt is an old one; and the end of one again."""
        turn = self.turn(which)
        if which % 3 == 0 and (over := self.turn(which, "completed")):
            self._end(over, Cause.COMPLETED, True, response)
        elif turn is not None:
            self._end(turn, cause, evidence, response, old=which % 5 == 0)

    def _end(
        self, turn: Turn, cause: Cause, evidence: bool, response: str | None, *, old: bool = False
    ) -> None:
        attempt = turn.open_attempt
        attempt_id = attempt.id if attempt and not old else None
        if old and turn.attempts:
            attempt_id = turn.attempts[0].id
        self.take(self.does.end(turn.id, attempt_id, cause, evidence=evidence, response=response))

    # --- programs, the daemon, the clock --------------------------------------------------

    @deed(actor=actors, fuse=fuse)
    def stop_agent(self, actor: ActorId, fuse: bool) -> None:
        if fuse:
            self._stop(actor)

    def _stop(self, actor: ActorId) -> None:
        """In order: what runs is ended or put back, then the program is gone."""
        self._commit()
        for turn in self.model.lane(actor, *ACTIVE):
            attempt = turn.open_attempt
            if turn.sent:
                cause = (
                    Cause.STOP_CONFIRMED if attempt and attempt.began else Cause.STOP_UNCONFIRMED
                )
                self._end(turn, cause, False, None)
            else:
                self.take(self.does.requeue(turn.id))
        self._drop_session(actor)
        self.model.stopped.add(actor)

    @deed(actor=actors)
    def start_agent(self, actor: ActorId) -> None:
        self._commit()
        if actor not in self.model.gone:
            self._drop_session(actor)
            self.model.stopped.discard(actor)
            self._open_session(actor)

    def _drop_session(self, actor: ActorId) -> None:
        binding = self.world.bindings.pop(actor, None)
        self.take(binding and self.does.close_session(binding))

    @deed(actor=actors, alive=st.booleans(), fuse=fuse)
    def lane_crashes(self, actor: ActorId, alive: bool, fuse: bool) -> None:
        if not fuse or actor in self.model.gone:
            return
        self._commit()
        self.take(self.does.recover_lane(actor, alive=alive))
        if self.world.bindings.get(actor) not in self.model.bindings:
            self._open_session(actor)

    @deed(count=st.integers(1, 5))
    def gather_steps(self, count: int) -> None:
        self.gather = count

    @deed(asks=st.booleans(), without=st.sampled_from([None, None, None, *AGENTS]), fuse=fuse)
    def crash(self, asks: bool, without: ActorId | None, fuse: bool) -> None:
        """In the middle of a group, if one is gathered; nothing of it was acknowledged."""
        if not fuse:
            return
        steps, self.waiting, self.gather = self.waiting, [], 0
        self.world.crash(steps)
        self.log.done["crash in a group" if steps else "crash"] += 1
        self.model.gone = {without} if without else set()
        self._live(asks=asks)

    @deed(fuse=fuse)
    def stop_and_start(self, fuse: bool) -> None:
        if not fuse:
            return
        for actor in AGENTS:
            self._stop(actor)
        self.world.reopen()
        self.log.done["stop and start"] += 1
        self.model.gone = set()
        self._live(asks=False)

    @deed(hours=st.sampled_from([1, 6, 25, -2]))
    def time_passes(self, hours: int) -> None:
        """Over midnight, and back as when a clock is set."""
        self.world.clock += hours * 3_600_000
        self.log.done["time passes"] += 1

    # --- after each step ------------------------------------------------------------------

    @invariant()
    def the_promises_hold(self) -> None:
        self.depth += 1
        self.log.steps += 1
        if self.waiting:
            return
        self.history.observe(self.world.conn, self.model.room)
        agree(self.world.conn, self.model)
        invariants.check(self.world.conn)


def bound(log: Statistics, folder: Path) -> type[Machine]:
    """A machine with counts and a folder of its own."""
    return type("BoundMachine", (Machine,), {"log": log, "folder": folder})
