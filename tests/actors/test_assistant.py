"""The assistant: each message stored, sent once each time the user gives it, answered once."""

import pytest
import trio

from groupx.actors.assistant_board import AsideView, AssistantBoard, AssistantState
from groupx.actors.mailbox import ActorCrashed
from groupx.adapters.contract import (
    AdapterStartError,
    Completed,
    ContentDelta,
    Failed,
    Interaction,
    Started,
)
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.limits import Timeouts
from groupx.domain.side_conversation import MAX_WAITING, SideMessage
from groupx.store.queries.side_conversation import side_page
from groupx.store.transactions.side_conversation import reply_aside, say_aside
from tests.actors.assisted import Assisted, assisted, words
from tests.actors.fakes import FakeSession


async def test_it_answers_beside_the_room(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        assert it.board.view.state is AssistantState.IDLE
        assert it.program.sessions == []
        said = await it.say()
        assert said.reply is None
        prompt = await it.prompt()
        assert (await it.aside()).state == "working"
        assert it.board.view.state is AssistantState.WORKING
        prompt.emit(Started(), ContentDelta("nobody "))
        assert it.board.running is not None
        assert it.board.running.message_id == said.message.message_id
        assert it.board.running.live().text == "nobody "
        prompt.emit(ContentDelta("works"))
        prompt.finish(Completed())
        await it.settled()
        assert words(await it.messages()) == [
            ("user", "who works?"), ("assistant", "nobody works"),
        ]  # fmt: skip
        assert (await it.aside()).state == "answered"
        assert it.board.running is None
        assert it.board.view.state is AssistantState.IDLE
        assert it.room.rows("SELECT count(*) FROM events") == [(0,)]
        assert it.room.rows("SELECT count(*) FROM agent_instances WHERE adapter_id = 'demo'") == [
            (0,)
        ]
    assert it.board.view.state is AssistantState.OFF


async def test_a_new_session_is_told_who_it_is_and_what_was_said(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        await it.say("first", "c1")
        (first := await it.prompt()).answer("one")
        assert first.text.startswith("[groupx_assistant ")
        assert "You are the assistant of a room" in first.text
        assert "Be kind." in first.text
        assert "conversation_so_far" not in first.text
        await it.settled()
        await it.say("second", "c2")
        (second := await it.prompt()).answer("two")
        assert second.text == "second"
        await it.settled()
        it.program.sessions[0].exit(1)
        await it.say("第三", "c3")
        (third := await it.prompt()).answer("三")
        await it.settled()
        assert "你是一个房间的助理" in third.text
        so_far = third.text.partition("[conversation_so_far ")[2]
        assert [
            so_far.index(f"\n{said}\n") for said in ("first", "one", "second", "two")
        ] == sorted(so_far.index(f"\n{said}\n") for said in ("first", "one", "second", "two"))
        assert so_far.count("第三") == 1
        usage = it.room.rows("SELECT source, characters, epoch FROM context_usage")
        assert usage == [("assistant", len(third.text), 1)]


async def test_the_same_id_joins_the_reply_then_gets_the_stored_one(
    jumping_clock, tmp_path
) -> None:
    async with assisted(tmp_path) as it:
        first = await it.say()
        prompt = await it.prompt()
        joined = await it.say()
        assert (joined.message, joined.reply) == (first.message, None)
        prompt.answer("nobody")
        await it.settled()
        again = await it.say()
        assert again.reply is not None
        assert again.reply.content == "nobody"
        await it.settled()
        assert len(it.program.prompts) == 1


async def test_a_post_that_crosses_the_end_of_its_reply_sends_nothing_twice(
    jumping_clock, tmp_path
) -> None:
    """The store looked before the reply was there, and is heard only after it was given."""
    async with assisted(tmp_path) as it:
        await it.say()
        prompt = await it.prompt()
        it.store.held = say_aside
        async with trio.open_nursery() as nursery:
            nursery.start_soon(it.say)
            await it.settled()
            prompt.answer("nobody")
            await it.settled()
            assert (await it.aside()).state == "answered"
            it.store.answer.set()
        await it.settled()
        assert len(it.program.prompts) == 1


async def test_a_cancel_just_before_the_prompt_sends_nothing(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        it.store.held = side_page
        await it.say()
        await trio.sleep(5)
        assert len(it.program.sessions) == 1
        await it.cancel()
        it.store.answer.set()
        await trio.sleep(5)
        assert it.program.prompts == []
        assert (await it.aside()).state == "cancelled"
        assert it.board.view.state is AssistantState.IDLE


async def test_a_stop_just_before_the_prompt_sends_nothing(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        it.store.held = side_page
        await it.say()
        await trio.sleep(5)
        it.stop()
        it.store.answer.set()
        await trio.sleep(60)
        assert it.program.prompts == []
        assert it.program.sessions[0].closed.is_set()


async def test_a_session_of_no_more_use_is_ended_at_once(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        await it.say()
        end = Failed(
            code=ErrorCode.PROTOCOL_INVALID_MESSAGE, message="nonsense", session_usable=False
        )
        (await it.prompt()).finish(end)
        await trio.sleep(60)
        assert it.program.sessions[0].closed.is_set()
        await it.say()
        (prompt := await it.prompt()).answer()
        assert "You are the assistant" in prompt.text


async def test_a_program_that_a_kill_does_not_end_is_left(
    jumping_clock, tmp_path, monkeypatch
) -> None:
    async with assisted(tmp_path) as it:
        await it.say()
        (await it.prompt()).answer()
        await it.settled()
        monkeypatch.setattr(FakeSession, "kill", lambda _: None)
        monkeypatch.setattr(FakeSession, "close", lambda _: trio.sleep_forever())
        it.stop()
        await trio.sleep(3 * Timeouts().close / 1000 + 60)
        assert it.board.view.state is AssistantState.OFF


async def test_another_text_under_the_same_id_is_refused(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        await it.say("one")
        (await it.prompt()).answer()
        with pytest.raises(GroupXError) as error:
            await it.say("two")
        assert error.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT
        with pytest.raises(GroupXError) as error:
            await it.say("  ", "c2")
        assert error.value.code is ErrorCode.INVALID_ENVELOPE


async def test_nothing_is_sent_again_by_itself_after_a_restart_and_once_more_when_asked(
    jumping_clock, tmp_path
) -> None:
    """A prompt that may have been delivered, and the daemon that sent it gone."""
    async with assisted(tmp_path) as it:
        await it.say()
        await it.prompt()
        over = trio.Event()
        it.stop()

        async def next_run() -> None:
            later = Assisted(it.room)
            it.room.nursery.start_soon(later.actor.run, later.stopping)
            await trio.sleep(3_600)
            assert later.program.prompts == []
            assert (await later.aside()).state == "unanswered"
            await later.say()
            (prompt := await later.prompt()).answer("nobody")
            assert prompt.text.count("who works?") == 1
            await later.settled()
            assert (await later.say()).reply is not None
            assert len(later.program.prompts) == 1
            later.stop()
            await trio.sleep(60)
            over.set()

        it.room.nursery.start_soon(next_run)
        await over.wait()


async def test_messages_wait_for_one_another_up_to_a_bound(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        await it.say("0", "0")
        await it.prompt()
        for number in range(1, MAX_WAITING + 1):
            await it.say(str(number), str(number))
        stored = len(await it.messages())
        with pytest.raises(GroupXError) as error:
            await it.say("one too many", "x")
        assert error.value.code is ErrorCode.QUEUE_CAPACITY_REACHED
        assert len(await it.messages()) == stored
        assert (await it.aside("3")).state == "queued"
        await it.say("3", "3")
        it.program.prompts[0].answer()
        for _ in range(MAX_WAITING):
            (await it.prompt()).answer()
        await it.settled()
        assert [prompt.text for prompt in it.program.prompts[1:]] == [
            str(number) for number in range(1, MAX_WAITING + 1)
        ]


async def test_a_cancel_ends_the_reply_and_what_waits_and_only_once(
    jumping_clock, tmp_path
) -> None:
    async with assisted(tmp_path) as it:
        await it.say("one", "c1")
        prompt = await it.prompt()
        await it.say("two", "c2")
        await it.cancel()
        await it.settled()
        assert prompt.cancels == 1
        assert [(await it.aside(c)).state for c in ("c1", "c2")] == ["cancelled", "cancelled"]
        assert it.board.view.state is AssistantState.IDLE
        await it.say("three", "c3")
        later = await it.prompt()
        await it.cancel()
        await it.settled()
        assert later.cancels == 0
        later.answer("done")
        await it.settled()
        assert (await it.aside("c3")).state == "answered"
        assert len(it.program.sessions) == 1
        await it.cancel("with nothing to stop")


async def test_a_cancel_while_the_program_starts_sends_nothing(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        it.program.start_seconds = 5
        await it.say()
        await it.settled()
        assert it.board.view.state is AssistantState.STARTING
        await it.cancel()
        await trio.sleep(60)
        assert (await it.aside()).state == "cancelled"
        assert (it.program.prompts, it.program.sessions) == ([], [])
        await it.say("again", "c2")
        (prompt := await it.prompt()).answer()
        assert "You are the assistant" in prompt.text


async def test_a_program_that_ignores_the_cancel_is_ended(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        it.program.confirms_cancel = False
        await it.say()
        prompt = await it.prompt()
        prompt.emit(Started())
        await it.cancel()
        await trio.sleep(60)
        aside = await it.aside()
        assert aside.error is not None
        assert (aside.state, aside.error.code) == ("failed", "TURN_CANCEL_TIMEOUT")
        assert it.program.sessions[0].killed
        assert it.program.sessions[0].closed.is_set()


async def test_silence_is_bounded(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        await it.say()
        await it.prompt()
        await trio.sleep(Timeouts().first_event / 1000 + 60)
        aside = await it.aside()
        assert aside.error is not None
        assert aside.error.code == "TURN_FIRST_EVENT_TIMEOUT"


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (Failed(code=ErrorCode.NATIVE_QUOTA_EXCEEDED, message="no more"), "NATIVE_QUOTA_EXCEEDED"),
        (Interaction(kind="permission", reason="rm"), "UNEXPECTED_NATIVE_INTERACTION"),
    ],
)
async def test_a_failure_is_told_and_the_same_message_may_be_tried_again(
    jumping_clock, tmp_path, end, code
) -> None:
    async with assisted(tmp_path) as it:
        await it.say()
        (await it.prompt()).finish(end)
        await it.settled()
        aside = await it.aside()
        assert aside.error is not None
        assert (aside.state, aside.error.code) == ("failed", code)
        assert it.board.view.last_error == aside.error
        assert words(await it.messages()) == [("user", "who works?")]
        await it.say()
        (await it.prompt()).answer("nobody")
        await it.settled()
        assert (await it.aside()).state == "answered"
        assert it.board.view.last_error is None


async def test_a_program_that_does_not_start_says_so_and_is_tried_with_the_next_message(
    jumping_clock, tmp_path
) -> None:
    async with assisted(tmp_path) as it:
        it.program.start_errors = [
            AdapterStartError(ErrorCode.NATIVE_LOGIN_REQUIRED, "Log in first.")
        ]
        await it.say()
        await trio.sleep(1)
        assert it.board.view.state is AssistantState.FAILED
        aside = await it.aside()
        assert aside.error is not None
        assert aside.error.message == "Log in first."
        await it.say()
        (await it.prompt()).answer()
        await it.settled()
        assert (await it.aside()).state == "answered"


async def test_a_program_that_never_gets_ready_is_given_up(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        it.program.start_seconds = 10_000
        await it.say()
        await trio.sleep(600)
        aside = await it.aside()
        assert aside.error is not None
        assert aside.error.code == "PROTOCOL_HANDSHAKE_TIMEOUT"


async def test_a_stop_ends_the_reply_and_the_program(jumping_clock, tmp_path) -> None:
    async with assisted(tmp_path) as it:
        await it.say()
        prompt = await it.prompt()
        it.stop()
        await trio.sleep(60)
        assert prompt.cancels == 1
        assert it.program.sessions[0].closed.is_set()
        assert it.board.view.state is AssistantState.OFF
        with pytest.raises(ActorCrashed):
            await it.say("too late", "c2")
        with pytest.raises(GroupXError) as error:
            it.board.must_be_on()
        assert error.value.code is ErrorCode.SESSION_NOT_AVAILABLE


async def test_a_crash_loses_no_message_and_the_next_incarnation_answers(
    jumping_clock, tmp_path, monkeypatch
) -> None:
    async with assisted(tmp_path) as it:
        it.stop()
        await it.settled()
        broken = Assisted(it.room)

        def crashing(*_: object) -> None:
            raise ZeroDivisionError("our bug")

        monkeypatch.setattr("groupx.actors.assistant.reply_aside", crashing)
        crashed = trio.Event()

        async def run() -> None:
            with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
                await broken.actor.run(broken.stopping)
            crashed.set()

        it.room.nursery.start_soon(run)
        await broken.settled()
        await broken.say()
        (await broken.prompt()).answer()
        await crashed.wait()
        assert broken.board.view.state is AssistantState.OFF
        assert broken.program.sessions[0].closed.is_set()
        monkeypatch.setattr("groupx.actors.assistant.reply_aside", reply_aside)
        it.room.nursery.start_soon(broken.actor.run, broken.stopping)
        await broken.settled()
        assert (await broken.aside()).state == "unanswered"
        await broken.say()
        (await broken.prompt()).answer()
        await broken.settled()
        assert (await broken.aside()).state == "answered"
        broken.stop()
        await trio.sleep(60)


def test_the_board_remembers_a_bounded_number_of_ends() -> None:
    board = AssistantBoard(name="Ann", driver="demo", now_ms=lambda: 1)

    def aside(number: int) -> AsideView:
        return board.aside(
            SideMessage(message_id=str(number), role="user", content="x", created_at="now")
        )

    for number in range(70):
        board.put(str(number), AsideView(state="failed"))
    assert (aside(0).state, aside(69).state) == ("unanswered", "failed")


def test_whoever_looks_is_told_when_it_or_a_message_stands_otherwise() -> None:
    told: list[str] = []
    board = AssistantBoard(
        name="Ann", driver="demo", now_ms=lambda: 1, on_change=lambda: told.append("changed")
    )
    board.change(state=AssistantState.WORKING)
    board.put("m", AsideView(state="queued"))
    assert told == ["changed", "changed"]


def test_without_an_assistant_nobody_is_talked_to() -> None:
    board = AssistantBoard(name=None, driver=None, now_ms=lambda: 1)
    with pytest.raises(GroupXError) as error:
        board.must_be_on()
    assert error.value.code is ErrorCode.SESSION_NOT_AVAILABLE
    assert "Add `assistant` to the config" in error.value.message
