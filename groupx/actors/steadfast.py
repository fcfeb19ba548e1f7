"""Asking the store for what must be written or known, however long the store is unwell."""

from typing import TypeVar

import trio

from groupx.actors.mailbox import ActorRef, Request
from groupx.actors.messages import ToStore
from groupx.domain.errors import ErrorCode, GroupXError

R = TypeVar("R")

FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 5.0
_PASSING = frozenset({ErrorCode.STORE_UNAVAILABLE, ErrorCode.STORE_BUSY})
_LASTING = frozenset({"ended", "damaged"})
"""Details of a store fault that no waiting mends."""


async def insist(store: ActorRef[ToStore], request: Request[ToStore, R]) -> R:
    """The first answer that is not a passing store fault; every other error is raised, and so is
    that of a store which has ended for good, or whose database is damaged.

    Only for what may be asked twice. It ends with its caller's cancel scope.
    """
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            return await store.ask(request)
        except GroupXError as error:
            if error.code not in _PASSING or not _LASTING.isdisjoint(error.details):
                raise
        await trio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
