"""A task that is asked beside the room: material shown under a mark, and an answer in words.

Pure. Only what was said is ever shown; what an answer is, beyond these checks, is its asker's.
"""

from collections.abc import Iterable, Sequence

import attrs

from groupx.domain.ids import ActorId
from groupx.domain.packet_entries import Entry, section, source_label
from groupx.domain.packet_inputs import TranscriptEntry
from groupx.domain.text import is_blank

NOBODY = ActorId("")
"""Whose eyes material is shown to that nobody's own words are in."""
REPEATED_CHARACTERS = 80
"""Of the assignment: an answer that has its beginning repeats it."""


@attrs.frozen(kw_only=True)
class SideTask:
    """What is the same each time one kind of task is asked."""

    assignment: str
    before_name: str
    """Of the section with what there is so far."""
    material_name: str
    closing: str

    def prompt(
        self, facts: Sequence[str], before: Entry | None, material: Sequence[Entry], mark: str
    ) -> str:
        """The one prompt of a task, with `facts` a line each. `mark` must be in none of the texts
        (`unforgeable`)."""
        parts = ["\n".join((self.assignment, f"mark: {mark}", *facts)) + "\n"]
        if before is not None:
            parts.append(section(self.before_name, [before], mark).text)
        parts.append(section(self.material_name, material, mark).text)
        return "\n".join((*parts, self.closing))

    def answered(self, answer: str, mark: str, bound: int) -> str:
        """The words of an answer; ValueError says what is wrong with it."""
        text = answer.strip()
        if is_blank(text):
            raise ValueError("it was empty")
        if len(text) > bound:
            raise ValueError(f"it had {len(text)} characters, more than the {bound} allowed")
        if mark in text or self.assignment[:REPEATED_CHARACTERS] in text:
            raise ValueError("it repeated the task instead of doing it")
        return text


def texts(before: str | None, said: Iterable[TranscriptEntry]) -> tuple[str, ...]:
    """Every text in a prompt that is not ours."""
    return (*(() if before is None else (before,)), *(entry.content for entry in said))


def shown(entry: TranscriptEntry, owner: ActorId, most: int) -> Entry:
    """What was said, as `owner` is shown it: at most so many characters of it."""
    content, note = entry.content, "taken back by its author" if entry.withdrawn else None
    if len(content) > most:
        note = f"only the first {most} of {entry.characters or len(content)} characters"
        content = content[:most]
    return Entry(
        id=entry.event_id,
        seq=str(entry.seq),
        at=entry.occurred_at,
        author=entry.actor_id,
        subject=",".join(entry.to) or "-",
        source=source_label(entry.actor_id, owner),
        content=content,
        note=note,
    )
