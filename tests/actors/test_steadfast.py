"""What a store fault that passes is waited for, and one that does not is told at once."""

import pytest
import trio

from groupx.actors.messages import Read
from groupx.actors.steadfast import insist
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.store import faults


class Store:
    """Answers with what it is given, one after the other."""

    def __init__(self, *answers):
        self.left = list(answers)

    async def ask(self, _request):
        await trio.lowlevel.checkpoint()
        answer = self.left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def full():
    return GroupXError(ErrorCode.STORE_UNAVAILABLE, "The disk is full.")


def damaged():
    return GroupXError(ErrorCode.STORE_UNAVAILABLE, "Damaged.", cause="malformed", damaged=True)


QUESTION = Read(lambda _conn, _query: None, None)


async def test_what_passes_is_waited_for(autojump_clock):
    store = Store(full(), full(), faults.locked_elsewhere(), "there")
    assert await insist(store, QUESTION) == "there"
    assert trio.current_time() >= 0.25 + 0.5 + 1


@pytest.mark.parametrize(
    "error",
    [damaged(), faults.refused(damaged()), faults.closed("is closed")],
    ids=["damaged", "refused since it is damaged", "ended"],
)
async def test_what_does_not_pass_is_told_at_once(error, autojump_clock):
    began = trio.current_time()
    with pytest.raises(GroupXError) as caught:
        await insist(Store(full(), error), QUESTION)
    assert caught.value is error
    assert trio.current_time() - began < 1
