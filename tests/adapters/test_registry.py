import pytest

from groupx.adapters.registry import ADAPTERS, adapter_for
from groupx.domain.config import DRIVERS
from groupx.domain.errors import ErrorCode, GroupXError


@pytest.mark.parametrize("driver", ["acp", "claude", "codex", "demo", "grok", "hermes", "kimi"])
def test_every_driver_of_this_version_is_itself(driver):
    adapter = adapter_for(driver)
    assert (adapter.driver, adapter.adapter_id) == (driver, driver)


def test_the_config_takes_the_drivers_that_there_are():
    assert set(ADAPTERS) == set(DRIVERS)


def test_a_stranger_is_refused_and_never_guessed():
    with pytest.raises(GroupXError) as caught:
        adapter_for("opencode")
    assert caught.value.code is ErrorCode.PROVIDER_NOT_CLAIMED
    assert caught.value.http_status == 422
    assert "'opencode'" in caught.value.message
    assert all(driver in caught.value.message for driver in ADAPTERS)
