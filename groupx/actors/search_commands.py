"""What the broker does for the search index."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef, Bell
from groupx.actors.messages import ReindexSearch, ToStore, Write
from groupx.domain.search_page import Indexing
from groupx.store.transactions.index_slice import reindex


class SearchCommands:
    """A part of the broker, without a mailbox of its own. `bell` wakes the search indexer."""

    def __init__(self, store: ActorRef[ToStore], bell: Bell) -> None:
        self._store = store
        self._bell = bell
        self.handlers: Mapping[type[Any], Callable[[Any], Awaitable[Any]]] = MappingProxyType(
            {ReindexSearch: self._reindex}
        )

    async def _reindex(self, message: ReindexSearch) -> Indexing:
        key = command_key("search.reindex", message)
        begun = await self._store.ask(Write(reindex, key))
        self._bell.ring()
        return begun
