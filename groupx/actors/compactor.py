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
from groupx.domain.context_usage import side_usage
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId, IdSource, RoomId
from groupx.domain.limits import Limits
from groupx.domain.notices import Notice
from groupx.domain.packet_entries import unforgeable
from groupx.domain.views import AgentView
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


@attrs.define(eq=False)
class Running:
    """One compaction of a room, from its first look to its end."""

    compaction_id: str
    over: trio.Event = attrs.field(factory=trio.Event)
    failure: CompactionFailed | None = None
    passes: int = 0


class Compactor:
    """At most one compaction of a room at a time; who comes meanwhile waits for its end."""

    def __init__(self, ports: CompactorPorts) -> None:
        self._ports = ports
        self._bound = checkpoint_bound(ports.limits.context_characters)
        self._running: dict[RoomId, Running] = {}
        self._failed_at: dict[RoomId, float] = {}

    def running(self, room_id: RoomId) -> Running | None:
        """The one that is under way."""
        return self._running.get(room_id)

    def failed_lately(self, room_id: RoomId) -> bool:
        """Whether no agent could write the checkpoint just now."""
        failed_at = self._failed_at.get(room_id)
        return failed_at is not None and trio.current_time() < failed_at + LATELY_SECONDS

    def begin(self, room_id: RoomId) -> Running:
        """Take the room's one place; `run` must follow."""
        running = Running(self._ports.ids.new("compaction"))
        self._running[room_id] = running
        return running

    async def compact(self, room_id: RoomId, tail: Tail) -> CompactionFailed | None:
        """Compact all but `tail`, or wait for the one that runs; why there is no checkpoint."""
        running = self._running.get(room_id)
        if running is None:
            running = self.begin(room_id)
            await self.run(room_id, running, tail)
        else:
            await running.over.wait()
        return running.failure

    async def run(self, room_id: RoomId, running: Running, tail: Tail) -> None:
        """Pass after pass until only the tail is left. What goes wrong is in `running.failure`."""
        try:
            await self._passes(room_id, running, tail)
            self._failed_at.pop(room_id, None)
        except CompactionFailed as error:
            running.failure = error
            self._failed_at[room_id] = trio.current_time()
            self._tell(running, "failed", errorCode=error.code)
        except Exception:
            # A fault of the store, or of our own: it is the caller's to tell.
            self._tell(running, "failed", errorCode=str(ErrorCode.INTERNAL_ERROR))
            raise
        finally:
            del self._running[room_id]
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
        if running.passes:
            self._tell(running, "completed")

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
