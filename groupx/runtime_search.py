"""The indexer as a part of the tree: without it the room goes on, and says that it is off."""

from groupx.actors.mailbox import Bell
from groupx.actors.search_indexer import SearchIndexerActor
from groupx.actors.store_writer import StoreWriterActor
from groupx.domain.text import excerpt
from groupx.supervisor.child import ChildState, ChildStatus
from groupx.web.services import IndexingHealth

NAME = "search"
"""Of the part."""
MAX_ERROR_CHARACTERS = 500


class SearchPart:
    """The indexer, its bell, and how it stands."""

    def __init__(self, store: StoreWriterActor) -> None:
        self.bell = Bell()
        self.actor = SearchIndexerActor(store.ref, self.bell)
        self.health = IndexingHealth()

    def changed(self, status: ChildStatus) -> None:
        """A crash is shown at once; after too many, what is not indexed yet is not found."""
        error = excerpt(status.error or "unknown", MAX_ERROR_CHARACTERS)
        if status.state is ChildState.RUNNING:
            self.health = IndexingHealth()
        elif status.state is ChildState.WAITING:
            self.health = IndexingHealth(
                state="restarting",
                fault=f"GroupX's own part that indexes older text failed ({error}). Nothing is "
                "lost: it is started again.",
            )
        elif status.state is ChildState.FAILED:
            self.health = IndexingHealth(
                state="off",
                fault="GroupX's own part that indexes older text failed too often "
                f"({error}), so that a search does not find all of it until GroupX is restarted. "
                "The room goes on, and what is said from now on is found.",
            )
