"""The transcript that a session has not had: which it is, what it takes, and what fits."""

from collections.abc import Iterable

from groupx.domain.limits import SOFT_CONTEXT_SHARE
from groupx.domain.packet_entries import Entry, heading, section
from groupx.domain.packet_inputs import PacketInputs, TranscriptEntry
from groupx.domain.packet_memories import Chosen
from groupx.domain.packet_said import as_said, never_in_packets, task_ids

DELTA = "room_delta_since_cursor"


def unread_section(inputs: PacketInputs, mark: str, size: int, hard: int) -> Chosen | None:
    """What was said since the cursor; None when it does not fit.

    `size` is that of all sections so far. Only entries that the embedded summary covers may be
    left out, the oldest first, and they fill up to the soft limit; others up to the hard one.
    """
    covered_seq = covered_to(inputs)
    if inputs.complete_after_seq > max(inputs.lower_seq, covered_seq):
        return None
    soft = int(hard * SOFT_CONTEXT_SHARE)
    size += len(heading(DELTA, mark))
    chosen: list[Entry] = []
    candidates = list(_unread(inputs))
    for entry in reversed(candidates):
        said = as_said(entry, inputs)
        size += len(said.render(mark))
        covered = entry.seq <= covered_seq
        if size > (soft if covered else hard):
            if not covered:
                return None
            break
        chosen.append(said)
    chosen.reverse()
    return Chosen(section(DELTA, chosen, mark), len(candidates) - len(chosen))


def unread_needed(inputs: PacketInputs, mark: str) -> int:
    """The size of the unread transcript that nothing covers: no memory may take its place."""
    covered = covered_to(inputs)
    needed = [as_said(it, inputs) for it in _unread(inputs) if it.seq > covered]
    return len(section(DELTA, needed, mark).text)


def covered_to(inputs: PacketInputs) -> int:
    """Up to where the embedded checkpoint tells the transcript."""
    return 0 if inputs.summary is None else inputs.summary.through_seq


def _unread(inputs: PacketInputs) -> Iterable[TranscriptEntry]:
    """The transcript that this session has not had and that no other section carries."""
    elsewhere = {entry.event_id for entry in inputs.reply_chain} | task_ids(inputs)
    elsewhere.add(inputs.source.event_id)
    if inputs.forwarded is not None:
        elsewhere.add(inputs.forwarded.event_id)
    lower, through = inputs.lower_seq, inputs.context_through_seq
    said = [it for it in inputs.transcript if lower < it.seq <= through]
    answered = [it for it in inputs.later_answers if it.seq > max(lower, through)]
    for entry in (*said, *answered):
        if entry.event_id in elsewhere:
            continue
        if never_in_packets(entry):
            continue
        if inputs.has_already(entry):
            continue
        yield entry
