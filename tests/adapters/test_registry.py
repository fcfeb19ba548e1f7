import json

import pytest

from groupx.adapters.acp.drivers import AcpDriver
from groupx.adapters.registry import ADAPTERS, adapter_for, adapters_of
from groupx.cli.place import find_place
from groupx.domain.config import BUILT_IN_DRIVERS
from groupx.domain.config_error import ConfigError
from groupx.domain.errors import ErrorCode, GroupXError


@pytest.mark.parametrize("driver", ["acp", "claude", "codex", "demo", "grok", "hermes", "kimi"])
def test_every_driver_of_this_version_is_itself(driver):
    adapter = adapter_for(driver)
    assert (adapter.driver, adapter.adapter_id) == (driver, driver)


def test_a_config_may_name_whatever_driver_is_registered(monkeypatch, tmp_path):
    file = tmp_path / "groupx.json"
    agent = {"driver": "newcomer", "command": "newcomer", "cwd": "."}
    file.write_text(json.dumps({"agents": {"a": agent}}))
    with pytest.raises(ConfigError, match="newcomer"):
        find_place(config=str(file), demo=False).load()
    row = AcpDriver(name="newcomer", install="Install it.")
    monkeypatch.setattr("groupx.adapters.registry.ADAPTERS", adapters_of([row]))
    config, _ = find_place(config=str(file), demo=False).load()
    assert config.agents[0].driver == "newcomer"


def test_an_id_that_implies_a_driver_has_one():
    assert set(BUILT_IN_DRIVERS) <= set(ADAPTERS)


def test_a_stranger_is_refused_and_never_guessed():
    with pytest.raises(GroupXError) as caught:
        adapter_for("opencode")
    assert caught.value.code is ErrorCode.PROVIDER_NOT_CLAIMED
    assert caught.value.http_status == 422
    assert "'opencode'" in caught.value.message
    assert all(driver in caught.value.message for driver in ADAPTERS)
