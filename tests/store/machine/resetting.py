"""The command that resets the context, and what the model expects of it."""

from groupx.domain.context_reset import ContextReset, ResetContext
from groupx.domain.ids import USER_WEB, WEB_BINDING
from groupx.store.transactions.context_reset import reset_context
from tests.store.machine.judging import Bench
from tests.store.machine.world import AGENTS, Step


class Resetting(Bench):
    """Builds the step; it says what the model expects of it."""

    def reset(self, *, cid: str, sessions: bool) -> Step:
        model = self.model
        request = {"resetNativeSessions": sessions}
        command = ResetContext(
            key=self.key("context.reset", request, cid, WEB_BINDING),
            by=USER_WEB,
            reset_native_sessions=sessions,
        )

        def done(answer: ContextReset) -> None:
            before, forgotten = model.floors.get(model.room, (0, frozenset[str]()))
            said = model.said_in(model.room)
            renews = sessions and model.room in model.sessions_left
            assert answer.changed == (bool(said - forgotten) or renews)
            if answer.changed:
                assert answer.through_seq > before, "a floor only rises"
                model.floors[model.room] = (answer.through_seq, said)
                over = model.over.setdefault(model.room, {})
                over.update({it.id: "superseded" for it in model.checkpoints.pop(model.room, [])})
                model.days.give_up(model.room, "reset", AGENTS)
                model.session_resets += sessions
                (model.sessions_left.discard if sessions else model.sessions_left.add)(model.room)
            else:
                assert answer.through_seq == before

        return self.once(
            "reset", reset_context, command,
            asked=("context.reset", request), reasons=set, done=done,
        )  # fmt: skip
