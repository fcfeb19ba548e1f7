"""A new driver is one row, or one folder: nothing else of the product knows it."""

import pytest

from conformance.acp_judge import judge
from conformance.cases import CASES, OF_A_ROW
from conformance.suite import check_all
from groupx.adapters.acp.drivers import DRIVERS, USER_ARGUMENTS, AcpDriver
from groupx.adapters.acp.quirks import Quirks
from groupx.adapters.registry import ADAPTERS, adapters_of

ROW = AcpDriver(
    name="newcomer",
    program=("newcomer",),
    arguments=("serve", USER_ARGUMENTS),
    quirks=Quirks(mode="open"),
    install="Install it.",
)


@pytest.mark.slow
async def test_a_row_is_a_driver_that_passes_the_suite(spawner, tmp_path):
    adapters = adapters_of((*DRIVERS, ROW))
    assert set(adapters) == {*ADAPTERS, ROW.name}
    cases = [CASES[name] for name in OF_A_ROW]
    outcomes = await check_all(adapters[ROW.name], cases, spawner, tmp_path, judge=judge)
    assert set(outcomes) == set(OF_A_ROW)
    assert {name: outcome.problems for name, outcome in outcomes.items() if outcome.problems} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quirks", "fails"),
    [
        (Quirks(agent_name="another"), ("open", "cancel_mid_stream", "resume_known")),
        (Quirks(cancel_may_brick=True), ("cancel_too_late",)),
        (Quirks(resumed_says="proof"), ("resume_known",)),
    ],
)
async def test_a_row_that_is_wrong_does_not_pass(spawner, tmp_path, quirks, fails):
    row = AcpDriver(name="newcomer", quirks=quirks, install="Install it.")
    names = ("open", "cancel_mid_stream", "cancel_too_late", "resume_known")
    cases = [CASES[name] for name in names]
    outcomes = await check_all(adapters_of([row])["newcomer"], cases, spawner, tmp_path)
    failed = {name for name, outcome in outcomes.items() if outcome.problems}
    assert failed >= set(fails)
    assert ("open" in failed) == ("open" in fails)  # what is wrong there is wrong everywhere
