"""The search indexer: has the store index what an older or imported file already holds.

One slice at a time, with pauses in which others write; what is said meanwhile is indexed as it is
written, so nobody waits for this one.
"""

import trio

from groupx.actors.mailbox import ActorRef, Bell
from groupx.actors.messages import ToStore, Write
from groupx.actors.steadfast import insist
from groupx.store.transactions.index_slice import index_slice

PAUSE_SECONDS = 0.02
"""After each slice: twice as long as it keeps the writer, about."""


class SearchIndexerActor:
    """Goes through the history until all of it is indexed, and again when its bell rings."""

    def __init__(self, store: ActorRef[ToStore], bell: Bell) -> None:
        self._store = store
        self._bell = bell

    async def run(self) -> None:
        """Until cancelled, at any moment: the ledger knows how far it got."""
        while True:
            if await insist(self._store, Write(index_slice, None)):
                await trio.sleep(PAUSE_SECONDS)
            else:
                await self._bell.wait()
