"""Every case over every driver. The cases of one driver run at once; each is a test of its own.

GROUPX_CONFORMANCE=short leaves out, of the rows that share all code with `acp`, the cases in which
a row can make no difference.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
import trio

from conformance.acp_judge import judge
from conformance.cases import CASES, FAMILIES, OF_A_ROW
from conformance.dialects.acp import AcpDialect
from conformance.differences import NOT_EXPRESSIBLE, UNLIKE
from conformance.peers import Peer, peer_of
from conformance.suite import Outcome, check_all
from groupx.adapters.acp.drivers import ACP, DRIVERS
from groupx.adapters.registry import ADAPTERS
from groupx.process.spawner import Spawner

SDK = "acp-sdk"
"""The driver `acp`, and an agent on the official SDK's agent side."""
ROWS = {row.name for row in DRIVERS} - {ACP.name}
"""Drivers that share all code with `acp`."""
SHORT = os.environ.get("GROUPX_CONFORMANCE") == "short"
RUNS = [
    (name, case)
    for name in (*ADAPTERS, SDK)
    for case in CASES
    if not SHORT or name not in ROWS or case in OF_A_ROW
]


@pytest.fixture(scope="module")
def found() -> dict[str, Mapping[str, Outcome]]:
    """Driver → what came of its selected cases."""
    return {}


def selected(session: pytest.Session, driver: str) -> list[str]:
    """The cases of a driver that this run of the tests is to tell of."""
    tests = [item for item in session.items if getattr(item, "originalname", "") == "test_case"]
    params = [item.callspec.params for item in tests if isinstance(item, pytest.Function)]
    return [param["name"] for param in params if param["driver"] == driver]


async def _run(peer: Peer, names: list[str], folder: Path) -> Mapping[str, Outcome]:
    referee = judge if issubclass(peer.dialect, AcpDialect) else None
    spawner = Spawner()
    await spawner.start()
    cases = [CASES[name] for name in names]
    outcomes = await check_all(peer, cases, spawner, folder, judge=referee)
    await spawner.aclose()
    return outcomes


@pytest.mark.slow
@pytest.mark.parametrize(("driver", "name"), RUNS)
def test_case(
    driver: str,
    name: str,
    found: dict[str, Mapping[str, Outcome]],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if driver not in found:
        names, folder = selected(request.session, driver), tmp_path_factory.mktemp(driver)
        if driver == SDK:
            dialect = request.getfixturevalue("sdk_dialect")
            peer = Peer(adapter=ADAPTERS["acp"], dialect=dialect, name=SDK)
        else:
            peer = peer_of(ADAPTERS[driver])
        found[driver] = trio.run(_run, peer, names, folder)
    outcome = found[driver][name]
    if outcome.skipped is not None:
        pytest.skip(outcome.skipped)
    assert outcome.problems == ()


def test_what_is_said_to_be_different_is_of_a_peer_and_a_case() -> None:
    names = {*ADAPTERS, SDK, *(peer_of(adapter).dialect.protocol for adapter in ADAPTERS.values())}
    for name, case in (*NOT_EXPRESSIBLE, *UNLIKE):
        assert name in names
        assert case in CASES


def test_no_two_cases_have_one_name() -> None:
    assert len(CASES) == sum(len(family.CASES) for family in FAMILIES)
