"""Whoever asks is answered, refused, or told that nobody is there any more."""

import pytest
import trio
import trio.testing

from groupx.actors.mailbox import ActorCrashed, Bell, Mailbox, Notice, Request


class ToEcho:
    pass


class Say(Request[ToEcho, str]):
    pass


class Tell(Notice[ToEcho]):
    pass


async def refused(mailbox: Mailbox[ToEcho], seen: list[str]) -> None:
    with pytest.raises(ActorCrashed):
        await mailbox.ask(Say())
    seen.append("refused")


async def test_an_ask_ends_when_its_actor_does(autojump_clock) -> None:
    """Read or not, and also while the mailbox is full."""
    mailbox, seen = Mailbox[ToEcho]("echo", 1), []
    letters = mailbox.open()
    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(refused, mailbox, seen)
        await trio.testing.wait_all_tasks_blocked()
        await letters.receive()
        await trio.testing.wait_all_tasks_blocked()
        assert seen == []
        mailbox.close()
    assert seen == ["refused"] * 3


async def test_what_is_done_for_who_waits_no_more_can_be_given_up(autojump_clock) -> None:
    """Before its letter is read and while it is worked on, but never while its asker waits."""
    mailbox, given_up = Mailbox[ToEcho]("echo", 4), []
    letters = mailbox.open()

    async def serve() -> None:
        async for letter in letters:
            with letter.work:
                await trio.sleep(10)
                letter.answer("here")
            given_up.append(letter.work.cancelled_caught)

    async with trio.open_nursery() as nursery:
        for seconds in (5, 9, 100):
            nursery.start_soon(_for, seconds, mailbox)
        await trio.sleep(0)
        nursery.start_soon(serve)
        await trio.sleep(60)
        nursery.cancel_scope.cancel()
    assert sorted(given_up) == [False, True, True]


async def _for(seconds: float, mailbox: Mailbox[ToEcho]) -> None:
    with trio.move_on_after(seconds):
        assert await mailbox.ask(Say()) == "here"


async def test_nobody_is_asked_between_two_incarnations(autojump_clock) -> None:
    mailbox, seen = Mailbox[ToEcho]("echo", 1), []
    mailbox.open()
    mailbox.close()
    await refused(mailbox, seen)
    with pytest.raises(ActorCrashed):
        await mailbox.tell(Tell())
    letters = mailbox.open()
    async with trio.open_nursery() as nursery:

        async def answer() -> None:
            (await letters.receive()).answer("here")

        nursery.start_soon(answer)
        assert await mailbox.ask(Say()) == "here"
    assert seen == ["refused"]


async def test_who_gives_up_asking_leaves_nothing_behind(autojump_clock) -> None:
    mailbox = Mailbox[ToEcho]("echo", 1)
    letters = mailbox.open()
    with trio.move_on_after(1):
        await mailbox.ask(Say())
    letter = await letters.receive()
    letter.answer("too late")
    mailbox.close()
    assert letter.settled


async def test_a_bell_is_heard_once_by_whoever_waits_now_or_next(autojump_clock) -> None:
    bell = Bell()
    bell.ring()
    bell.ring()
    await bell.wait()
    with trio.move_on_after(1) as scope:
        await bell.wait()
    assert scope.cancelled_caught
    bell.ring()
    bell.silence()
    assert not bell.rung
