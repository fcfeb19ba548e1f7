"""Which programs are there, without starting one."""

import shutil

import pytest
import trio

from groupx.adapters.acp.drivers import DRIVERS
from groupx.adapters.claude.starting import INSTALL as CLAUDE
from groupx.adapters.codex.programs import INSTALL as CODEX
from groupx.adapters.contract import ProbeReport
from groupx.adapters.registry import ADAPTERS
from groupx.setup import programs
from groupx.setup.offers import OFFERS
from groupx.setup.programs import AT_ONCE, KEPT_SECONDS, PROBE_SECONDS, Programs


class Probed:
    """A driver whose probe takes its time."""

    def __init__(self, driver, seconds=1.0, report=None):
        self.driver = driver
        self.seconds = seconds
        self.report = report or ProbeReport(found=True, path="/bin/x", version="x 1.2")
        self.now = self.most = self.count = 0

    async def probe(self, profile, spawner):
        self.count += 1
        await trio.sleep(self.seconds)
        return self.report


@pytest.fixture(autouse=True)
def _everything_is_on_the_path(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "kimi" else f"/bin/{name}")


async def test_they_are_looked_for_together_and_not_again_for_a_while(autojump_clock):
    names = ["codex", "claude", "kimi", "grok", "hermes", "demo", "acp"]
    adapters = {name: Probed(name) for name in names}
    there = Programs(adapters, None)
    begun = trio.current_time()
    found = {program.driver: program for program in await there.found()}
    assert trio.current_time() - begun == 1.0
    assert list(found) == ["codex", "claude", "kimi", "grok", "hermes", "demo"]
    assert (found["codex"].version, found["codex"].install) == ("x 1.2", None)
    assert not found["kimi"].found
    assert found["kimi"].install == "npm install -g @moonshot-ai/kimi-code"
    assert found["demo"].found
    assert [adapters[name].count for name in names] == [1, 1, 0, 1, 1, 0, 0]
    await there.found()
    assert adapters["codex"].count == 1
    await trio.sleep(KEPT_SECONDS)
    await there.found()
    assert adapters["codex"].count == 2


async def test_one_that_hangs_is_found_all_the_same_and_holds_nobody_up(autojump_clock):
    names = [f"driver{number}" for number in range(2 * AT_ONCE)]
    there = Programs({name: Probed(name, seconds=3600) for name in names}, None)
    begun = trio.current_time()
    found = await there.found()
    assert trio.current_time() - begun == 2 * PROBE_SECONDS
    assert [(it.path, it.version) for it in found] == [(f"/bin/{name}", None) for name in names]


async def test_a_script_for_node_needs_one_that_is_new_enough(autojump_clock, monkeypatch):
    async def old(driver, path, environment, spawner):
        return "It needs a newer Node." if driver == "kimi" else None

    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(programs, "node_problem", old)
    found = await Programs({"kimi": Probed("kimi"), "grok": Probed("grok")}, None).found()
    assert [it.problem for it in found] == ["It needs a newer Node.", None]


async def test_a_problem_is_told_and_what_is_no_version_is_not(autojump_clock):
    report = ProbeReport(found=True, path="/bin/x", version="Usage:", problem="Too old.")
    [found] = await Programs({"codex": Probed("codex", report=report)}, None).found()
    assert (found.version, found.problem) == (None, "Too old.")


def test_every_driver_has_an_offer_that_its_own_advice_knows():
    assert set(OFFERS) == set(ADAPTERS)
    advice = {"codex": CODEX, "claude": CLAUDE, **{row.name: row.install for row in DRIVERS}}
    for offer in OFFERS.values():
        if offer.install is not None:
            assert offer.install in advice[offer.driver]
