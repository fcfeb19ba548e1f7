"""Whether a program can be used, as the setup asks: the same as a checkup, each once at a time."""

import attrs
import pytest
import trio

from groupx.adapters.contract import AdapterStartError, Login
from groupx.capabilities import checkup
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.process.spawner import Spawner
from groupx.setup.checks import AT_ONCE, KEPT_SECONDS, Checks
from tests.capabilities.conftest import Paper


@pytest.fixture
def looked(monkeypatch):
    """The drivers that were looked at, each for a second."""
    seen = []

    async def look(patient, spawner, redactor):
        seen.append(patient.profile.command)
        await trio.sleep(1)
        return checkup.Checkup(driver=patient.adapter.driver, found=True)

    monkeypatch.setattr(checkup, "check_up", look)
    return seen


async def test_it_is_started_and_greeted_and_told_nothing(monkeypatch):
    monkeypatch.setattr(checkup, "MCP_SECONDS", 0.0)
    paper = Paper(driver="codex", silent=True)
    found = await Checks({"codex": paper}, Spawner()).check("codex")
    assert (found.driver, found.starts, found.login) == ("codex", True, Login())
    assert paper.profiles[0].command == ("codex",)


async def test_that_it_is_not_logged_in_is_told_with_what_that_rests_on(monkeypatch):
    monkeypatch.setenv("A_TOKEN", "swordfish")
    error = AdapterStartError(ErrorCode.NATIVE_LOGIN_REQUIRED, "Not with swordfish.")
    paper = Paper(driver="codex", start_error=error)
    found = await Checks({"codex": paper}, Spawner()).check("codex")
    assert found.login == Login("no", "it says so itself")
    assert found.problems == ("Not with <secret>.",)


async def test_who_asks_together_gets_one_answer_which_is_good_for_a_while(autojump_clock, looked):
    checks = Checks({"codex": Paper(driver="codex")}, Spawner())
    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(checks.check, "codex")
    assert len(looked) == 1
    await trio.sleep(KEPT_SECONDS)
    await checks.check("codex")
    assert len(looked) == 2


async def test_one_who_gives_up_leaves_the_others_their_answer(autojump_clock, looked):
    checks = Checks({"codex": Paper(driver="codex")}, Spawner())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(checks.check, "codex")
        with trio.move_on_after(0.5):
            await checks.check("codex")
    assert (await checks.check("codex")).found


async def test_few_are_started_at_once(autojump_clock, looked):
    drivers = ("codex", "claude", "kimi", "grok", "hermes")
    checks = Checks({name: attrs.evolve(Paper(), driver=name) for name in drivers}, Spawner())
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        for driver in drivers:
            nursery.start_soon(checks.check, driver)
    assert trio.current_time() - begun == -(-len(drivers) // AT_ONCE)


@pytest.mark.parametrize("driver", ["demo", "acp", "nobody", "/bin/sh"])
async def test_what_names_no_program_of_its_own_is_not_started(driver, looked):
    with pytest.raises(GroupXError) as caught:
        await Checks({"demo": Paper(), "acp": Paper()}, Spawner()).check(driver)
    assert caught.value.code is ErrorCode.NOT_FOUND
    assert looked == []
