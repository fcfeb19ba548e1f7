"""`groupx debug reindex`: the search index anew, by the running room or in its database at rest."""

import uuid

from groupx.cli.client import NobodyListens, NotARuntime
from groupx.cli.failures import Refused
from groupx.cli.offline import leased, ledger, running_or_none, unrepeated, write
from groupx.cli.place import Place
from groupx.cli.progress import ProgressLine
from groupx.cli.running import Running, client_of
from groupx.store.queries.search import indexing
from groupx.store.transactions.index_slice import index_slice, reindex


def reindexed(place: Place) -> str:
    """Begin or do it; what to tell the user."""
    running = running_or_none(place)
    return _offline(place) if running is None else _online(place, running)


def _online(place: Place, running: Running) -> str:
    client = client_of(place, running)
    try:
        answer = client.post("/api/search/reindex", {"clientCommandId": uuid.uuid4().hex})
    except (NobodyListens, NotARuntime):
        raise Refused(
            f"the room on port {running.port} did not answer, so whether its index is built anew "
            "is not known. Look with `groupx status`, then try again; it does no harm."
        ) from None
    if answer.status != 202:
        raise Refused(f"the index was left as it is: {answer.error_message}")
    return (
        f"The room indexes all of its {answer.body['total']} events anew, beside what it does. "
        "`groupx search` says how far it is."
    )


def _offline(place: Place) -> str:
    line = ProgressLine("Indexing")
    with leased(place) as offline, ledger(offline) as conn:
        total = write(conn, reindex, unrepeated("search.reindex")).total
        try:
            while write(conn, index_slice, None):
                at = indexing(conn)
                if at is not None:
                    line.show(at.done, at.total)
        finally:
            line.end()
    return f"All {total} events are indexed anew."
