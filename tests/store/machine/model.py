"""What the room ought to be like, in plain dicts, written from the promises and not from the code.

Ids come from the store; everything else is reckoned here.
"""

from collections.abc import Sequence
from typing import Any

import attrs

from groupx.domain.ids import SYSTEM, USER_WEB, WEB_BINDING, ActorId
from tests.store.machine.days import Days
from tests.store.machine.world import AGENTS, LIMITS

ENDED = frozenset({"completed", "failed", "cancelled", "interrupted"})
ACTIVE = frozenset({"dispatching", "running", "cancelling"})
MAX_ATTEMPTS = 3


@attrs.define
class Attempt:
    """One try: prepared, invoked or started until it is closed."""

    id: str
    binding: str
    through: int
    phase: str = "prepared"
    certainty: str = "not_delivered"
    began: bool = False
    """`turn.started` was written for it."""


@attrs.define
class Turn:
    """One turn as it ought to be."""

    id: str
    target: ActorId
    source: str
    room: str
    root: str
    hop: int = 0
    parent: str | None = None
    trigger: str = "user"
    caused_by: str | None = None
    status: str = "queued"
    code: str | None = None
    response: str | None = None
    attempts: list[Attempt] = attrs.field(factory=list)

    @property
    def ended(self) -> bool:
        return self.status in ENDED

    @property
    def open_attempt(self) -> Attempt | None:
        return self.attempts[-1] if self.attempts and self.status in ACTIVE else None

    @property
    def sent(self) -> bool:
        """Whether its prompt may have left with the attempt that is open."""
        return bool(self.open_attempt and self.open_attempt.phase != "prepared")


@attrs.define
class Message:
    """One thing that was said."""

    id: str
    author: ActorId
    room: str
    turns: list[str] = attrs.field(factory=list)
    kind: str | None = None
    original: str | None = None
    withdrawn: bool = False


@attrs.define
class Claim:
    """Who is to learn of a child's end."""

    child: str
    waiter: str
    state: str = "open"
    owner: str | None = None
    callback: str | None = None


@attrs.define
class Stop:
    """A call that a limit stopped; the user can let it go on, once."""

    id: str
    root: str
    room: str
    limit: str
    parent: str
    author: ActorId
    to: tuple[str, ...]
    content: str
    wake_me: bool = False
    child: str | None = None
    went_on: bool = False


LOOP_CODES = {
    "HOP_LIMIT_REACHED": "hopCount",
    "ROOT_TURN_LIMIT_REACHED": "rootTurns",
    "ACTOR_CALL_LIMIT_REACHED": "actorCallsPerRoot",
}
BOUNDS = {
    "hopCount": LIMITS.hop_count,
    "rootTurns": LIMITS.root_turns,
    "actorCallsPerRoot": LIMITS.actor_calls_per_root,
    "queuePerAgent": LIMITS.queue_per_agent,
}
MAX_STOPS = 16


@attrs.define
class Memory:
    """A record: of a room or of an agent, by whom, and whether it is still active."""

    layer: str
    owner: str
    author: ActorId
    status: str = "active"
    supersedes: str | None = None
    told_in: str | None = None
    """The room in which its event is; None where that was deleted."""


@attrs.define
class Checkpoint:
    """Of a room: it covers everything up to a seq."""

    id: str
    through: int


class Model:
    """The room. Methods named for what happens change it; `*_reasons` say why it may not."""

    def __init__(self, room: str) -> None:
        self.turns: dict[str, Turn] = {}
        """In the order in which they were queued."""
        self.messages: dict[str, Message] = {}
        self.commands: dict[tuple[str, str], tuple[Any, Any]] = {}
        """(binding, client command id) → what was asked, what was answered."""
        self.answers_gone: set[tuple[str, str]] = set()
        """Commands whose answer may have been about a room that was deleted since."""
        self.claims: dict[str, Claim] = {}
        self.memories: dict[str, Memory] = {}
        self.stops: dict[str, Stop] = {}
        self.unnamed_stops: list[str] = []
        """Children whose callback was stopped, for which the store has a name."""
        self.raised: dict[tuple[str, str], int] = {}
        """(root, limit) → what the user raised the bound to."""
        self.paused: dict[tuple[str, ActorId], tuple[bool, int]] = {}
        self.rooms: dict[str, bool] = {room: False}
        """Room → whether it is archived."""
        self.room = room
        self.bindings: dict[str, ActorId] = {WEB_BINDING: USER_WEB}
        """Those that are open."""
        self.cursors: dict[tuple[ActorId, str], int] = {}
        self.floors: dict[str, tuple[int, frozenset[str]]] = {}
        """Room → where its last reset is, and what had been said by then."""
        self.session_resets = 0
        self.sessions_left: set[str] = set()
        """Rooms whose last reset let the agents keep their sessions."""
        self.checkpoints: dict[str, list[Checkpoint]] = {}
        """Room → those above its last reset that still hold, each made of the one before."""
        self.over: dict[str, dict[str, str]] = {}
        """Room → checkpoints of no use any more, and why."""
        self.deleted_events = 0
        self.days = Days()
        self.stopped: set[ActorId] = set()
        self.gone: set[ActorId] = set()

    # --- looking --------------------------------------------------------------------------

    def lane(self, actor: ActorId, *statuses: str) -> list[Turn]:
        return [t for t in self.turns.values() if t.target == actor and t.status in statuses]

    def head(self, actor: ActorId) -> Turn | None:
        """What may run next."""
        queued = self.lane(actor, "queued")
        if not queued or self.lane(actor, *ACTIVE) or self.is_paused(actor):
            return None
        return queued[0]

    def is_paused(self, actor: ActorId) -> bool:
        return self.paused.get((self.room, actor), (False, 0))[0]

    def open_turns(self) -> list[Turn]:
        return [turn for turn in self.turns.values() if not turn.ended]

    def chain(self, turn: Turn) -> list[ActorId]:
        """Everybody from this turn up to the root."""
        actors = [turn.target]
        while turn.parent is not None:
            turn = self.turns[turn.parent]
            actors.append(turn.target)
        return actors

    def era(self) -> tuple[str, int]:
        """To what a session belongs that is opened now."""
        return self.room, self.session_resets

    def floor(self, room: str) -> int:
        """Where the room's last reset is; 0 = there was none."""
        return self.floors[room][0] if room in self.floors else 0

    def checkpoint_statuses(self) -> dict[str, str]:
        """Of all that there ever were."""
        kept = {it.id: "superseded" for chain in self.checkpoints.values() for it in chain}
        active = {chain[-1].id: "active" for chain in self.checkpoints.values() if chain}
        over = {name: why for ended in self.over.values() for name, why in ended.items()}
        return {**over, **kept, **active}

    def said_in(self, room: str) -> frozenset[str]:
        """Messages, and turns with their answers."""
        messages = {message.id for message in self.messages.values() if message.room == room}
        here = [turn for turn in self.turns.values() if turn.room == room]
        answered = {turn.id for turn in here if turn.response is not None}
        return frozenset(messages | answered)

    # --- why not --------------------------------------------------------------------------

    def repeated(self, key: tuple[str, str], asked: Any) -> tuple[bool, set[str]]:
        """Whether this command was taken before, and what is wrong when it was another one."""
        if key not in self.commands:
            return False, set()
        same = self.commands[key][0] == asked
        return True, set() if same else {"CLIENT_COMMAND_CONFLICT"}

    def sender_reasons(self, binding: str, actor: ActorId) -> set[str]:
        owner = self.bindings.get(binding)
        if owner is None:
            return {"SESSION_NOT_AVAILABLE"}
        return set() if owner == actor else {"MCP_BINDING_MISMATCH"}

    def resolve(self, to: Sequence[str], caller: ActorId) -> tuple[list[ActorId], set[str]]:
        """Whom `to` wakes, and why nobody."""
        if not to or len(set(to)) != len(to) or ("@all" in to and len(to) > 1):
            return [], {"INVALID_ENVELOPE"}
        known = [actor for actor in AGENTS if actor not in self.gone]
        if list(to) == ["@all"]:
            woken = [actor for actor in known if actor != caller and actor not in self.stopped]
            return woken, set() if woken else {"TARGET_NOT_RUNNING"}
        reasons: set[str] = set()
        for name in to:
            if name not in known:
                reasons.add("UNKNOWN_TARGET")
            elif name in self.stopped:
                reasons.add("TARGET_NOT_RUNNING")
        return [ActorId(name) for name in to], reasons

    def full(self, targets: Sequence[ActorId], freed: Sequence[str] = ()) -> set[str]:
        """`freed`: turns that will not be queued any more by then."""
        for actor in targets:
            waiting = [turn for turn in self.lane(actor, "queued") if turn.id not in freed]
            if len(waiting) >= LIMITS.queue_per_agent:
                return {"QUEUE_CAPACITY_REACHED"}
        return set()

    def bound(self, root: str, limit: str) -> int:
        return self.raised.get((root, limit), BOUNDS[limit])

    def may_record(self, root: str, limit: str) -> bool:
        """Whether one more stopped call of this chain is kept."""
        waiting = [
            stop
            for stop in self.stops.values()
            if (stop.root, stop.limit) == (root, limit) and not stop.went_on
        ]
        return len(waiting) < MAX_STOPS

    def loop_reasons(self, parent: Turn, targets: Sequence[ActorId]) -> set[str]:
        """The bounds of a chain of agents' calls."""
        reasons: set[str] = set()
        same_root = [turn for turn in self.turns.values() if turn.root == parent.root]
        if parent.hop + 1 > self.bound(parent.root, "hopCount"):
            reasons.add("HOP_LIMIT_REACHED")
        if len(same_root) + len(targets) > self.bound(parent.root, "rootTurns"):
            reasons.add("ROOT_TURN_LIMIT_REACHED")
        for actor in targets:
            called = [t for t in same_root if t.target == actor and t.parent is not None]
            if len(called) + 1 > self.bound(parent.root, "actorCallsPerRoot"):
                reasons.add("ACTOR_CALL_LIMIT_REACHED")
        return reasons

    def parent_reasons(self, parent_id: str, caller: ActorId) -> set[str]:
        """Only out of a turn that works can its own agent call."""
        parent = self.turns.get(parent_id)
        if parent is None or parent.status not in ACTIVE:
            return {"SESSION_NOT_AVAILABLE"}
        return set() if parent.target == caller else {"MCP_BINDING_MISMATCH"}

    # --- what happens ---------------------------------------------------------------------

    def say(self, message: Message) -> None:
        self.messages[message.id] = message

    def queue(self, turn: Turn) -> None:
        self.turns[turn.id] = turn
        self.messages[turn.source].turns.append(turn.id)

    def end_checkpoints(self, room: str, seq: int) -> bool:
        """What was said there was taken back. Whether one that told of it gave way to another."""
        chain = self.checkpoints.get(room, [])
        over = self.over.setdefault(room, {})
        held = len(chain)
        while seq > self.floor(room) and chain and chain[-1].through >= seq:
            over[chain.pop().id] = "retracted"
        return 0 < len(chain) < held

    def forget(self, room: str) -> None:
        """It was deleted, with all that was in it; what agents remember of it stays."""
        gone = {turn.id for turn in self.turns.values() if turn.room == room}
        self.turns = {name: it for name, it in self.turns.items() if name not in gone}
        self.claims = {name: it for name, it in self.claims.items() if name not in gone}
        self.messages = {name: it for name, it in self.messages.items() if it.room != room}
        self.stops = {name: it for name, it in self.stops.items() if it.room != room}
        for name, it in list(self.memories.items()):
            if (it.layer, it.owner) == ("room", room):
                del self.memories[name]
            elif it.told_in == room:
                it.told_in = None
        self.paused = {place: it for place, it in self.paused.items() if place[0] != room}
        self.cursors = {place: it for place, it in self.cursors.items() if place[1] != room}
        for table in (self.rooms, self.floors, self.checkpoints, self.over):
            table.pop(room, None)
        self.sessions_left.discard(room)
        self.days.forget(room)
        self.answers_gone |= set(self.commands)

    def close(self, turn: Turn, evidence: bool) -> None:
        """The open attempt, if any; certainty only rises."""
        attempt = turn.open_attempt
        if attempt is None:
            return
        if attempt.phase != "prepared":
            delivered = evidence or attempt.phase == "native_started"
            attempt.certainty = "delivered" if delivered else "unknown"
        attempt.phase = "terminal"
        if attempt.certainty == "delivered":
            place = (turn.target, turn.room)
            self.cursors[place] = max(self.cursors.get(place, 0), attempt.through)

    def end(self, turn: Turn, status: str, code: str | None, *, evidence: bool = False) -> None:
        """Its one end; what was waiting for it learns of it."""
        assert not turn.ended
        self.close(turn, evidence)
        turn.status, turn.code = status, code
        claim = self.claims.get(turn.id)
        if claim is None or claim.state != "open":
            return
        waiter = self.turns[claim.waiter]
        if claim.owner == "inline" and not waiter.ended:
            claim.state = "inline"
        elif self.loop_reasons(waiter, [waiter.target]) or self.full([waiter.target]):
            claim.state, claim.owner = "cancelled", "callback"
            self.unnamed_stops.append(turn.id)
        else:
            claim.state, claim.owner = "queued", "callback"
            self._call_back(claim, waiter)
            if waiter.target in self.gone:
                self.end(self.turns[claim.callback or ""], "failed", "ADAPTER_NOT_FOUND")

    def _call_back(self, claim: Claim, waiter: Turn) -> None:
        """Under names of its own until the store's are known."""
        claim.callback = f"callback of {claim.child}"
        message = Message(f"message of {claim.callback}", SYSTEM, self.room, kind="callback")
        self.say(message)
        self.queue(
            Turn(
                claim.callback,
                waiter.target,
                message.id,
                self.room,
                waiter.root,
                hop=waiter.hop + 1,
                parent=waiter.id,
                trigger="automatic",
                caused_by=claim.child,
            )
        )

    def name_callback(self, child: str, turn_id: str, source: str) -> None:
        """The store's names of the callback of `child`, in the same place of the order."""
        claim = self.claims[child]
        old = claim.callback
        turn = self.turns[old or ""]
        message = self.messages.pop(turn.source)
        turn.id, turn.source, claim.callback = turn_id, source, turn_id
        message.id, message.turns = source, [turn_id]
        self.messages[source] = message
        self.turns = {item.id: item for item in self.turns.values()}

    def unnamed_callbacks(self) -> list[str]:
        """Children whose callback has no name of the store's yet."""
        return [c.child for c in self.claims.values() if c.callback == f"callback of {c.child}"]

    def cancel(self, turn: Turn) -> str:
        """At once while nothing was sent, a wish afterwards."""
        if not turn.ended:
            if turn.sent:
                turn.status = "cancelling"
            else:
                self.end(turn, "cancelled", None)
        return turn.status

    def put_back(self, turn: Turn) -> None:
        """A prepared attempt came to nothing."""
        if len(turn.attempts) >= MAX_ATTEMPTS:
            self.end(turn, "failed", "ADAPTER_START_FAILED")
        else:
            self.close(turn, False)
            turn.status = "queued"

    def begin(self, turn: Turn) -> None:
        """The native turn has begun."""
        attempt = turn.open_attempt
        assert attempt is not None
        attempt.phase, attempt.certainty, attempt.began = "native_started", "delivered", True
        if turn.status == "dispatching":
            turn.status = "running"

    def recover(self, actors: Sequence[ActorId], *, asks: bool) -> None:
        """What a start makes of everything that was left open in these lanes."""
        for turn in [
            turn for actor in sorted(actors) for turn in self.lane(actor, "queued", *ACTIVE)
        ]:
            self._recover_turn(turn, asks=asks)
        # Nobody of this run can ever take what is queued for an agent that is gone.
        for turn in self.open_turns():
            if turn.target in self.gone and turn.target in actors and not turn.sent:
                self.end(turn, "failed", "ADAPTER_NOT_FOUND")

    def _recover_turn(self, turn: Turn, *, asks: bool) -> None:
        if turn.sent:
            if not (asks and turn.target not in self.gone):
                self.end(turn, "interrupted", "TURN_INTERRUPTED")
        elif turn.target in self.gone:
            self.end(turn, "failed", "ADAPTER_NOT_FOUND")
        elif turn.open_attempt is not None:
            self.put_back(turn)

    def forget_calls(self) -> None:
        """No call outlives the daemon."""
        for claim in self.claims.values():
            if claim.state == "open":
                claim.owner = None
