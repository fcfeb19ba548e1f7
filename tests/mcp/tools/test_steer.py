"""steer, and `supervision` on send and ask: guidance in the observer's name, and nobody else's."""

import pytest
import trio

from groupx.adapters.contract import Started
from groupx.domain.errors import ErrorCode
from tests.mcp.acting import acting, says

A, B, C = "agent:a", "agent:b", "agent:c"
REFUSED = (
    ({"action": "stop"}, ErrorCode.INVALID_ENVELOPE),
    ({"reason": " "}, ErrorCode.INVALID_ENVELOPE),
    ({"reason": "x" * 501}, ErrorCode.INVALID_ENVELOPE),
    ({"content": ""}, ErrorCode.INVALID_ENVELOPE),
    ({"content": "x" * 1_000_000}, ErrorCode.MESSAGE_TOO_LARGE),
    ({"to": ["a"]}, ErrorCode.INVALID_ENVELOPE),
    ({"subject": A}, ErrorCode.INVALID_ENVELOPE),
    ({"from": A}, ErrorCode.SENDER_FIELD_FORBIDDEN),
    ({"subjectTurnId": "turn_x"}, ErrorCode.SUPERVISION_PAIR_INVALID),
)
NO_OBSERVERS = (
    ({"observers": []}, ErrorCode.INVALID_ENVELOPE),
    ({"observers": ["b"], "mode": "approve"}, ErrorCode.INVALID_ENVELOPE),
    ({"observers": ["b"], "from": B}, ErrorCode.INVALID_ENVELOPE),
    ({"observers": ["c"]}, ErrorCode.SUPERVISION_PAIR_INVALID),
    ({"observers": ["a"]}, ErrorCode.SUPERVISION_PAIR_INVALID),
    ({"observers": ["b", "agent:b"]}, ErrorCode.SUPERVISION_PAIR_INVALID),
    ({"observers": ["@all"]}, ErrorCode.SUPERVISION_PAIR_INVALID),
    ({"observers": ["nobody"]}, ErrorCode.UNKNOWN_TARGET),
)


def slow_at_first(prompts):
    """Works for ever on the first prompt, answers the others at once."""

    async def script(prompt):
        prompts.append(prompt)
        prompt.emit(Started("n"))
        if len(prompts) > 1:
            prompt.answer("as you say")
            return
        await prompt.cancelled.wait()

    return script


async def begun(stage, prompt):
    """The observer's first look: the worker has begun."""
    return await stage.use(prompt, "watch", until="next_milestone", afterSeq=0)


async def test_an_interrupt_ends_the_turn_and_the_guidance_runs(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:
        prompts, answers = [], []

        async def steers(prompt):
            await begun(stage, prompt)
            answers.append(
                await stage.use(
                    prompt, "steer", action="interrupt", reason="it drifts", content="be short"
                )
            )
            next_turn = answers[0]["nextTurn"]["turnId"]
            look = await stage.use(
                prompt, "watch", until="terminal", subjectTurnId=next_turn, afterSeq=0
            )
            assert look["snapshot"]["status"] == "completed"
            assert look["snapshot"]["messages"][-1]["excerpt"] == "as you say"

        pair = await stage.pair(slow_at_first(prompts), steers)
        [answer] = answers
        assert (answer["subjectTurnId"], answer["action"]) == (pair.subject, "interrupt")
        assert (answer["steerCount"], answer["steerLimit"]) == (1, 3)
        assert stage.room.status(pair.subject) == "cancelled"
        assert "be short" in prompts[1].text
        [steered] = stage.room.events("supervision.steered")
        assert (steered["actor"], steered["reason"]) == (B, "it drifts")
        rows = stage.room.rows(
            "SELECT parent_turn_id, hop_count, trigger_kind FROM turns WHERE turn_id = ?",
            answer["nextTurn"]["turnId"],
        )
        assert rows == [(pair.watch, 1, "control")]


async def test_a_nudge_waits_for_the_turn_and_comes_once(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:

        async def steers(prompt):
            await begun(stage, prompt)
            given = {"action": "nudge", "reason": "r", "content": "c", "clientCommandId": "1"}
            first = await stage.use(prompt, "steer", **given)
            assert first["subjectStatus"] == "running"
            assert await stage.use(prompt, "steer", **given) == first
            for changed in ({"content": "other"}, {"action": "interrupt"}):
                code = await stage.refused(prompt, "steer", **(given | changed))
                assert code is ErrorCode.CLIENT_COMMAND_CONFLICT

        pair = await stage.pair(says("done", 20), steers)
        await stage.room.until(
            lambda: stage.room.rows("SELECT 1 FROM turns WHERE terminal_at IS NULL") == []
        )
        assert stage.room.status(pair.subject) == "completed"
        assert len(stage.room.programs[A].prompts) == 2
        assert len(stage.room.events("supervision.steered")) == 1


async def test_what_cannot_be_steered(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:

        async def steers(prompt):
            await begun(stage, prompt)
            for changes, code in REFUSED:
                given = {"action": "nudge", "reason": "r", "content": "c"} | changes
                assert await stage.refused(prompt, "steer", **given) is code, changes

        await stage.pair(says("done", 20), steers)


async def test_a_worker_that_has_ended_can_only_be_nudged(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b") as stage:

        async def steers(prompt):
            look = await stage.use(prompt, "watch", until="terminal")
            given = {
                "subjectTurnId": look["snapshot"]["turnId"], "reason": "r", "content": "c"
            }  # fmt: skip
            code = await stage.refused(prompt, "steer", action="interrupt", **given)
            assert code is ErrorCode.TARGET_NOT_RUNNING
            steered = await stage.use(prompt, "steer", action="nudge", **given)
            assert steered["steerCount"] == 1

        await stage.pair(says("done", 2), steers)


async def test_who_is_watched_is_steered_not_asked(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b", "c") as stage:
        stage.script("c", says("from c"))

        async def tries(prompt):
            await begun(stage, prompt)
            for tool in ("send", "ask"):
                for to in (["a"], ["c", "a"], ["@all"]):
                    code = await stage.refused(prompt, tool, to=to, content="?")
                    assert code is ErrorCode.SUPERVISION_STEER_REQUIRED
            answer = await stage.use(prompt, "ask", to=["c"], content="?")
            assert answer["results"][0]["content"] == "from c"

        await stage.pair(says("done", 20), tries)


@pytest.mark.parametrize("tool", ["send", "ask"])
async def test_an_agent_has_others_watched(jumping_clock, tmp_path, tool):
    async with acting(tmp_path, "a", "b", "c") as stage:
        stage.script("a", says("done", 5))
        looks = []

        async def watches(prompt):
            looks.append(await stage.use(prompt, "watch", until="terminal", afterSeq=0))
            prompt.answer("seen")

        stage.script("b", watches)

        async def asks(prompt):
            observed = {"observers": ["b"]}
            answer = await stage.use(prompt, tool, to=["a"], content="do it", supervision=observed)
            [watch] = answer["watchTurns"]
            assert (watch["target"], "pairEventId" in answer) == (B, True)
            if tool == "ask":
                assert answer["results"][0]["content"] == "done"
            await trio.sleep(10)

        await stage.run("c", asks)
        assert looks[0]["snapshot"]["actorId"] == A
        [paired] = stage.room.events("supervision.paired")
        assert [worker["actorId"] for worker in paired["workers"]] == [A]


async def test_who_cannot_be_an_observer(jumping_clock, tmp_path):
    async with acting(tmp_path, "a", "b", "c") as stage:

        async def asks(prompt):
            for supervision, code in NO_OBSERVERS:
                given = {"to": ["a"], "content": "?", "supervision": supervision}
                for tool in ("send", "ask"):
                    assert await stage.refused(prompt, tool, **given) is code, supervision

        await stage.run("c", asks)
