"""Compacting a room: the agents' own programs write its checkpoint, pass by pass, one at a time."""

from collections.abc import Callable

import attrs
import trio

from groupx.actors.backoff import backoff_seconds
from groupx.actors.compaction_reading import Tail, compact_through, read_block
from groupx.actors.directory import AgentDirectory
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToStore, Write
from groupx.actors.side_sessions import (
    INVALID,
    MARK_BYTES,
    Asks,
    SideAnswer,
    SideFailure,
)
from groupx.actors.steadfast import insist
from groupx.actors.transient import Transients
from groupx.domain.compaction import (
    ROUNDS,
    Block,
    BlockQuery,
    SwapCheckpoint,
    checkpoint_bound,
    checkpoint_of,
    checkpoint_prompt,
    material,
)
from groupx.domain.compaction_failed import CompactionFailed, Refusal
from groupx.domain.compaction_state import CompactionState, CompactionView
from groupx.domain.context_usage import side_usage
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, IdSource, RoomId
from groupx.domain.limits import Limits
from groupx.domain.notices import Notice
from groupx.domain.packet_entries import unforgeable
from groupx.domain.views import AgentView
from groupx.process.killing import passed
from groupx.store.queries.compaction import Standing, standing
from groupx.store.transactions.checkpoint import swap_checkpoint
from groupx.store.transactions.context_usage import record_usage

LATELY_SECONDS = 60.0
"""After a failure, so long no turn that can do without a checkpoint waits for another try."""


@attrs.frozen(kw_only=True)
class CompactorPorts:
    """What a compaction works with."""

    store: ActorRef[ToStore]
    side: Asks
    directory: AgentDirectory
    transients: Transients
    ids: IdSource
    limits: Limits
    entropy: Callable[[int], bytes]
    jitter: Callable[[], float]
    on_compacted: Callable[[], None]
    """Rings whoever takes up what the checkpoint has passed; never waits."""


@attrs.define(eq=False, kw_only=True)
class Running:
    """One compaction of a room, from its first look to its end and after it."""

    compaction_id: str
    by_hand: bool
    """Somebody asked for it: it goes on although no turn waits for it."""
    state: CompactionState = CompactionState.RUNNING
    passes: int = 0
    code: str | None = None
    failure: CompactionFailed | None = None
    fault: Exception | None = None
    """Of the store, or of our own: it is told to those who wait."""
    waiting: int = 0
    """Turns that cannot be sent before its end."""
    ended_at: float = 0.0
    over: trio.Event = attrs.field(factory=trio.Event)
    work: trio.CancelScope = attrs.field(factory=trio.CancelScope)


class Compactor:
    """At most one compaction of a room at a time; who comes meanwhile waits for its end, and one
    that was begun for turns ends when none of them waits any more."""

    def __init__(self, ports: CompactorPorts) -> None:
        self._ports = ports
        self._bound = checkpoint_bound(ports.limits.context_characters)
        self._last: dict[RoomId, Running] = {}

    def running(self, room_id: RoomId) -> Running | None:
        """The one that is under way."""
        last = self._last.get(room_id)
        return last if last is not None and last.state is CompactionState.RUNNING else None

    def failed_lately(self, room_id: RoomId) -> bool:
        """Whether no checkpoint could be written just now, or its user did not want it."""
        last = self._last.get(room_id)
        if last is None or last.failure is None:
            return False
        return trio.current_time() < last.ended_at + LATELY_SECONDS

    def begin(
        self, nursery: trio.Nursery, room_id: RoomId, tail: Tail, *, by_hand: bool = False
    ) -> Running:
        """Begin to compact all but `tail`. None may be running."""
        running = Running(compaction_id=self._ports.ids.new("compaction"), by_hand=by_hand)
        self._last[room_id] = running
        nursery.start_soon(self._run, room_id, running, tail)
        return running

    async def compact(
        self, nursery: trio.Nursery, room_id: RoomId, tail: Tail
    ) -> CompactionFailed | None:
        """Wait for the one that runs, or for a new one of all but `tail`; why there is no
        checkpoint. Raises its fault."""
        running = self.running(room_id) or self.begin(nursery, room_id, tail)
        running.waiting += 1
        try:
            await running.over.wait()
        finally:
            running.waiting -= 1
            if not running.waiting and not running.by_hand:
                self._cancel(running)
        if running.fault is not None:
            raise running.fault
        return running.failure

    def cancel(self, room_id: RoomId) -> str | None:
        """End the one that runs, as its user wishes, and its id; for the turns that wait it has
        failed. None when none runs."""
        running = self.running(room_id)
        if running is None:
            return None
        running.failure = CompactionFailed(by_user=True)
        self._cancel(running)
        return running.compaction_id

    def view(self, room_id: RoomId) -> CompactionView | None:
        """How the room's last one stands; None when there was none since the start."""
        last = self._last.get(room_id)
        if last is None:
            return None
        failed = last.failure if last.state is CompactionState.FAILED else None
        return CompactionView(
            compaction_id=last.compaction_id,
            state=last.state,
            passes=last.passes,
            error_code=last.code,
            message=_sentence(failed.told()) if failed else None,
        )

    def _cancel(self, running: Running) -> None:
        """Its program ends, and nothing more is written; one that has ended stays as it is."""
        self._close(running, CompactionState.CANCELLED)
        running.work.cancel()

    async def _run(self, room_id: RoomId, running: Running, tail: Tail) -> None:
        """Pass after pass until only the tail is left."""
        try:
            with running.work:
                await self._passes(room_id, running, tail)
                self._close(running, CompactionState.COMPLETED)
        except CompactionFailed as error:
            running.failure = error
            self._close(running, CompactionState.FAILED, error.code)
        except Exception as error:
            running.fault = error
            self._close(running, CompactionState.FAILED, str(ErrorCode.INTERNAL_ERROR))
            if not running.waiting and not isinstance(error, GroupXError):
                raise
        finally:
            self._close(running, CompactionState.CANCELLED)

    def _close(self, running: Running, state: CompactionState, code: str | None = None) -> None:
        """The first end stands."""
        if running.state is not CompactionState.RUNNING:
            return
        running.state, running.code, running.ended_at = state, code, trio.current_time()
        if code is not None:
            self._tell(running, state, errorCode=code)
        elif running.passes:
            self._tell(running, state)
        running.over.set()

    async def _passes(self, room_id: RoomId, running: Running, tail: Tail) -> None:
        ill: set[ActorId] = set()
        while True:
            now = await insist(self._ports.store, Read(standing, room_id))
            through = await compact_through(self._ports.store, now, tail)
            if through is None:
                break
            query = BlockQuery(room_id=room_id, after_seq=now.covered_seq, through_seq=through)
            block = await read_block(self._ports.store, query)
            if not block.entries:
                break
            running.passes += 1
            self._tell(running, "started")
            await self._pass(running, now, block, ill)

    async def _pass(self, running: Running, now: Standing, block: Block, ill: set[ActorId]) -> None:
        """One checkpoint written and swapped in; a swap that came too late counts as a look."""
        texts = material(now.summary, block)
        mark = unforgeable(self._ports.entropy(MARK_BYTES).hex(), texts)
        prompt = checkpoint_prompt(now.summary, block, mark, self._bound)
        generator, content, answer = await self._written(running, now, prompt, mark, ill)
        swap = SwapCheckpoint(
            room_id=now.room_id,
            previous_id=now.summary and now.summary.summary_id,
            from_seq=now.summary.from_seq if now.summary else block.entries[0].seq,
            through_seq=block.through_seq,
            read_seq=now.newest_seq,
            content=content,
            generator_actor_id=generator,
            prompt_characters=len(prompt),
            tokens=answer.usage and answer.usage.input_tokens,
        )
        passed("checkpoint.before")
        try:
            await insist(self._ports.store, Write(swap_checkpoint, swap))
        except GroupXError as error:
            if error.code is not ErrorCode.STORE_CONFLICT:
                raise
            await self._spent(now, generator, prompt, answer)
        self._ports.on_compacted()

    async def _written(
        self, running: Running, now: Standing, prompt: str, mark: str, ill: set[ActorId]
    ) -> tuple[ActorId, str, SideAnswer]:
        """By the first agent that can; CompactionFailed. Those that cannot are not asked again."""
        refusals: list[Refusal] = []
        for attempt in range(1, ROUNDS + 1):
            may_start_later = False
            for view in self._healthy(ill):
                answer: SideAnswer | None = None
                try:
                    answer = await self._ports.side.ask(view.actor_id, prompt)
                    return view.actor_id, checkpoint_of(answer.text, mark, self._bound), answer
                except SideFailure as error:
                    refusal = Refusal(name=view.name, code=error.code, message=error.message)
                    may_start_later |= error.transient
                    if not error.transient:
                        ill.add(view.actor_id)
                except ValueError as error:
                    said = f"its checkpoint could not be used: {error}"
                    refusal = Refusal(name=view.name, code=INVALID, message=said)
                    ill.add(view.actor_id)
                if answer is not None:
                    await self._spent(now, view.actor_id, prompt, answer)
                refusals.append(refusal)
            if not may_start_later or attempt == ROUNDS:
                break
            self._tell(running, "retrying", attempt=attempt, errorCode=refusals[-1].code)
            await trio.sleep(backoff_seconds(attempt, self._ports.jitter))
        raise CompactionFailed(tuple(refusals))

    async def _spent(
        self, now: Standing, actor_id: ActorId, prompt: str, answer: SideAnswer
    ) -> None:
        """What an answer took that became no checkpoint; else it is written down with that."""
        usage = side_usage(
            "compaction",
            actor_id,
            now.room_id,
            len(prompt),
            answer.usage and answer.usage.input_tokens,
        )
        await insist(self._ports.store, Write(record_usage, usage))

    def _healthy(self, ill: set[ActorId]) -> tuple[AgentView, ...]:
        """In the config's order."""
        return tuple(view for view in self._ports.directory.well() if view.actor_id not in ill)

    def _tell(self, running: Running, what: str, **more: object) -> None:
        body = {"compactionId": running.compaction_id, "pass": running.passes, **more}
        self._ports.transients.say(Notice(type=f"context.compaction.{what}", body=body))


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
