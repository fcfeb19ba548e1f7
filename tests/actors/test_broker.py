"""Commands: taken once, keyed by what they ask, refused while GroupX stops."""

import pytest
import trio

from groupx.actors.mailbox import ActorCrashed
from groupx.actors.messages import (
    CancelTurn,
    ControlAgent,
    ReplaceMessage,
    RunAgain,
    SendMessage,
    SetLane,
    WithdrawMessage,
)
from groupx.domain.canonical import command_hash
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import OPERATOR_BINDING, USER_ASSISTANT, ActorId
from tests.actors.fakes import answers, open_room

A, B = ActorId("agent:a"), ActorId("agent:b")


def stored_hashes(room) -> dict[str, str]:
    return dict(room.rows("SELECT command_type, canonical_hash FROM client_commands"))


async def test_what_is_hashed_is_the_parsed_request_in_wire_names(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", "b", started=False) as room:
        ask = room.broker.ref.ask
        sent = await ask(SendMessage(client_command_id="1", to=("@all",), content="hi"))
        event, turn = sent.message_event_id, sent.turns[0].turn_id
        await ask(ReplaceMessage(client_command_id="2", message_event_id=event, content="ho"))
        await ask(CancelTurn(client_command_id="3", turn_id=turn))
        await ask(SetLane(client_command_id="4", lane=A, state="paused", reason="lunch"))
        assert stored_hashes(room) == {
            "message.send": command_hash("message.send", {"to": ["@all"], "content": "hi"}),
            "message.replace": command_hash(
                "message.replace", {"messageEventId": event, "content": "ho"}
            ),
            "turn.cancel": command_hash("turn.cancel", {"turnId": turn, "force": False}),
            "lane.pause": command_hash(
                "lane.pause", {"lane": A, "state": "paused", "reason": "lunch"}
            ),
        }


@pytest.mark.parametrize("content", ["", " ", "\n\t \r\n", "\u00a0\u2003\u3000", "\u200b"])
async def test_nothing_to_say_is_refused(jumping_clock, tmp_path, content: str) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        ask = room.broker.ref.ask
        sent = await ask(SendMessage(client_command_id="1", to=(A,), content=" hi\n"))
        blank = SendMessage(client_command_id="2", to=(A,), content=content)
        instead = ReplaceMessage(
            client_command_id="3", message_event_id=sent.message_event_id, content=content
        )
        for request in (blank, instead):
            with pytest.raises(GroupXError, match="blank") as refused:
                await ask(request)
            assert refused.value.code is ErrorCode.INVALID_ENVELOPE
        (message,) = room.events("message.created")
        assert message["content"] == " hi\n"


async def test_the_same_command_twice_happens_once(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        message = SendMessage(client_command_id="x", to=(A,), content="hi")
        first, second = [await room.broker.ref.ask(message) for _ in range(2)]
        assert first == second
        assert len(room.events("message.created")) == 1
        with pytest.raises(GroupXError) as refused:
            await room.broker.ref.ask(SendMessage(client_command_id="x", to=(A,), content="other"))
        assert refused.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT


async def test_a_pause_that_comes_again_does_not_undo_what_was_done_since(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        pause = SetLane(client_command_id="p", lane=A, state="paused")
        assert (await room.broker.ref.ask(pause)).paused
        assert room.directory.view(A).paused
        await room.set_lane(A, "runnable")
        again = await room.broker.ref.ask(pause)
        assert not again.paused
        assert again == room.directory.view(A)
        assert room.rows("SELECT state FROM lane_states") == [("runnable",)]


async def test_commands_of_people_and_of_the_operator_are_told_apart(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        await room.send(A)
        await room.broker.ref.ask(
            SendMessage(
                client_command_id="o",
                binding_id=OPERATOR_BINDING,
                actor_id=USER_ASSISTANT,
                to=(A,),
                content="from the operator",
            )
        )
        sources = room.rows(
            "SELECT actor_id, json_extract(provenance_json, '$.sourceKind') FROM events"
            " WHERE event_type = 'message.created' ORDER BY seq"
        )
        assert sources == [("user:web", "web"), ("user:assistant", "operator")]
        triggers = room.rows("SELECT trigger_kind FROM turns ORDER BY enqueue_seq")
        assert triggers == [("user",), ("control",)]


async def test_retry_and_continue_are_new_turns_with_the_right_packets(
    jumping_clock, tmp_path
) -> None:
    async with open_room(tmp_path, "a") as room:
        [turn] = await room.send(A, content="do the thing")
        await room.cancel(turn)
        await room.ended(turn)
        room.programs[A].script = answers
        for kind in ("retry", "continue"):
            again = RunAgain(client_command_id=kind, kind=kind, turn_id=turn)
            accepted = await room.broker.ref.ask(again)
            await room.ended(accepted.turns[0].turn_id)
        retry, go_on = (prompt.text for prompt in room.programs[A].prompts)
        assert 'note="sent again by the user"' in retry
        assert retry.count("do the thing") == 1
        assert "[reply_chain" in go_on
        assert "do the thing" in go_on


async def test_a_withdrawn_message_is_never_sent(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a") as room:
        await room.set_lane(A, "paused")
        message = SendMessage(client_command_id="m", to=(A,), content="oops")
        sent = await room.broker.ref.ask(message)
        answer = await room.broker.ref.ask(
            WithdrawMessage(client_command_id="w", message_event_id=sent.message_event_id)
        )
        assert [turn.status for turn in answer.turns] == ["cancelled"]
        room.programs[A].script = answers
        await room.set_lane(A, "runnable")
        await room.ended(*await room.send(A, content="better"))
        assert [("oops" in p.text) for p in room.programs[A].prompts] == [False]


async def test_everything_is_refused_while_groupx_stops(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        room.broker.drain()
        with pytest.raises(GroupXError) as refused:
            await room.send(A)
        assert refused.value.code is ErrorCode.RUNTIME_CLOSING
        assert room.events() == []


async def test_refusals_reach_the_caller_and_nobody_else(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        for bad, code in (
            (SendMessage(client_command_id="1", to=("agent:x",), content="hi"), "UNKNOWN_TARGET"),
            (SendMessage(client_command_id="2", to=(A,), content="\ud800"), "INVALID_ENVELOPE"),
            (CancelTurn(client_command_id="3", turn_id="turn_x"), "NOT_FOUND"),
            (
                SetLane(client_command_id="4", lane=ActorId("agent:x"), state="paused"),
                "UNKNOWN_TARGET",
            ),
        ):
            with pytest.raises(GroupXError) as refused:
                await room.broker.ref.ask(bad)
            assert refused.value.code == code
        assert len(await room.send(A)) == 1


async def test_many_commands_are_in_flight_at_once(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        accepted = []

        async def post() -> None:
            accepted.extend(await room.send(A))

        async with trio.open_nursery() as nursery:
            for _ in range(60):
                nursery.start_soon(post)
        assert len(set(accepted)) == 60


async def test_an_agents_supervisor_that_does_not_run_says_so(jumping_clock, tmp_path) -> None:
    async with open_room(tmp_path, "a", started=False) as room:
        room.supervisor.ref.close()
        with pytest.raises(ActorCrashed):
            await room.supervisor.ref.ask(ControlAgent(actor_id=A, action="stop"))
