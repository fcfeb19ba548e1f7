"""Batches of dated memory and the policies that forbid them, and what the model expects of them."""

from groupx.domain.ids import USER_WEB, WEB_BINDING, ActorId
from groupx.domain.memory_policy import Generation, MemoryPolicy, SetPolicy
from groupx.domain.rollup import Batch, DayKey, FailBatch, FinishBatch
from groupx.domain.times import ms_from_iso
from groupx.store.transactions.memory_policy import set_policy
from groupx.store.transactions.rollup import begin_batch, fail_batch, finish_batch
from groupx.store.transactions.rollup_recovery import recover_rollups
from tests.store.machine.days import SKIPS, WAITS
from tests.store.machine.judging import Bench, Reasons
from tests.store.machine.model import Memory
from tests.store.machine.world import Step


class Rolling(Bench):
    """Builds the steps; each says what the model expects of it."""

    def begin_batch(self, day: DayKey, begun: list[Batch]) -> Step:
        """What comes of it is put to `begun`."""
        days = self.model.days

        def done(answer: Batch | None) -> None:
            expected = days.begin(day, self.world.clock)
            if answer is None:
                assert expected is None
                return
            assert expected == ([*answer.turn_ids], ms_from_iso(answer.begun_at))
            assert (answer.previous and answer.previous.memory_id) == self._active(day)
            days.running[day] = answer.begun_at
            begun.append(answer)
            self.log.done["batch begun"] += 1

        return self.step("begin batch", begin_batch, day, set, done)

    def finish_batch(self, batch: Batch, content: str | None) -> Step:
        days, day = self.model.days, batch.key

        def reasons() -> Reasons:
            states = [days.sources[it].state for it in batch.turn_ids if it in days.sources]
            previous = batch.previous and batch.previous.memory_id
            runs = days.running.get(day) == batch.begun_at
            if runs and self._active(day) == previous and states == [WAITS] * len(batch.turn_ids):
                return set()
            return {"STORE_CONFLICT"}

        def done(memory_id: str | None) -> None:
            assert (memory_id is None) == (content is None)
            if memory_id is not None:
                owner, previous = day.actor_id, self._active(day)
                self.model.memories[memory_id] = Memory(
                    "dated", owner, owner, supersedes=previous, told_in=day.room_id
                )
                if previous is not None:
                    self.model.memories[previous].status = "superseded"
            days.finish(day, batch.turn_ids, memory_id)

        command = FinishBatch(batch=batch, content=content, prompt_characters=1)
        return self.step("finish batch", finish_batch, command, reasons, done)

    def fail_batch(self, batch: Batch) -> Step:
        days, day = self.model.days, batch.key

        def done(_: None) -> None:
            if days.running.get(day) == batch.begun_at:
                del days.running[day]
                days.obey(day)

        command = FailBatch(batch=batch, code="ADAPTER_EXITED")
        return self.step("fail batch", fail_batch, command, set, done)

    def recover_batches(self) -> Step:
        """The scheduler begins anew."""

        def done(_: None) -> None:
            self.model.days.running.clear()

        return self.step("recover batches", recover_rollups, None, set, done)

    def set_policy(self, actor: ActorId, generation: Generation, revision: int, cid: str) -> Step:
        model = self.model
        request = {"actorId": actor, "generation": generation, "expectedRevision": revision}
        command = SetPolicy(
            key=self.key("memory.policy", request, cid, WEB_BINDING),
            by=USER_WEB,
            actor_id=actor,
            expected_revision=revision,
            use_memories=True,
            generation=generation,
        )

        def reasons() -> Reasons:
            before, at = model.days.policy(model.room, actor)
            found = set() if revision == at else {"POLICY_REVISION_STALE"}
            if before == "excluded" != generation:
                found.add("POLICY_EXCLUDED")
            return found

        def done(answer: MemoryPolicy) -> None:
            assert (answer.generation, answer.revision) == (generation, revision + 1)
            model.days.policies[model.room, actor] = (generation, revision + 1)
            if generation == "excluded":
                model.days.give_up(model.room, SKIPS["excluded"], [actor])
            elif generation == "disabled":
                model.days.skip(model.room, actor, SKIPS["disabled"])

        return self.once(
            f"policy {generation}", set_policy, command,
            asked=("memory.policy", request), reasons=reasons, done=done,
        )  # fmt: skip

    def _active(self, day: DayKey) -> str | None:
        """The memory of the day that holds."""
        made = self.model.days.made.get(day)
        return made if made and self.model.memories[made].status == "active" else None
