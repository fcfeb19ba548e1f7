"""The memories and identities of one packet: whose they are, and how much of them fits."""

from collections.abc import Mapping, Sequence
from typing import Literal

import attrs

from groupx.domain.ids import ActorId, agent_id_of
from groupx.domain.memory import AUTOMATIC
from groupx.domain.packet_entries import Entry, Section, heading, label, section, source_label


@attrs.frozen(kw_only=True)
class Kept:
    """One active record as a packet shows it."""

    record_id: str
    seq: int | None
    """Of the event that it comes from."""
    at: str
    """When it was kept; of what was made of turns, when the newest of them was."""
    kind: str
    author: ActorId
    subject: ActorId | None
    source_kind: str
    content: str


Sort = Literal["core", "dated", "room", "identity"]


@attrs.frozen(kw_only=True)
class PacketMemories:
    """What there is for one target, the newest first; of another agent's own memories nothing."""

    core: tuple[Kept, ...] = ()
    dated: tuple[Kept, ...] = ()
    room: tuple[Kept, ...] = ()
    """Of the room, and of the interaction that the turn belongs to."""
    identity: tuple[Kept, ...] = ()
    """About the target, whoever said it."""
    older: Mapping[Sort, int] = attrs.field(factory=dict[Sort, int])
    """How many there are of a sort beyond those: more than a packet is looked through for."""

    def said_of_it(self, target: ActorId) -> tuple[Kept, ...]:
        """What other agents observed; it is not what the target or the user says it is."""
        return tuple(it for it in self.identity if _observes(it, target))

    def is_said_to_be(self, target: ActorId) -> tuple[Kept, ...]:
        """What the target itself, the user, or the assistant for the user, said that it is."""
        return tuple(it for it in self.identity if not _observes(it, target))

    def contents(self) -> tuple[str, ...]:
        """Every text in it."""
        return tuple(it.content for it in (*self.core, *self.dated, *self.room, *self.identity))


@attrs.frozen
class Chosen:
    """A section that was filled as far as there was room, and how many entries are left out."""

    section: Section
    omitted: int
    kept: tuple[Kept, ...] = ()
    """The records that are in it."""


def choose(
    name: str,
    kept: Sequence[Kept],
    older: int,
    *,
    target: ActorId,
    mark: str,
    characters: int,
    most: int | None = None,
) -> Chosen:
    """The first `most` that fit into `characters`, as they come: the newest first. A record is
    never cut; `older` ones are left out with those that do not fit.
    """
    chosen: list[tuple[Kept, Entry]] = []
    left = characters - len(heading(name, mark))
    for it in kept:
        entry = _entry(it, target)
        size = len(entry.render(mark))
        if size <= left and len(chosen) != most:
            left -= size
            chosen.append((it, entry))
    filled = section(name, [entry for _, entry in chosen], mark)
    return Chosen(filled, len(kept) - len(chosen) + older, tuple(it for it, _ in chosen))


def _entry(kept: Kept, target: ActorId) -> Entry:
    return Entry(
        id=kept.record_id,
        seq="-" if kept.seq is None else str(kept.seq),
        at=kept.at,
        author=kept.author,
        subject=kept.subject or "-",
        source=_source(kept, target),
        content=kept.content,
        note=label(kept.kind),
    )


def _source(kept: Kept, target: ActorId) -> str:
    if kept.source_kind in AUTOMATIC:
        return "automatic-rollup"
    author, about = kept.author, kept.subject
    if about is not None and about != author and _is_agent(author) and _is_agent(about):
        return f"{author}-about-{about}"
    return source_label(author, target)


def _observes(kept: Kept, target: ActorId) -> bool:
    return kept.author != target and _is_agent(kept.author)


def _is_agent(actor_id: ActorId) -> bool:
    return agent_id_of(actor_id) is not None
