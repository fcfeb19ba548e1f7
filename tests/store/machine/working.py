"""Commands of lanes and people about turns: claim to end, cancel, pauses, waits, rooms."""

from collections.abc import Sequence
from typing import Any

from groupx.domain.commands import CancelCommand, LaneCommand
from groupx.domain.completion import ClaimInline, ReleaseInline
from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId, RoomId
from groupx.domain.ledger import ClaimCommand, Claimed, Progress, StartedCommand, TerminalCommand
from groupx.domain.outcomes import Cause
from groupx.domain.rollup import DayKey
from groupx.domain.rooms import NewRoom, SetArchived
from groupx.domain.runs import CloseInstance, RecoverLane
from groupx.store.session_era import session_era
from groupx.store.transactions.bindings import close_instance
from groupx.store.transactions.cancel import cancel
from groupx.store.transactions.claim import claim
from groupx.store.transactions.completion import claim_inline, release_inline
from groupx.store.transactions.invoke import invoke
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.progress import progress
from groupx.store.transactions.recover import recover_lane
from groupx.store.transactions.requeue import requeue
from groupx.store.transactions.rooms import new_room, set_archived
from groupx.store.transactions.started import started
from groupx.store.transactions.terminal import terminal
from tests.store.machine.causes import CAUSES, PREPARED, PROVES, QUEUED, SENT
from tests.store.machine.compacting import Compacting
from tests.store.machine.judging import Reasons
from tests.store.machine.model import ACTIVE, Attempt, Turn
from tests.store.machine.pruning import Pruning
from tests.store.machine.remembering import Remembering
from tests.store.machine.resetting import Resetting
from tests.store.machine.rolling import Rolling
from tests.store.machine.talking import Talking
from tests.store.machine.world import AGENTS, Step

CONFLICT: Reasons = {"STORE_CONFLICT"}


class Working(Talking, Remembering, Resetting, Compacting, Rolling, Pruning):
    """Builds the steps; each says what the model expects of it."""

    # --- a turn's way ---------------------------------------------------------------------

    def claim(
        self,
        turn_id: str,
        binding: str,
        *,
        at_once: bool,
        transport: str,
        off: int = 0,
        old: int = 1,
    ) -> Step:
        """`off`: how far the packet's floor is from the room's; `old`: the packet holds only one
        part in so many of what there is."""
        model = self.model
        known = model.turns.get(turn_id)
        era = model.era()
        command = ClaimCommand(
            turn_id=turn_id,
            expected_transport=transport,
            binding_id=binding,
            instance_id=self.world.instances.get(binding, "instance_none"),
            era=session_era(self.world.conn, None),
            context_through_seq=self.world.last_seq() // old,
            reset_through_seq=off + (model.floor(known.room) if known else 0),
            invoke=at_once,
        )

        def reasons() -> Reasons:
            turn = model.turns.get(turn_id)
            if turn is None:
                return {"NOT_FOUND"}
            found: Reasons = set()
            if transport != "structured":
                found.add("TRANSPORT_MODE_MISMATCH")
            if model.bindings.get(binding) != turn.target:
                found.add("SESSION_NOT_AVAILABLE")
            if model.head(turn.target) is not turn:
                found |= CONFLICT
            if command.reset_through_seq != model.floor(turn.room) or model.era() != era:
                found |= CONFLICT
            return found

        def done(answer: Claimed) -> None:
            turn = model.turns[turn_id]
            attempt = Attempt(answer.attempt_id, binding, command.context_through_seq)
            turn.attempts.append(attempt)
            turn.status = "dispatching"
            assert answer.invoked == at_once
            if at_once:
                attempt.phase, attempt.certainty = "prompt_invoked", "unknown"

        return self.step("claim", claim, command, reasons, done)

    def invoke(self, attempt_id: str) -> Step:
        def done(answer: bool) -> None:
            turn, attempt = self._attempt(attempt_id)
            may = attempt.phase == "prepared" and turn.status == "dispatching"
            assert answer == may, "only one may send, and only what is still to be sent"
            if may:
                attempt.phase, attempt.certainty = "prompt_invoked", "unknown"
            else:
                self.log.done["invoke too late"] += 1

        return self.step("invoke", invoke, attempt_id, set, done)

    def started(self, attempt_id: str) -> Step:
        def reasons() -> Reasons:
            _, attempt = self._attempt(attempt_id)
            return CONFLICT if attempt.phase == "prepared" else set()

        def done(answer: str) -> None:
            turn, attempt = self._attempt(attempt_id)
            if attempt.phase == "prompt_invoked":
                self.model.begin(turn)
            assert answer == turn.status

        command = StartedCommand(attempt_id=attempt_id, native_turn_id="n")
        return self.step("started", started, command, reasons, done)

    def progress(self, turn_id: str) -> Step:
        def done(answer: bool) -> None:
            assert answer == (not self.model.turns[turn_id].ended)

        return self.step("progress", progress, Progress(turn_id=turn_id, text="so far"), set, done)

    def requeue(self, turn_id: str) -> Step:
        model = self.model

        def reasons() -> Reasons:
            return CONFLICT if model.turns[turn_id].sent else set()

        def done(answer: str) -> None:
            turn = model.turns[turn_id]
            if turn.open_attempt is not None:
                model.put_back(turn)
            assert answer == turn.status

        return self.step("requeue", requeue, turn_id, reasons, done)

    def end(
        self,
        turn_id: str,
        attempt_id: str | None,
        cause: Cause,
        *,
        evidence: bool,
        response: str | None,
    ) -> Step:
        model = self.model
        status, code, kind = CAUSES[cause]
        command = TerminalCommand(
            turn_id=turn_id,
            attempt_id=attempt_id,
            cause=cause,
            evidence=evidence,
            response=response,
            reasoning="hm",
            local_date=self.local_date(),
        )

        def repeats(turn: Turn) -> bool:
            same = (turn.status, turn.code) == (status, code)
            return same and (status != "completed" or turn.response == (response or ""))

        def reasons() -> Reasons:
            turn = model.turns[turn_id]
            if turn.ended:
                return set() if repeats(turn) else CONFLICT
            attempt = turn.open_attempt
            if (attempt and attempt.id) != attempt_id:
                return CONFLICT
            allowed = SENT if turn.sent else PREPARED if attempt else QUEUED
            return set() if kind in allowed else CONFLICT

        def done(answer: Any) -> None:
            turn = model.turns[turn_id]
            assert answer.fresh == (not turn.ended)
            assert (answer.status, answer.error_code) == (status, code)
            if answer.fresh:
                attempt = turn.open_attempt
                proven = evidence or cause is Cause.COMPLETED
                if attempt and proven and attempt.phase == "prompt_invoked":
                    attempt.began = True
                if status == "completed":
                    turn.response = response or ""
                    day = DayKey(
                        room_id=RoomId(turn.room),
                        actor_id=turn.target,
                        local_date=command.local_date,
                    )
                    model.days.file(turn_id, day, self.world.clock)
                model.end(turn, status, code, evidence=proven or cause in PROVES)

        return self.step("end", terminal, command, reasons, done)

    # --- people ---------------------------------------------------------------------------

    def cancel(self, turn_id: str, *, cid: str, force: bool) -> Step:
        request = {"turnId": turn_id, "force": force}
        command = CancelCommand(
            key=self.key("turn.cancel", request, cid, WEB_BINDING),
            turn_id=turn_id,
            actor_id=USER_WEB,
            force=force,
        )

        def done(answer: Any) -> None:
            assert answer.status == self.model.cancel(self.model.turns[turn_id])

        def reasons() -> Reasons:
            return set() if turn_id in self.model.turns else {"NOT_FOUND"}

        name = "force" if force else "cancel"
        return self.once(
            name, cancel, command, asked=("cancel", request), reasons=reasons, done=done
        )

    def lane(self, actor: str, state: Any, *, cid: str, by: ActorId, binding: str) -> Step:
        model = self.model
        request = {"actorId": actor}
        command = LaneCommand(
            key=self.key(f"lane.{state}", request, cid, binding),
            actor_id=ActorId(actor),
            state=state,
            by=by,
        )

        def reasons() -> Reasons:
            found = model.sender_reasons(binding, by)
            if by != USER_WEB:
                found.add("MCP_BINDING_MISMATCH")
            if actor not in AGENTS:
                found.add("UNKNOWN_ACTOR")
            return found

        def done(answer: Any) -> None:
            place = (model.room, ActorId(actor))
            paused, revision = model.paused.get(place, (False, 0))
            wish = state == "paused"
            if wish != paused:
                model.paused[place] = (wish, revision + 1)
            revision += wish != paused
            assert (answer.state, answer.revision) == (state, revision)

        return self.once(
            f"lane {state}", set_lane, command, asked=(state, request), reasons=reasons, done=done
        )

    def new_room(self, *, cid: str) -> Step:
        model = self.model
        command = NewRoom(key=self.key("room.new", {}, cid, WEB_BINDING))

        def done(answer: Any) -> None:
            old, model.room = model.room, answer.room_id
            model.rooms[old], model.rooms[model.room] = True, False
            model.days.enter(old, model.room)
            for actor in AGENTS:
                paused, revision = model.paused.get((old, actor), (False, 0))
                if paused:
                    model.paused[model.room, actor] = (True, revision)

        return self.once(
            "new room",
            new_room,
            command,
            asked="room.new",
            reasons=lambda: CONFLICT if model.open_turns() else set(),
            done=done,
            same=lambda first, now: first.room_id == now.room_id,
        )

    def archive(self, room: str, *, cid: str, archived: bool) -> Step:
        model = self.model
        request = {"roomId": room, "archived": archived}
        command = SetArchived(
            key=self.key("room.archive", request, cid, WEB_BINDING),
            room_id=RoomId(room),
            archived=archived,
        )

        def reasons() -> Reasons:
            if room not in model.rooms:
                return {"NOT_FOUND"}
            return CONFLICT if room == model.room and archived else set()

        def done(_: Any) -> None:
            model.rooms[room] = archived

        return self.once(
            "archive room",
            set_archived,
            command,
            asked=("room.archive", request),
            reasons=reasons,
            done=done,
            same=lambda first, now: first.room_id == now.room_id,
        )

    # --- waiting calls --------------------------------------------------------------------

    def collect(self, children: Sequence[str], by: str, *, waits: bool) -> Step:
        model = self.model
        make = ClaimInline if waits else ReleaseInline
        command = make(child_turn_ids=tuple(children), by_turn_id=by)

        def reasons() -> Reasons:
            turn = model.turns[by]
            found = {"SESSION_NOT_AVAILABLE"} if waits and turn.status not in ACTIVE else set[str]()
            for child in children:
                claimed = model.claims.get(child)
                if claimed and model.turns[claimed.waiter].target != turn.target:
                    found.add("MCP_BINDING_MISMATCH")
            return found

        def done(answer: Any) -> None:
            claimed = [model.claims[child] for child in children if child in model.claims]
            for item in claimed:
                if item.state == "open" and item.waiter == by:
                    item.owner = "inline" if waits else None
                elif waits and item.state == "queued":
                    callback = model.turns[item.callback or ""]
                    if callback.status == "queued":
                        model.end(callback, "cancelled", None)
                        item.state, item.owner = "cancelled", "inline"
            assert [(c.child_turn_id, c.state, c.owner) for c in answer] == [
                (item.child, item.state, item.owner) for item in claimed
            ]

        name = "wait" if waits else "wait no longer"
        return self.step(name, claim_inline if waits else release_inline, command, reasons, done)

    # --- sessions -------------------------------------------------------------------------

    def close_session(self, binding: str) -> Step:
        """The program is gone."""

        def done(answer: bool) -> None:
            assert answer == (self.model.bindings.pop(binding, None) is not None)

        instance = self.world.instances.get(binding, "instance_none")
        command = CloseInstance(instance_id=instance)
        return self.step("close session", close_instance, command, set, done)

    def recover_lane(self, actor: ActorId, *, alive: bool) -> Step:
        model = self.model
        binding = self.world.bindings.get(actor)
        kept = binding if alive else None

        def done(_: Any) -> None:
            model.recover([actor], asks=False)
            for name in [name for name, owner in model.bindings.items() if owner == actor]:
                if name != kept:
                    del model.bindings[name]

        command = RecoverLane(actor_id=actor, alive=kept and self.world.instances[kept])
        return self.step("lane crashes", recover_lane, command, set, done)

    # --- shared ---------------------------------------------------------------------------

    def local_date(self) -> str:
        return f"day {self.world.clock // 86_400_000}"

    def _attempt(self, attempt_id: str) -> tuple[Turn, Attempt]:
        for turn in self.model.turns.values():
            for attempt in turn.attempts:
                if attempt.id == attempt_id:
                    return turn, attempt
        raise AssertionError(f"the model has no attempt {attempt_id}")
