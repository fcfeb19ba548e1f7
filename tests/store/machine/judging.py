"""What became of a command, held against what the model says of it."""

from collections.abc import Callable
from typing import Any

from outcome import Error, Outcome

from groupx.domain.commands import CommandKey
from groupx.domain.errors import GroupXError, RecordedRefusal
from tests.store.machine.model import Model
from tests.store.machine.statistics import Statistics
from tests.store.machine.world import Step, World

Reasons = set[str]
Key = tuple[str, str | None]


class Bench:
    """A world, a model of it, and the judgement of single commands."""

    def __init__(self, world: World, model: Model, log: Statistics) -> None:
        self.world = world
        self.model = model
        self.log = log

    def judged(self, name: str, outcome: Outcome[Any], reasons: Reasons) -> tuple[bool, Any]:
        """Whether it was done, with its answer; refused only for a reason that the model has."""
        if isinstance(outcome, Error):
            error = outcome.error
            if not isinstance(error, GroupXError):
                raise error
            assert str(error.code) in reasons, f"{name}: {error}; expected: {reasons or 'success'}"
            self.log.refused[f"{name} {error.code}"] += 1
            return False, error
        assert not reasons, f"{name} was accepted in spite of {reasons}"
        self.log.done[name] += 1
        return True, outcome.value

    def step(
        self,
        name: str,
        run: Any,
        command: Any,
        reasons: Callable[[], Reasons],
        done: Callable[[Any], None],
    ) -> Step:
        """A command without an id of its client's."""

        def judge(outcome: Outcome[Any]) -> None:
            ok, answer = self.judged(name, outcome, reasons())
            if ok:
                done(answer)

        return Step(name, run, command, judge)

    def once(
        self,
        name: str,
        run: Any,
        command: Any,
        *,
        asked: Any,
        reasons: Callable[[], Reasons],
        done: Callable[[Any], None],
        same: Callable[[Any, Any], bool] = lambda first, now: first == now,
        recorded: Callable[[RecordedRefusal], None] | None = None,
    ) -> Step:
        """A command that happens once however often it comes."""
        key = (command.key.binding_id, command.key.client_command_id)

        def judge(outcome: Outcome[Any]) -> None:
            again, conflict = self.model.repeated(key, asked)
            if not again:
                ok, answer = self.judged(name, outcome, reasons())
                if ok:
                    done(answer)
                elif isinstance(answer, RecordedRefusal):
                    assert recorded is not None, f"{name} is not to be put on record"
                    recorded(answer)
                else:
                    return
                if key[1] is not None:
                    self.model.commands[key] = (asked, answer)
                return
            if key in self.model.answers_gone:
                return
            first = self.model.commands[key][1]
            if isinstance(first, GroupXError) and not conflict:
                conflict = {str(first.code)}
            ok, answer = self.judged(f"{name} again", outcome, conflict)
            if ok:
                assert same(first, answer), f"{name} again: {answer}, first: {first}"

        return Step(name, run, command, judge)

    def row(self, sql: str, *values: Any) -> Any:
        return self.world.conn.execute(sql, values).fetchone()

    def seq_of(self, event_id: str) -> int:
        return self.row("SELECT seq FROM events WHERE event_id = ?", event_id)[0]

    def key(self, kind: str, request: dict[str, Any], cid: str | None, binding: str) -> CommandKey:
        return CommandKey(
            binding_id=binding, client_command_id=cid, command_type=kind, request=request
        )
