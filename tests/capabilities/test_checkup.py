"""What a checkup finds, without a turn of a model."""

import sys

import attrs
import pytest
import trio

from groupx.adapters.contract import AdapterStartError, Login, ProbeReport, SessionProfile
from groupx.adapters.registry import adapter_for
from groupx.capabilities import checkup as checkups
from groupx.capabilities.checkup import Patient, check_all, check_up
from groupx.capabilities.redaction import Redactor
from groupx.domain.errors import ErrorCode
from groupx.domain.limits import Timeouts
from groupx.process.spawner import Spawner
from tests.capabilities.conftest import Paper


@pytest.fixture(autouse=True)
def no_wait_for_mcp(monkeypatch):
    """The program on paper connects to nothing."""
    monkeypatch.setattr(checkups, "MCP_SECONDS", 0.0)


def patient(paper, **fields):
    profile = SessionProfile(agent_id="a", command=("paper",), cwd="/", run_dir="/")
    return Patient(adapter=paper, profile=attrs.evolve(profile, **fields), agents=("ada",))


async def of(paper, secrets=(), **fields):
    return await check_up(patient(paper, **fields), Spawner(), Redactor(secrets))


async def test_a_program_in_order(tmp_path):
    found = await of(Paper())
    assert (found.found, found.starts, found.usable, found.problems) == (True, True, True, ())
    assert (found.version, found.path, found.agents) == ("1.2.3", "/bin/paper", ("ada",))
    assert found.login.known == "unknown"


async def test_nothing_is_prompted():
    paper = Paper(silent=True)
    assert (await of(paper)).usable


@attrs.define
class Probed(Paper):
    report: ProbeReport = attrs.field(factory=lambda: ProbeReport(found=True))

    async def probe(self, profile, spawner):
        return self.report


async def test_what_is_missing_is_not_started():
    paper = Probed(report=ProbeReport(found=False, problem="paper was not found. Buy it."))
    found = await of(paper)
    assert (found.found, found.usable, found.problems) == (
        False,
        False,
        ("paper was not found. Buy it.",),
    )
    assert paper.starts == 0


async def test_what_is_too_old_is_told_beside_what_it_still_can():
    paper = Probed(report=ProbeReport(found=True, problem="It does not know --x: update it."))
    found = await of(paper)
    assert found.problems == ("It does not know --x: update it.",)
    assert found.usable


async def test_words_are_no_version():
    paper = Probed(version=None, report=ProbeReport(found=True, version="Error: not installed."))
    found = await of(paper)
    assert found.version is None
    assert (await of(attrs.evolve(paper, version="1.2.3"))).problems == (), "its greeting tells it"
    assert 'It said: "Error: not installed."' in found.problems[0]


REFUSALS = [
    (ErrorCode.NATIVE_LOGIN_REQUIRED, "no"),
    (ErrorCode.NATIVE_POLICY_BLOCKED, "unknown"),
    (ErrorCode.PROTOCOL_HANDSHAKE_TIMEOUT, "unknown"),
]


@pytest.mark.parametrize(("code", "known"), REFUSALS)
async def test_what_does_not_start_says_why(code, known):
    found = await of(Paper(start_error=AdapterStartError(code, "It would not.")))
    assert (found.starts, found.usable, found.login.known) == (False, False, known)
    assert found.problems == ("It would not.",)


@attrs.define
class Known(Paper):
    login: Login = attrs.field(factory=Login)

    def session(self, profile, name, resumed):
        session = super().session(profile, name, resumed)
        session.facts = attrs.evolve(session.facts, login=self.login)
        return session


@pytest.mark.parametrize("known", ["yes", "no", "unknown"])
async def test_a_login_is_told_as_the_program_told_it(known):
    found = await of(Known(login=Login(known, "it said so")))
    assert found.login == Login(known, "it said so")
    assert found.usable is (known != "no")
    assert bool(found.problems) is (known == "no")


@pytest.mark.parametrize(
    ("driver", "fields", "told", "problems"),
    [
        ("acp", {}, "not_connected", 0),
        ("hermes", {}, "not_connected", 1),
        ("hermes", {"injects": False}, "not_connected", 1),
        ("hermes", {"mcp": False}, "not_taken", 0),
    ],
)
async def test_whether_it_comes_to_the_mcp_server(driver, fields, told, problems):
    found = await of(Paper(driver=driver, **fields))
    assert (found.mcp, len(found.problems)) == (told, problems)
    assert all("mcp" in problem for problem in found.problems)
    assert found.usable


async def test_no_secret_is_in_a_problem():
    error = AdapterStartError(ErrorCode.ADAPTER_START_FAILED, "It said: key-12345 is wrong.")
    found = await of(Paper(start_error=error), secrets=["key-12345"])
    assert found.problems == ("It said: <secret> is wrong.",)


async def test_a_checkup_ends_with_its_time(autojump_clock):
    @attrs.define
    class Stuck(Paper):
        async def probe(self, profile, spawner):
            await trio.sleep_forever()

    found = await of(Stuck(), timeouts=Timeouts(handshake=1000))
    assert (found.found, found.usable) == (False, False)
    assert "46 s" in found.problems[0]


async def test_what_was_found_before_its_time_was_over_is_told(autojump_clock):
    @attrs.define
    class Deaf(Paper):
        async def serve(self, profile, spawner, *, task_status=trio.TASK_STATUS_IGNORED):
            await trio.sleep_forever()

    found = await of(Deaf(), timeouts=Timeouts(handshake=1000))
    assert (found.found, found.path, found.usable) == (True, "/bin/paper", False)
    assert "46 s" in found.problems[0]


async def test_many_are_looked_at_a_few_at_once_and_told_in_order(autojump_clock):
    now, most = 0, 0

    @attrs.define
    class Slow(Paper):
        async def probe(self, profile, spawner):
            nonlocal now, most
            now += 1
            most = max(most, now)
            await trio.sleep(10 - float(profile.agent_id))
            now -= 1
            return ProbeReport(found=False, problem=profile.agent_id)

    patients = [patient(Slow(), agent_id=str(number)) for number in range(6)]
    found = await check_all(patients, Spawner(), Redactor())
    assert [checkup.problems for checkup in found] == [(str(number),) for number in range(6)]
    assert most == checkups.AT_ONCE


# --- real processes --------------------------------------------------------------------------


@pytest.fixture
async def spawner():
    spawner = Spawner()
    await spawner.start()
    yield spawner
    await spawner.aclose()


@pytest.fixture
def script(tmp_path):
    def make(name, text):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    return make


def kimi(spawner, path, **env):
    profile = SessionProfile(agent_id="kimi", command=(path,), cwd="/", env=env, run_dir="/")
    return check_up(Patient(adapter=adapter_for("kimi"), profile=profile), spawner, Redactor())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("node", "words"),
    [("echo v20.20.2", "22.19"), ("echo v22.18.9", "22.19"), ("exit 1", "Install Node 22.19")],
)
async def test_an_older_node_is_told_and_nothing_else(spawner, script, tmp_path, node, words):
    script("node", f"#!/bin/sh\n{node}\n")
    path = script("kimi", "#!/usr/bin/env node\nthis is no shell script\n")
    found = await kimi(spawner, path, PATH=f"{tmp_path}:/usr/bin:/bin")
    (problem,) = found.problems
    assert words in problem
    assert not found.usable


@pytest.mark.slow
async def test_a_tombstone_is_told_with_what_to_install(spawner, script):
    said = "kimi-cli is no longer maintained"
    path = script(
        "kimi", f'#!/bin/sh\ncase $1 in acp) echo "{said}";; *) echo "kimi 1.52.0";; esac'
    )
    found = await kimi(spawner, path)
    (problem,) = found.problems
    assert said in problem
    assert "@moonshot-ai/kimi-code" in problem
    assert not found.usable


@pytest.mark.slow
async def test_the_demo_is_in_order(spawner):
    profile = SessionProfile(agent_id="demo", command=(), cwd="/", run_dir="/")
    patient = Patient(adapter=adapter_for("demo"), profile=profile)
    found = await check_up(patient, spawner, Redactor())
    assert (found.usable, found.problems) == (True, ())
    assert found.path == sys.executable
