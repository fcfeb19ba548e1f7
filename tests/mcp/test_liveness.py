"""What a long call raises is raised as itself, and what it keeps outlasts its caller."""

import pytest
import trio

from groupx.actors.mailbox import ActorCrashed
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.mcp.liveness import heard_of, outlasting


class Call:
    """A call that notes what its client is told."""

    def __init__(self):
        self.told = []

    async def tell(self, message):
        self.told.append(message)


@pytest.mark.parametrize(
    "error", [ActorCrashed("store"), GroupXError(ErrorCode.NOT_FOUND, "no"), ValueError("x")]
)
async def test_an_error_comes_out_as_itself(autojump_clock, error):
    call = Call()

    async def fails():
        await trio.sleep(15)
        raise error

    with pytest.raises(type(error)) as raised:
        await heard_of(call, lambda: "alive", fails)
    assert raised.value is error
    assert call.told == ["alive"]


async def test_an_error_of_what_outlasts_comes_out_as_itself(autojump_clock):
    async def fails():
        raise ActorCrashed("broker")

    kept = []
    with pytest.raises(ActorCrashed):
        await outlasting(5, fails, kept.append)
    assert kept == []


@pytest.mark.parametrize(("takes", "kept"), [(4, ["it"]), (6, [])])
async def test_what_comes_soon_enough_after_a_cancel_is_kept(autojump_clock, takes, kept):
    found, began = [], trio.current_time()

    async def work():
        await trio.sleep(1 + takes)
        return "it"

    with trio.move_on_after(1):
        await outlasting(5, work, found.append)
    assert found == kept
    assert trio.current_time() - began == pytest.approx(1 + min(takes, 5))
