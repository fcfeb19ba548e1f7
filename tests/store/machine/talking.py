"""Commands that say something: messages, calls, again, withdraw, replace, publish."""

from typing import Any, Literal

from groupx.domain.commands import (
    AcceptCommand,
    AcceptedMessage,
    AgainCommand,
    ContinueRootCommand,
    PublishCommand,
    WithdrawCommand,
)
from groupx.domain.errors import RecordedRefusal
from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId
from groupx.store.transactions.accept import accept
from groupx.store.transactions.again import again
from groupx.store.transactions.continue_root import continue_root
from groupx.store.transactions.publish import publish
from groupx.store.transactions.withdraw import replace, withdraw
from tests.store.machine.judging import Bench, Reasons
from tests.store.machine.model import LOOP_CODES, Claim, Message, Stop, Turn
from tests.store.machine.world import LIMITS, Step, provenance


class Talking(Bench):
    """Builds the steps; each says what the model expects of it."""

    def send(
        self,
        to: tuple[str, ...],
        content: str,
        *,
        cid: str | None,
        reply: str | None = None,
        parent: str | None = None,
        author: ActorId = USER_WEB,
        binding: str = WEB_BINDING,
        kind: str = "message.send",
        wake_me: bool = False,
    ) -> Step:
        request = {"to": list(to), "content": content, "reply": reply, "wakeMe": wake_me}
        model = self.model
        command = AcceptCommand(
            key=self.key(kind, request, cid, binding),
            actor_id=author,
            to=to,
            content=content,
            roster=self.world.roster(model.stopped, model.gone),
            limits=LIMITS,
            provenance=provenance(author),
            trigger_kind="user" if parent is None else "automatic",
            reply_to_event_id=reply,
            parent_turn_id=parent,
            waits=kind == "mcp.ask",
            wake_me=wake_me,
        )

        def reasons() -> Reasons:
            targets, found = model.resolve(to, author)
            found |= model.sender_reasons(binding, author) | self._reference(reply)
            found |= self._too_long(content) | model.full(targets)
            if parent is not None:
                why_not = model.parent_reasons(parent, author)
                found |= why_not
                if not why_not:
                    calling = model.turns[parent]
                    found |= model.loop_reasons(calling, targets)
                    if kind == "mcp.ask" and set(targets) & set(model.chain(calling)):
                        found.add("CAUSAL_CYCLE")
            return found

        def done(answer: AcceptedMessage) -> None:
            targets, _ = model.resolve(to, author)
            model.say(Message(answer.message_event_id, author, model.room))
            calling = None if parent is None else model.turns[parent]
            assert calling is None or answer.correlation_id
            root = answer.correlation_id if calling is None else calling.root
            self._queued(answer, targets, root, calling, "user" if calling is None else "automatic")
            if wake_me and parent is not None:
                owner = "inline" if kind == "mcp.ask" else None
                for turn in answer.turns:
                    model.claims[turn.turn_id] = Claim(turn.turn_id, parent, owner=owner)

        def recorded(error: RecordedRefusal) -> None:
            assert parent is not None
            calling, limit = model.turns[parent], LOOP_CODES[str(error.code)]
            assert model.may_record(calling.root, limit)
            stop = error.details["stopEventId"]
            assert error.details["bound"] == model.bound(calling.root, limit)
            model.stops[stop] = Stop(
                stop, calling.root, model.room, limit, parent, author, to, content, wake_me
            )
            self.log.done["loop stopped"] += 1

        name = kind if parent is None or not wake_me else f"{kind} wakeMe"
        return self.once(
            name,
            accept,
            command,
            asked=(kind, request),
            reasons=reasons,
            done=done,
            recorded=recorded,
        )

    def go_on(self, root: str, stop_id: str | None, *, cid: str) -> Step:
        """What a limit stopped is made after all."""
        model = self.model
        request = {"root": root, "stopEventId": stop_id}
        command = ContinueRootCommand(
            key=self.key("root.continue", request, cid, WEB_BINDING),
            root_correlation_id=root,
            stop_event_id=stop_id,
            by=USER_WEB,
            roster=self.world.roster(model.stopped, model.gone),
            limits=LIMITS,
        )

        def reasons() -> Reasons:
            stop, found = self._chosen(root, stop_id)
            if stop is None or found:
                return found
            targets, why_not = model.resolve(stop.to, stop.author)
            return why_not | model.full(targets)

        def done(answer: AcceptedMessage) -> None:
            stop, _ = self._chosen(root, stop_id)
            assert stop is not None
            stop.went_on = True
            self._raised(stop)
            parent = model.turns[stop.parent]
            targets, _ = model.resolve(stop.to, stop.author)
            kind = "callback" if stop.child else None
            model.say(Message(answer.message_event_id, stop.author, model.room, kind=kind))
            self._queued(answer, targets, parent.root, parent, "automatic", caused_by=stop.child)
            if stop.child is not None:
                claim = model.claims[stop.child]
                claim.state, claim.callback = "queued", answer.turns[0].turn_id
            elif stop.wake_me:
                for turn in answer.turns:
                    model.claims[turn.turn_id] = Claim(turn.turn_id, parent.id)

        return self.once(
            "root.continue",
            continue_root,
            command,
            asked=("root.continue", request),
            reasons=reasons,
            done=done,
        )

    def _chosen(self, root: str, stop_id: str | None) -> tuple[Stop | None, Reasons]:
        """This one, or the first of the chain that has not gone on."""
        model = self.model
        if stop_id is not None:
            stop = model.stops.get(stop_id)
            if stop is None or stop.root != root:
                return None, {"NOT_FOUND"}
            old = stop.went_on or stop.room != model.room
            return stop, {"STORE_CONFLICT"} if old else set()
        of_root = [s for s in model.stops.values() if (s.root, s.room) == (root, model.room)]
        waiting = [stop for stop in of_root if not stop.went_on]
        if waiting:
            return waiting[0], set()
        return None, {"STORE_CONFLICT"} if of_root else {"NOT_FOUND"}

    def _raised(self, stop: Stop) -> None:
        """What the store says that it raised: more than before, unless a queue was full."""
        rows = self.world.conn.execute(
            "SELECT json_extract(body_json, '$.limit'), json_extract(body_json, '$.newBound')"
            " FROM events WHERE event_type = 'routing.loop_continued' AND causation_id = ?",
            (stop.id,),
        ).fetchall()
        assert stop.limit in {limit for limit, _ in rows}
        for limit, bound in rows:
            assert bound >= self.model.bound(stop.root, limit)
            if limit != "queuePerAgent":
                self.model.raised[stop.root, limit] = bound

    def publish(self, content: str, *, cid: str | None, reply: str | None) -> Step:
        request = {"content": content, "reply": reply}
        command = PublishCommand(
            key=self.key("mcp.publish", request, cid, WEB_BINDING),
            actor_id=USER_WEB,
            content=content,
            provenance=provenance(USER_WEB),
            limits=LIMITS,
            reply_to_event_id=reply,
        )

        def done(answer: AcceptedMessage) -> None:
            assert answer.turns == ()
            self.model.say(Message(answer.message_event_id, USER_WEB, self.model.room))

        return self.once(
            "publish",
            publish,
            command,
            asked=("mcp.publish", request),
            reasons=lambda: self._reference(reply) | self._too_long(content),
            done=done,
        )

    def again(self, kind: Literal["retry", "continue"], turn_id: str, *, cid: str) -> Step:
        model = self.model
        request = {"turnId": turn_id}
        command = AgainCommand(
            key=self.key(f"turn.{kind}", request, cid, WEB_BINDING),
            kind=kind,
            turn_id=turn_id,
            actor_id=USER_WEB,
            roster=self.world.roster(model.stopped, model.gone),
            limits=LIMITS,
        )

        def reasons() -> Reasons:
            turn = model.turns.get(turn_id)
            if turn is None:
                return {"NOT_FOUND"}
            targets, found = model.resolve((turn.target,), USER_WEB)
            found |= model.full(targets)
            over = turn.ended and turn.room == model.room
            if not over or (kind == "retry" and turn.status == "completed"):
                found.add("STORE_CONFLICT")
            if kind == "retry" and (self._original(turn).withdrawn or self._is_tried(turn_id)):
                found.add("STORE_CONFLICT")
            return found

        def done(answer: AcceptedMessage) -> None:
            old = model.turns[turn_id]
            original = self._original(old).id if kind == "retry" else None
            source = Message(answer.message_event_id, USER_WEB, model.room, [], kind, original)
            model.say(source)
            (root,) = self.row(
                "SELECT root_correlation_id FROM turns WHERE turn_id = ?", answer.turns[0].turn_id
            )
            assert root not in {turn.root for turn in model.turns.values()}
            self._queued(answer, [old.target], root, None, "user", caused_by=turn_id)

        return self.once(kind, again, command, asked=(kind, request), reasons=reasons, done=done)

    def _is_tried(self, turn_id: str) -> bool:
        """Whether an open turn tries this one again."""
        messages = self.model.messages
        return any(
            turn.caused_by == turn_id and not turn.ended and messages[turn.source].kind == "retry"
            for turn in self.model.turns.values()
        )

    def withdraw(self, message_id: str, *, cid: str, instead: str | None) -> Step:
        model = self.model
        kind = "message.withdraw" if instead is None else "message.replace"
        request = {"messageId": message_id, "content": instead}
        command = WithdrawCommand(
            key=self.key(kind, request, cid, WEB_BINDING),
            message_event_id=message_id,
            actor_id=USER_WEB,
            replacement=instead,
            roster=self.world.roster(model.stopped, model.gone),
            limits=LIMITS,
        )

        def turns() -> list[Turn]:
            return [model.turns[turn_id] for turn_id in model.messages[message_id].turns]

        def reasons() -> Reasons:
            message = model.messages.get(message_id)
            if message is None:
                return {"NOT_FOUND"} | self._too_long(instead or "")
            found = self._too_long(instead or "")
            if message.author != USER_WEB or message.room != model.room:
                found.add("STORE_CONFLICT")
            queued = message.turns and all(turn.status == "queued" for turn in turns())
            if message.withdrawn or not queued:
                found.add("TURN_NOT_QUEUED")
            if instead is not None and queued:
                targets, why_not = model.resolve([t.target for t in turns()], USER_WEB)
                found |= why_not | model.full(targets, message.turns)
            return found

        def done(answer: Any) -> None:
            message = model.messages[message_id]
            targets = [turn.target for turn in turns()]
            for turn in turns():
                model.end(turn, "cancelled", None)
            message.withdrawn = True
            if model.end_checkpoints(message.room, self.seq_of(message_id)):
                self.log.done["earlier checkpoint"] += 1
            if instead is not None:
                kept = None if message.kind == "retry" else message.original
                new = Message(answer.message_event_id, USER_WEB, model.room, original=kept)
                model.say(new)
                self._queued(answer, targets, answer.correlation_id, None, "user")

        return self.once(
            kind,
            withdraw if instead is None else replace,
            command,
            asked=(kind, request),
            reasons=reasons,
            done=done,
        )

    # --- shared ---------------------------------------------------------------------------

    def _queued(
        self,
        answer: AcceptedMessage,
        targets: list[ActorId],
        root: str,
        parent: Turn | None,
        trigger: str,
        caused_by: str | None = None,
    ) -> None:
        """One turn per target, each told its place."""
        model = self.model
        assert [turn.target for turn in answer.turns] == targets
        for told in answer.turns:
            ahead = model.lane(told.target, "queued")
            active = model.lane(told.target, "dispatching", "running", "cancelling")
            assert told.queue_position == len(ahead)
            assert told.active_turn_id == (active[0].id if active else None)
            assert told.status == "queued"
            model.queue(
                Turn(
                    told.turn_id,
                    told.target,
                    answer.message_event_id,
                    model.room,
                    root,
                    hop=0 if parent is None else parent.hop + 1,
                    parent=parent and parent.id,
                    trigger=trigger,
                    caused_by=caused_by,
                )
            )

    def _reference(self, event_id: str | None) -> Reasons:
        if event_id is None:
            return set()
        message = self.model.messages.get(event_id)
        return set() if message and message.room == self.model.room else {"NOT_FOUND"}

    def _too_long(self, content: str) -> Reasons:
        return {"MESSAGE_TOO_LARGE"} if len(content) > LIMITS.message_characters else set()

    def _original(self, turn: Turn) -> Message:
        source = self.model.messages[turn.source]
        if source.kind == "retry" and source.original is not None:
            return self.model.messages[source.original]
        return source
