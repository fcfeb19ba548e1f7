"""Rules: what people can ask for, in any order."""

from typing import Any

from hypothesis import strategies as st

from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId
from groupx.domain.outcomes import Cause
from tests.store.machine.drawing import actors, commands, deed, fuse, nobody, pick, somebody, words
from tests.store.machine.lanes import Lanes
from tests.store.machine.model import ACTIVE
from tests.store.machine.world import AGENTS, LIMITS


class People(Lanes):
    """Messages, and what becomes of them."""

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
            if which % 4 == 1:
                self._clear()
            self.take(self.does.new_room(cid=f"o{cid}"))
        elif which % 4 == 0:
            room = known[which // 4 % len(known)]
            self.take(self.does.archive(room, cid=f"h{cid}", archived=archived))

    @deed(
        cid=commands,
        action=st.sampled_from(["archive", "delete", "delete"]),
        leave=st.booleans(),
        fuse=fuse,
    )
    def prune(self, cid: int, action: Any, leave: bool, fuse: bool) -> None:
        """All rooms but the active one, which may be left first."""
        if fuse:
            if leave:
                self.take(self.does.reset(cid=f"z{cid}", sessions=True))
                self._clear()
                self.take(self.does.new_room(cid=f"o{cid}"))
            self._commit()
            self.history.observe(self.world.conn, self.model.room)
            self.take(self.does.prune(action, cid=f"e{cid}"))
            self._commit()

    @deed(cid=commands, sessions=st.booleans())
    def reset(self, cid: int, sessions: bool) -> None:
        self.take(self.does.reset(cid=f"z{cid}", sessions=sessions))

    def _clear(self) -> None:
        """End what is open, and then what was called back because of it."""
        self._commit()
        for _ in range(2):
            for turn in self.model.open_turns():
                if turn.sent:
                    self._end(turn, Cause.CANCELLED, False, None)
                else:
                    self.take(self.does.cancel(turn.id, cid=f"clear {turn.id}", force=False))
