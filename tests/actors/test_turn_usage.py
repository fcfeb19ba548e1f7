"""What a turn took of its agent's context: counted when it is sent, told by its program."""

from groupx.adapters.contract import Completed, ContentDelta, Failed, Started
from groupx.domain.context_usage import Usage
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import ActorId
from groupx.domain.limits import Limits
from groupx.domain.views import ContextView
from groupx.store.queries.context_usage import usage_by_source
from groupx.store.queries.turn_detail import turn_detail
from tests.actors.fakes import open_room

A = ActorId("agent:a")


async def test_characters_are_known_when_it_is_sent_and_tokens_when_it_ends(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        await room.until(lambda: room.directory.view(A).context is not None)
        assert room.directory.view(A).context == ContextView(
            characters=len(prompt.text), max=Limits().context_characters
        )
        prompt.emit(Started(), Usage(context_used=5, context_size=100), ContentDelta("a"))
        prompt.finish(Completed(usage=Usage(total_tokens=9, context_used=7, context_size=100)))
        await room.ended(turn)
        [known] = usage_by_source(room.conn, None)
        assert (known.characters, known.tokens, known.tracker) == (len(prompt.text), 7, "native")
        assert turn_detail(room.conn, turn).usage == Usage(
            total_tokens=9, context_used=7, context_size=100
        )


async def test_a_turn_that_fails_keeps_what_was_reported_on_the_way(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        prompt = await room.programs[A].next_prompt()
        prompt.emit(Started(), Usage(context_used=5))
        prompt.finish(Failed(code=ErrorCode.NATIVE_TURN_FAILED, message="no"))
        await room.ended(turn)
        assert turn_detail(room.conn, turn).usage == Usage(context_used=5)


async def test_a_program_that_reports_nothing_leaves_it_unknown(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A)
        (await room.programs[A].next_prompt()).answer()
        await room.ended(turn)
        [known] = usage_by_source(room.conn, None)
        assert (known.tokens, known.tracker) == (None, "packet")
        assert turn_detail(room.conn, turn).usage is None
