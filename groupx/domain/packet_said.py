"""What somebody said, as an entry of a packet: under its author's name, with how it came there."""

from groupx.domain.ids import ActorId
from groupx.domain.packet_cuts import cut_note
from groupx.domain.packet_entries import Entry, source_label
from groupx.domain.packet_inputs import PacketInputs, TranscriptEntry
from groupx.domain.supervision import STEER, WATCH_BRIEF

SENT_AGAIN = "sent again by the user"
GUIDANCE = "guidance of an observer"
_EXCLUDED_KINDS = frozenset({WATCH_BRIEF})


def as_said(entry: TranscriptEntry, inputs: PacketInputs) -> Entry:
    """A message under its author's name; a retry's words are those of the original's author."""
    author, content, note = entry.actor_id, entry.content, None
    own_brief = entry.event_id == inputs.source.event_id and inputs.watched is not None
    if entry.withdrawn or (entry.kind in _EXCLUDED_KINDS and not own_brief):
        content, note = "", "withdrawn" if entry.withdrawn else "not for this packet"
    elif entry.kind == STEER:
        note = GUIDANCE
    elif entry.kind == "retry":
        author, note = _author_of(entry.forwarded_event_id, inputs) or author, SENT_AGAIN
    notes = [text for text in (note, cut_note(entry)) if text]
    return Entry(
        id=entry.event_id,
        seq=str(entry.seq),
        at=entry.occurred_at,
        author=author,
        subject=",".join(entry.to) or "-",
        source=source_label(author, inputs.target_actor_id),
        content=content,
        note="; ".join(notes) or None,
    )


def everything_said(inputs: PacketInputs) -> tuple[TranscriptEntry, ...]:
    """Everything that was said but the source."""
    task = () if inputs.watched is None else inputs.watched.task
    forwarded = () if inputs.forwarded is None else (inputs.forwarded,)
    said = (*inputs.transcript, *inputs.later_answers)
    return (*forwarded, *task, *said, *inputs.reply_chain)


def task_ids(inputs: PacketInputs) -> frozenset[str]:
    """Of the messages that an observer's own section has."""
    task = () if inputs.watched is None else inputs.watched.task
    return frozenset(entry.event_id for entry in task)


def never_in_packets(entry: TranscriptEntry) -> bool:
    """Whether it is no transcript to anybody."""
    return entry.withdrawn or entry.kind in _EXCLUDED_KINDS or not entry.content


def _author_of(event_id: str | None, inputs: PacketInputs) -> ActorId | None:
    known = everything_said(inputs)
    return next((entry.actor_id for entry in known if entry.event_id == event_id), None)
