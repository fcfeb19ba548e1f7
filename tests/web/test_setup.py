"""The setup over HTTP, and the restart that makes it count."""

import json

import attrs

from groupx.domain.config_parsing import parse_config
from groupx.setup.desk import SetupDesk
from groupx.web.services import RuntimeStatus, Status

DEMO = {"driver": "demo", "cwd": "."}
SECRET = "the-value-of-a-variable"


async def test_a_draft_says_what_there_is_to_choose_from(starting, runtime, config_file):
    runtime.status = RuntimeStatus(status=Status.SETUP)
    answer = (await starting.get("/api/setup")).json()
    assert answer == {
        "revision": "absent",
        "path": str(config_file),
        "exists": False,
        "config": {"agents": {}},
        "programs": [{"driver": "demo", "id": "demo", "name": "Demo agent", "found": True}],
        "drivers": [
            {
                "driver": "demo",
                "name": "Demo agent",
                "command": [],
                "takesMode": False,
                "takesArgs": False,
            },
            {"driver": "acp", "name": "ACP", "command": [], "takesMode": True, "takesArgs": True},
        ],
        "restartRequired": False,
        "pendingRestart": [],
    }


async def test_a_save_names_the_wrong_place_and_then_takes_the_right_document(
    starting, runtime, config_file
):
    runtime.status = RuntimeStatus(status=Status.SETUP)
    for config, code, path in (
        ({"agents": {}}, "INVALID_ENVELOPE", "agents"),
        ({"agents": {"a b": DEMO}}, "INVALID_ENVELOPE", "agents.a b"),
        ({"agents": {"a": {"cwd": "."}}}, "INVALID_ENVELOPE", "agents.a.driver"),
        ({"agents": {"a": {**DEMO, "driver": "?"}}}, "PROVIDER_NOT_CLAIMED", "agents.a.driver"),
        ({"agents": {"a": {**DEMO, "cwd": "none"}}}, "INVALID_ENVELOPE", "agents.a.cwd"),
        ({"agents": {"a": {**DEMO, "env": {"K": None}}}}, "INVALID_ENVELOPE", "agents.a.env.K"),
    ):
        refused = await starting.post("/api/setup", {"revision": "absent", "config": config})
        assert refused.code == code
        assert refused.json()["error"]["details"]["path"] == path
        assert "Nothing was saved" in refused.json()["error"]["message"]
        assert not config_file.exists()
    body = {"revision": "absent", "config": {"agents": {"a": DEMO}}}
    saved = (await starting.post("/api/setup", body)).json()
    assert (saved["restartRequired"], saved["pendingRestart"]) == (False, [])
    assert json.loads(config_file.read_text()) == {"agents": {"a": DEMO}}


async def test_a_program_is_looked_at_before_there_is_a_room(starting, runtime):
    runtime.status = RuntimeStatus(status=Status.SETUP)
    found = await starting.post("/api/setup/check", {"driver": "codex"})
    assert found.json() == {
        "driver": "codex",
        "agents": [],
        "found": True,
        "path": None,
        "version": None,
        "starts": False,
        "handshakeMs": None,
        "login": {"known": "no", "how": "it says so itself"},
        "mcp": "not_tried",
        "notes": [],
        "problems": ["Log in."],
        "usable": False,
    }
    assert (await starting.post("/api/setup/check", {"driver": "x"})).code == "NOT_FOUND"
    assert (await starting.post("/api/setup/check", {})).code == "INVALID_ENVELOPE"


async def test_a_restart_is_asked_for_only_with_a_config_that_can_be_started(
    client, runtime, config_file
):
    body = {"runtimeScopeKey": "s" * 64}
    assert (await client.post("/api/runtime/restart", body)).code == "NOT_FOUND"
    config_file.write_text("{")
    assert (await client.post("/api/runtime/restart", body)).code == "INVALID_ENVELOPE"
    config_file.write_text(json.dumps({"agents": {"a": DEMO}}))
    other = await client.post("/api/runtime/restart", {"runtimeScopeKey": "o" * 64})
    assert other.code == "RUNTIME_SCOPE_MISMATCH"
    assert runtime.restarts == 0
    assert (await client.post("/api/runtime/restart", body)).status == 202
    assert (runtime.restarts, runtime.stops) == (1, 0)


async def test_health_says_what_waits_for_a_restart(client, services, config_file):
    running = {"agents": {"a": {**DEMO, "env": {"KEY": SECRET}}}}
    config_file.write_text(json.dumps(running))
    config = parse_config(config_file.read_bytes(), path=str(config_file), drivers=("demo",))
    desk = SetupDesk(config_file, drivers=("demo",), port=1, revision_key=b"", running=config)
    face = attrs.evolve(services.setup, desk=desk)
    object.__setattr__(services, "setup", face)

    draft = (await client.get("/api/setup")).json()
    assert SECRET not in json.dumps(draft)
    assert not (await client.get("/api/health")).json()["restartRequired"]
    config = {"agents": {**draft["config"]["agents"], "b": DEMO}}
    body = {"revision": draft["revision"], "config": config}
    saved = (await client.post("/api/setup", body)).json()
    assert (saved["restartRequired"], saved["pendingRestart"]) == (True, ["agent:b"])
    health = (await client.get("/api/health")).json()
    assert (health["restartRequired"], health["pendingRestart"]) == (True, ["agent:b"])
    assert (await client.post("/api/setup", body)).code == "STORE_CONFLICT"
