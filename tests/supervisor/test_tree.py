import math
from itertools import pairwise

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import MockClock, wait_all_tasks_blocked

from groupx.supervisor.budget import RestartBudget
from groupx.supervisor.child import MAX_ERROR_CHARACTERS, describe
from groupx.supervisor.tree import (
    ChildFailed,
    ChildSpec,
    ChildState,
    ChildStatus,
    Supervisor,
    TreeClosing,
)


class Log(list[str]):
    def child(self, name: str, *, ready: bool = True, linger: float = 0.0):
        async def run(context):
            self.append(f"{name} starts")
            if ready:
                context.ready()
            try:
                await context.stopping.wait()
                await trio.sleep(linger)
                self.append(f"{name} stops")
            except trio.Cancelled:
                self.append(f"{name} cancelled")
                raise

        return run

    def crasher(self, name: str, *, ready: bool = True, times: float = math.inf, after: float = 0):
        left = [times]

        async def run(context):
            if left[0] <= 0:
                await self.child(name)(context)
                return
            left[0] -= 1
            self.append(f"{name} crashes")
            if ready:
                context.ready()
            await trio.sleep(after)
            raise ValueError(f"{name}\nbroke")

        return run


class Running:
    """A tree running beside the test; leaving stops it."""

    def __init__(self, tree: Supervisor) -> None:
        self.tree = tree
        self.ended = trio.Event()
        self.error: BaseException | None = None

    async def __aenter__(self):
        self._manager = trio.open_nursery()
        self.nursery = await self._manager.__aenter__()
        self.nursery.start_soon(self._run)
        await wait_all_tasks_blocked()
        return self

    async def __aexit__(self, *exc):
        self.tree.stop()
        return await self._manager.__aexit__(*exc)

    async def _run(self):
        try:
            await self.tree.run()
        except ChildFailed as error:
            self.error = error
        self.ended.set()


@pytest.fixture
def log():
    return Log()


def states(tree, *names):
    return [tree.status(name).state for name in names]


def tree_of(*specs: ChildSpec, **more) -> Supervisor:
    return Supervisor(specs, random=lambda: 1.0, **more)


async def test_the_next_child_starts_when_the_one_before_is_ready(log, autojump_clock):
    async def slow(context):
        log.append("slow begins")
        await trio.sleep(3)
        log.append("slow is ready")
        context.ready()
        await context.stopping.wait()

    tree = tree_of(
        ChildSpec(name="slow", run=slow),
        ChildSpec(name="b", run=log.child("b")),
        ChildSpec(name="c", run=log.child("c")),
    )
    async with Running(tree):
        await trio.sleep(3)
        await wait_all_tasks_blocked()
        assert log == ["slow begins", "slow is ready", "b starts", "c starts"]
        assert states(tree, "slow", "b", "c") == [ChildState.RUNNING] * 3
        log.clear()
    assert log == ["c stops", "b stops"]
    assert states(tree, "slow", "b", "c") == [ChildState.STOPPED] * 3


async def test_the_order_holds_under_an_outer_cancel(log, autojump_clock):
    tree = tree_of(*(ChildSpec(name=n, run=log.child(n, linger=1)) for n in "abc"))
    with trio.CancelScope() as outer:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(tree.run)
            await wait_all_tasks_blocked()
            log.clear()
            outer.cancel()
    assert outer.cancelled_caught
    assert log == ["c stops", "b stops", "a stops"]


async def test_a_grace_is_bounded_and_then_comes_the_cancel(log, autojump_clock):
    tree = tree_of(
        ChildSpec(name="a", run=log.child("a")),
        ChildSpec(name="b", run=log.child("b", linger=100), stop_grace=7),
    )
    async with Running(tree):
        began = trio.current_time()
    assert trio.current_time() - began == 7
    assert log[-2:] == ["b cancelled", "a stops"]


async def test_hurry_shortens_the_waits_under_way(log, autojump_clock):
    tree = tree_of(*(ChildSpec(name=n, run=log.child(n, linger=100), stop_grace=50) for n in "ab"))
    async with Running(tree) as running:
        began = trio.current_time()
        tree.stop()
        await trio.sleep(1)
        tree.hurry()
        await running.ended.wait()
        assert trio.current_time() - began == 2  # 1 s, then 0.5 s for each
    assert log[-2:] == ["b cancelled", "a cancelled"]


async def test_a_child_that_ignores_its_cancel_is_reported(log, autojump_clock):
    let_go = trio.Event()
    stuck: list[tuple[str, float]] = []

    async def deaf(context):
        context.ready()
        with trio.CancelScope(shield=True):
            await let_go.wait()

    tree = tree_of(
        ChildSpec(name="a", run=log.child("a")),
        ChildSpec(name="deaf", run=deaf, stop_grace=2),
        on_stuck=lambda name: stuck.append((name, trio.current_time())),
    )
    async with Running(tree) as running:
        began = trio.current_time()
        tree.stop()
        await trio.sleep(20)
        assert stuck == [("deaf", began + 7)]
        assert log[-1] == "a stops"
        assert not running.ended.is_set()
        let_go.set()


async def test_a_crash_touches_nobody_else_and_backs_off(log, autojump_clock):
    seen: list[tuple[float, tuple[str, ChildState]]] = []
    tree = tree_of(
        ChildSpec(name="bad", run=log.crasher("bad", times=3)),
        ChildSpec(name="good", run=log.child("good")),
        on_change=lambda status: seen.append((trio.current_time(), (status.name, status.state))),
    )
    async with Running(tree):
        await trio.sleep(10)
        assert log.count("good starts") == 1
        assert "good stops" not in log
        assert tree.status("bad") == ChildStatus(
            name="bad", state=ChildState.RUNNING, restarts=3, error="ValueError: bad broke"
        )
    starts = [moment for moment, status in seen if status == ("bad", ChildState.STARTING)]
    assert [round(b - a, 6) for a, b in pairwise(starts)] == [0.5, 1.0, 2.0]


async def test_a_spent_budget_leaves_it_failed_until_started_by_hand(log, autojump_clock):
    given_up = []

    async def on_given_up(name, error):
        await trio.sleep(1)
        given_up.append((name, str(error), tree.status(name).state))

    tree = tree_of(
        ChildSpec(name="bad", run=log.crasher("bad", times=6), on_given_up=on_given_up),
        ChildSpec(name="good", run=log.child("good")),
    )
    async with Running(tree):
        await trio.sleep(59)
        assert log.count("bad crashes") == 6
        assert given_up == [("bad", "bad\nbroke", ChildState.FAILED)]
        assert tree.status("bad").state == ChildState.FAILED
        assert tree.status("good").state == ChildState.RUNNING
        await tree.start_child("bad")
        await wait_all_tasks_blocked()
        assert tree.status("bad").state == ChildState.RUNNING
        assert tree.status("bad").restarts == 0


async def test_crashes_far_apart_never_spend_the_budget(log, autojump_clock):
    tree = tree_of(ChildSpec(name="bad", run=log.crasher("bad", after=61)))
    async with Running(tree):
        await trio.sleep(3600)
        assert log.count("bad crashes") > 50
        assert tree.status("bad").state == ChildState.RUNNING


async def test_one_that_never_gets_ready_is_given_up_and_the_start_goes_on(log, autojump_clock):
    async def never(context):
        log.append("never")
        await trio.sleep_forever()

    tree = tree_of(
        ChildSpec(name="never", run=never), ChildSpec(name="next", run=log.child("next"))
    )
    async with Running(tree):
        await trio.sleep(30 * 6 + 32)
        assert log == ["never"] * 6 + ["next starts"]
        status = tree.status("never")
        assert (status.state, status.error) == (
            ChildState.FAILED,
            "StartTimeout: not ready within 30 s",
        )


@pytest.mark.parametrize(
    ("more", "crashes"), [({"fatal": True}, 1), ({"when_spent": "escalate"}, 6)]
)
async def test_what_is_vital_stops_the_tree_in_order(log, more, crashes, autojump_clock):
    tree = tree_of(
        ChildSpec(name="a", run=log.child("a")),
        ChildSpec(name="bad", run=log.crasher("bad"), **more),
        ChildSpec(name="c", run=log.child("c")),
    )
    async with Running(tree) as running:
        await running.ended.wait()
    assert isinstance(running.error, ChildFailed)
    assert running.error.name == "bad"
    assert isinstance(running.error.__cause__, ValueError)
    assert log.count("bad crashes") == crashes
    assert log[-1] == "a stops"
    with pytest.raises(TreeClosing):
        await tree.start_child("bad")


async def test_fatal_during_the_start_starts_nobody_after_it(log, autojump_clock):
    tree = tree_of(
        ChildSpec(name="a", run=log.child("a")),
        ChildSpec(name="bad", run=log.crasher("bad", ready=False), fatal=True),
        ChildSpec(name="c", run=log.child("c")),
    )
    async with Running(tree) as running:
        await running.ended.wait()
    assert log == ["a starts", "bad crashes", "a stops"]


@pytest.mark.parametrize(
    ("restart", "state", "runs"),
    [
        ("permanent", ChildState.FAILED, 6),
        ("transient", ChildState.STOPPED, 1),
        ("temporary", ChildState.STOPPED, 1),
    ],
)
async def test_an_ordinary_end_by_rule(restart, state, runs, autojump_clock):
    count = 0

    async def run(context):
        nonlocal count
        count += 1
        context.ready()

    tree = tree_of(ChildSpec(name="x", run=run, restart=restart))
    async with Running(tree):
        await trio.sleep(50)
        assert (tree.status("x").state, count) == (state, runs)


async def test_a_temporary_child_that_crashes_stays_failed(log, autojump_clock):
    tree = tree_of(ChildSpec(name="x", run=log.crasher("x"), restart="temporary"))
    async with Running(tree):
        await trio.sleep(50)
        assert log == ["x crashes"]
        assert tree.status("x").state == ChildState.FAILED


async def test_children_by_hand(log, autojump_clock):
    tree = tree_of(ChildSpec(name="a", run=log.child("a")))
    async with Running(tree):
        tree.add(ChildSpec(name="b", run=log.child("b")))
        assert tree.status("b").state == ChildState.STOPPED
        with pytest.raises(ValueError, match="already"):
            tree.add(ChildSpec(name="b", run=log.child("b")))
        await tree.start_child("b")
        await tree.start_child("b")
        await wait_all_tasks_blocked()
        await tree.stop_child("a")
        await tree.stop_child("a")
        assert states(tree, "a", "b") == [ChildState.STOPPED, ChildState.RUNNING]
        assert log == ["a starts", "b starts", "a stops"]

        async def restart():
            await tree.stop_child("a")
            await tree.start_child("a")

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(restart)
        await wait_all_tasks_blocked()
        assert log.count("a starts") == log.count("a stops") + 1
        assert tree.status("a").state == ChildState.RUNNING


async def test_stop_by_hand_ends_a_backoff_and_a_start(log, autojump_clock):
    async def never(context):
        await trio.sleep_forever()

    tree = tree_of(
        ChildSpec(name="bad", run=log.crasher("bad"), first_backoff=30),
        ChildSpec(name="never", run=never, start_timeout=1000, stop_grace=1),
    )
    async with Running(tree):
        assert tree.status("bad").state == ChildState.WAITING
        began = trio.current_time()
        await tree.stop_child("bad")
        assert trio.current_time() == began
        assert tree.status("bad").state == ChildState.STOPPED
        await tree.stop_child("never")
        assert trio.current_time() == began + 1
        assert tree.status("never").state == ChildState.STOPPED


async def test_a_tree_in_a_tree_obeys_and_hurries(log, autojump_clock):
    inner = tree_of(
        *(ChildSpec(name=n, run=log.child(n, linger=100), stop_grace=50) for n in "xy"),
        stop_together=True,
    )
    outer = tree_of(
        ChildSpec(name="a", run=log.child("a")),
        ChildSpec(name="inner", run=inner.run, stop_grace=60),
    )
    async with Running(outer) as running:
        assert outer.status("inner").state == ChildState.RUNNING
        outer.stop()
        await trio.sleep(5)
        began = trio.current_time()
        outer.hurry()
        await running.ended.wait()
        assert trio.current_time() - began <= 1
    assert sorted(log[-3:-1]) == ["x cancelled", "y cancelled"]
    assert log[-1] == "a stops"


async def test_together_means_one_grace_for_all(log, autojump_clock):
    tree = tree_of(
        *(ChildSpec(name=n, run=log.child(n, linger=4)) for n in "abcde"), stop_together=True
    )
    async with Running(tree):
        began = trio.current_time()
    assert trio.current_time() - began == 4


async def test_every_change_is_seen(log, autojump_clock):
    seen: list[str] = []
    tree = tree_of(
        ChildSpec(name="x", run=log.crasher("x", times=1)),
        on_change=lambda status: seen.append(status.state),
    )
    async with Running(tree):
        await trio.sleep(5)
    assert seen == [
        "starting", "running", "waiting", "starting", "running", "stopping", "stopped",
    ]  # fmt: skip


async def test_groups_are_taken_as_they_come(log, autojump_clock):
    async def several(context):
        context.ready()
        async with trio.open_nursery() as nursery:
            for name in ("one", "two"):
                nursery.start_soon(log.crasher(name), context)

    tree = tree_of(ChildSpec(name="x", run=several), ChildSpec(name="y", run=log.child("y")))
    async with Running(tree):
        await trio.sleep(1)
        assert tree.status("y").state == ChildState.RUNNING
        assert tree.status("x").error in ("ValueError: one broke", "ValueError: two broke")


def test_an_error_is_one_bounded_line():
    assert describe(ValueError("a\n b")) == "ValueError: a b"
    assert describe(KeyError()) == "KeyError"
    assert describe(ExceptionGroup("g", [ExceptionGroup("h", [OSError("x")])])) == "OSError: x"
    assert len(describe(ValueError("x" * 10_000))) == MAX_ERROR_CHARACTERS


@settings(deadline=None)  # other tests share the machine
@given(st.lists(st.tuples(st.floats(0, 200), st.booleans()), max_size=40), st.floats(0, 1))
def test_a_budget_never_allows_more_than_five_in_a_minute(crashes, luck):
    budget = RestartBudget(
        ChildSpec(name="x", run=lambda _: trio.lowlevel.checkpoint()), lambda: luck
    )
    now = 0.0
    allowed: list[float] = []
    for lived, was_ready in crashes:
        now += lived
        backoff = budget.spend(now, was_ready=was_ready, lived=lived)
        if backoff is None:
            break
        assert 0.25 <= backoff <= 30
        allowed.append(now)
        assert len([moment for moment in allowed if now - moment <= 60]) <= 5
        now += backoff


def test_two_trees_do_not_share_a_clock():
    async def main():
        log = Log()
        async with Running(tree_of(ChildSpec(name="a", run=log.child("a")))):
            pass
        return log

    assert trio.run(main, clock=MockClock(autojump_threshold=0)) == ["a starts", "a stops"]
