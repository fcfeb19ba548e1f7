"""A ledger in memory, and short ways to bring it into the states that tests are about."""

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from groupx.domain.commands import (
    AcceptCommand,
    AcceptedMessage,
    CancelAnswer,
    CancelCommand,
    CommandKey,
    LaneCommand,
)
from groupx.domain.commits import Frame
from groupx.domain.envelope import Provenance
from groupx.domain.errors import RecordedRefusal
from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId, IdSource
from groupx.domain.ledger import (
    ClaimCommand,
    Claimed,
    InstanceOpened,
    StartedCommand,
    TerminalCommand,
    Terminated,
)
from groupx.domain.limits import Limits
from groupx.domain.outcomes import Cause
from groupx.domain.roster import RosterEntry
from groupx.domain.runs import OpenRun
from groupx.store.connection import open_connection
from groupx.store.formats.chain import create_current
from groupx.store.session_era import session_era
from groupx.store.transaction import Transaction
from groupx.store.transactions.accept import accept
from groupx.store.transactions.bindings import open_instance, open_run
from groupx.store.transactions.cancel import cancel
from groupx.store.transactions.claim import claim
from groupx.store.transactions.started import started
from groupx.store.transactions.terminal import terminal

START_MS = 1_770_000_000_000
A, B, C = ActorId("agent:a"), ActorId("agent:b"), ActorId("agent:c")
DAY = "2026-02-02"


class Ledger:
    """One open database; `write` is what the store's thread does with one command."""

    a, b, c = A, B, C

    def __init__(self) -> None:
        self.conn = open_connection(":memory:")
        create_current(
            self.conn,
            now_iso="2026-02-01T00:00:00.000Z",
            database_id="database_00000000000000000000000000000001",
        )
        self.clock = START_MS
        self.limits = Limits()
        self.ids = IdSource(lambda: self.clock, random.Random(7).randbytes)
        self.frames: list[Frame] = []
        self.woken: list[ActorId] = []
        self._count = itertools.count(1)
        self.roster = tuple(RosterEntry(actor_id=actor, adapter_id="demo") for actor in (A, B, C))
        self.write(open_run, OpenRun(agents={A: "Ada", B: "Bob", C: "Cy"}))
        self.bindings = {actor: self.open_session(actor) for actor in (A, B, C)}

    def write(self, run: Callable[[Transaction, Any], Any], command: Any) -> Any:
        tx = Transaction(self.conn, self.ids, lambda: self.clock, self.limits)
        self.conn.execute("BEGIN IMMEDIATE")
        refusal: RecordedRefusal | None = None
        result: Any = None
        try:
            result = run(tx, command)
        except RecordedRefusal as error:
            refusal = error
        except BaseException:
            self.conn.execute("ROLLBACK")
            raise
        self.conn.execute("COMMIT")
        facts = tx.facts()
        self.frames += facts.frames
        self.woken = sorted(facts.lanes)
        self.clock += 10
        if refusal is not None:
            raise refusal
        return result

    def open_session(self, actor: ActorId, native: str | None = None) -> str:
        number = next(self._count)
        self.write(
            open_instance,
            InstanceOpened(
                instance_id=f"instance_{number}",
                binding_id=f"binding_{number}",
                actor_id=actor,
                adapter_id="demo",
                protocol="demo",
                native_session_id=native or f"native-{actor}-{number}",
                continuity="new",
                capabilities={},
            ),
        )
        return f"binding_{number}"

    def key(self, kind: str = "message.send", **request: Any) -> CommandKey:
        return CommandKey(
            binding_id=request.pop("binding", WEB_BINDING),
            client_command_id=request.pop("id", None) or f"c{next(self._count)}",
            command_type=kind,
            request=request,
        )

    def message(self, *to: str, content: str = "hello", **changes: Any) -> AcceptCommand:
        request = {"to": list(to), "content": content}
        fields: dict[str, Any] = {
            "key": self.key(**request),
            "actor_id": USER_WEB,
            "to": to or (A,),
            "content": content,
            "roster": self.roster,
            "limits": Limits(),
            "provenance": Provenance(source_kind="web"),
        }
        return AcceptCommand(**(fields | changes))

    def send(self, *to: str, **changes: Any) -> AcceptedMessage:
        return self.write(accept, self.message(*(to or (A,)), **changes))

    def call(self, parent_turn_id: str, caller: ActorId, *to: str, **changes: Any) -> Any:
        """What an agent sends out of its running turn."""
        kind = changes.pop("kind", "mcp.send")
        return self.send(
            *to,
            key=self.key(kind, binding=self.bindings[caller], to=list(to)),
            actor_id=caller,
            parent_turn_id=parent_turn_id,
            provenance=Provenance(source_kind="mcp"),
            trigger_kind="automatic",
            waits=kind == "mcp.ask",
            **changes,
        )

    def queued(self, actor: ActorId = A, **changes: Any) -> str:
        return self.send(actor, **changes).turns[0].turn_id

    def claim_command(self, turn_id: str, **changes: Any) -> ClaimCommand:
        actor, source_seq = self.row(
            "SELECT target_actor_id, (SELECT seq FROM events WHERE event_id = source_event_id)"
            " FROM turns WHERE turn_id = ?",
            turn_id,
        )
        binding = self.bindings[actor]
        (instance,) = self.row(
            "SELECT instance_id FROM session_bindings WHERE binding_id = ?", binding
        )
        fields: dict[str, Any] = {
            "turn_id": turn_id,
            "expected_transport": "structured",
            "binding_id": binding,
            "instance_id": instance,
            "era": session_era(self.conn, None),
            "context_through_seq": source_seq,
        }
        return ClaimCommand(**(fields | changes))

    def claim(self, turn_id: str, **changes: Any) -> Claimed:
        return self.write(claim, self.claim_command(turn_id, **changes))

    def running(self, actor: ActorId = A, **changes: Any) -> tuple[str, str]:
        """(turn id, attempt id) of a turn that has natively started."""
        turn_id = self.queued(actor, **changes)
        attempt_id = self.claim(turn_id).attempt_id
        self.write(started, StartedCommand(attempt_id=attempt_id, native_turn_id="n1"))
        return turn_id, attempt_id

    def end(self, turn_id: str, attempt_id: str | None, cause: Cause, **changes: Any) -> Terminated:
        changes.setdefault("local_date", DAY)
        return self.write(
            terminal,
            TerminalCommand(turn_id=turn_id, attempt_id=attempt_id, cause=cause, **changes),
        )

    def completed(self, actor: ActorId = A, response: str = "done", **changes: Any) -> Terminated:
        turn_id, attempt_id = self.running(actor, **changes)
        return self.end(turn_id, attempt_id, Cause.COMPLETED, response=response)

    def cancel(self, turn_id: str, **changes: Any) -> CancelAnswer:
        key = self.key("turn.cancel", turnId=turn_id)
        fields: dict[str, Any] = {"key": key, "turn_id": turn_id, "actor_id": USER_WEB}
        return self.write(cancel, CancelCommand(**(fields | changes)))

    def lane(self, state: Any, actor: ActorId = A, **changes: Any) -> LaneCommand:
        key = self.key(f"lane.{state}", actorId=actor)
        fields: dict[str, Any] = {
            "key": key, "actor_id": actor, "state": state, "by": USER_WEB,
        }  # fmt: skip
        return LaneCommand(**(fields | changes))

    def row(self, sql: str, *values: Any) -> Any:
        return self.conn.execute(sql, values).fetchone()

    def rows(self, sql: str, *values: Any) -> list[Any]:
        return self.conn.execute(sql, values).fetchall()

    def status(self, turn_id: str) -> str:
        return self.row("SELECT status FROM turns WHERE turn_id = ?", turn_id)[0]

    def attempt(self, turn_id: str) -> tuple[str, str]:
        """Phase and certainty of the turn's newest attempt."""
        return self.row(
            "SELECT dispatch_phase, delivery_certainty FROM turn_attempts WHERE turn_id = ?"
            " ORDER BY rowid DESC LIMIT 1",
            turn_id,
        )

    def types(self, since: int = 0) -> list[str]:
        return [frame.type for frame in self.frames[since:]]

    def counts(self) -> dict[str, int]:
        """Rows of every table: what a refused command must not change."""
        tables = self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {name: self.row(f"SELECT count(*) FROM {name}")[0] for (name,) in tables}

    def dump(self) -> list[str]:
        """The whole content: what a refused command must not change either."""
        return list(self.conn.iterdump())


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    it = Ledger()
    yield it
    it.conn.close()


@pytest.fixture
def new_ledger() -> type[Ledger]:
    return Ledger


@pytest.fixture
def refused(ledger: Ledger) -> Callable[..., Any]:
    """Run a command that must be refused with `code`, and prove that nothing was stored."""
    from groupx.domain.errors import GroupXError

    def check(code: str, run: Callable[[Transaction, Any], Any], command: Any) -> GroupXError:
        before = ledger.counts()
        with pytest.raises(GroupXError) as caught:
            ledger.write(run, command)
        assert caught.value.code == code, caught.value
        assert ledger.counts() == before
        return caught.value

    return check
