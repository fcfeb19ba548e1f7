"""What is told of an ACP program's login."""

import pytest

from conformance.scenario import Step
from groupx.adapters.acp.drivers import GROK

METHODS: Step = {
    "result": {
        "protocolVersion": 1,
        "agentCapabilities": {},
        "authMethods": [{"id": "grok.com"}, {"id": "xai.api_key"}],
    }
}


@pytest.mark.parametrize(("env", "words"), [({"XAI_API_KEY": "k-1"}, "XAI_API_KEY"), ({}, "turn")])
async def test_a_key_that_was_taken_is_named_and_its_value_is_not(
    scripted, monkeypatch, env, words
):
    monkeypatch.delenv("XAI_API_KEY", raising=False)
    async with scripted({"initialize": [METHODS]}, driver=GROK, env=env) as rig:
        login = rig.session.facts.login
    assert login.known == "unknown"
    assert words in login.how
    assert "k-1" not in login.how
