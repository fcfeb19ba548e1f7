"""A scripted stream-json program as a real process behind the Claude driver."""

import pytest

from conformance.dialects.stream_json import StreamJsonDialect
from groupx.adapters.claude.adapter import ClaudeAdapter
from groupx.adapters.contract import AdapterStartError


@pytest.fixture
def scripted(scripted):
    """`async with scripted(*turns, resume=…, timeouts=…, scenario=other parts of it)`."""

    def open_rig(*turns, scenario=None, **fields):
        whole = {"user": turns, **(scenario or {})}
        program = StreamJsonDialect.agent
        return scripted(whole, adapter=ClaudeAdapter(), program=program, **fields)

    return open_rig


@pytest.fixture
def refusal(scripted):
    """How a start that comes to nothing is told."""

    async def of(scenario, **fields):
        with pytest.raises(AdapterStartError) as caught:
            async with scripted(scenario=scenario, **fields):
                pass
        return caught.value

    return of
