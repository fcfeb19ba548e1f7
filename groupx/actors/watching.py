"""A watch: what an observer is shown of a worker, once something has happened or time is over."""

import attrs
import trio

from groupx.actors.event_hub import EventHub
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import Read, ToStore
from groupx.domain.commits import Frame
from groupx.domain.turns import TERMINAL
from groupx.domain.watching import (
    Until,
    Watched,
    WatchQuery,
    WatchSnapshot,
    WatchState,
    ends_watch,
    glances,
    milestones_between,
    shown_of,
)
from groupx.store.queries.watch import watch_state

TOOL = "tool.progress"
TELLING = frozenset({TOOL, "turn.progress"})
"""Transient frames that may be news of a turn; its streamed words are not."""


async def watch(
    store: ActorRef[ToStore], hub: EventHub, query: WatchQuery, until: Until, seconds: float
) -> Watched:
    """Wait for the next milestone, or the end, of a worker's turn; at most `seconds`.

    Answered at once for a turn that has ended, and for what came after `query.after_seq`. When
    GroupX stops it ends like one whose time is over. Raises what `watch_state` raises.
    """
    place = hub.visible
    state = await store.ask(Read(watch_state, query))
    query = attrs.evolve(query, subject_turn_id=state.snapshot.turn_id)
    now = _with_live_tools(hub, state)
    before = state.shown or shown_of(now)
    since = now.last_seq if query.after_seq is None else query.after_seq
    later = attrs.evolve(query, after_seq=since, recall=False)
    found = milestones_between(state.milestones, before, shown_of(now))
    with trio.move_on_after(seconds):
        while not ends_watch(until, now, found) and hub.released is None:
            place, stored = await _news(hub, place, query)
            if stored:
                state = await store.ask(Read(watch_state, later))
            now = _with_live_tools(hub, state)
            found = milestones_between(state.milestones, before, shown_of(now))
    return Watched(snapshot=now, milestones=found, timed_out=not ends_watch(until, now, found))


async def _news(hub: EventHub, place: int, query: WatchQuery) -> tuple[int, bool]:
    """Until a frame from `place` on concerns the watched turn or the watch turn, or the hub
    releases; the place after it, and whether the ledger may know more than before."""
    names = tuple(
        name.encode() for name in (query.subject_turn_id, query.watch_turn_id) if name is not None
    )
    while hub.released is None:
        while place >= hub.visible and hub.released is None:
            await hub.next_wake()
        start, place = place, hub.visible
        ring = hub.ring
        if start < ring.start:
            return place, True
        found = [it for it in ring.frames(start, place) if _concerns(it, names)]
        if found:
            return place, any(it.type != TOOL for it in found)
    return place, True


def _concerns(frame: Frame, names: tuple[bytes, ...]) -> bool:
    told = frame.seq is not None or frame.type in TELLING
    return told and any(name in frame.data for name in names)


def _with_live_tools(hub: EventHub, state: WatchState) -> WatchSnapshot:
    """The ledger gets to know of tools at the turn's end; until then the hub does."""
    snapshot = state.snapshot
    live = None if snapshot.status in TERMINAL else hub.live(snapshot.turn_id)
    return snapshot if live is None else attrs.evolve(snapshot, tools=glances(live.tools))
