"""How a packet is written down: attributed entries in named sections, under the packet's mark."""

import hashlib
import re
from collections.abc import Iterable, Sequence

import attrs

from groupx.domain.ids import USER_ASSISTANT, USER_WEB, ActorId, agent_id_of

SMALLEST_FRAME = 64
"""No entry takes less than this beside its content."""
_SECOND = len("2026-01-01T00:00:00")


@attrs.frozen(kw_only=True)
class Entry:
    """One attributed piece of a packet; `subject`, `seq` and `at` are `-` where there is none."""

    id: str
    seq: str
    at: str
    """When what it says was so: ISO, shown to the second."""
    author: str
    subject: str
    source: str
    content: str
    note: str | None = None

    def render(self, mark: str) -> str:
        """Its text in the packet that has this mark."""
        note = f' note="{self.note}"' if self.note else ""
        return (
            f"<entry {mark} id={label(self.id)} seq={self.seq} at={label(self.at[:_SECOND])} "
            f"author={label(self.author)} subject={label(self.subject)} "
            f"source={label(self.source)}{note}>\n"
            f"{self.content}\n</entry {mark}>\n"
        )


@attrs.frozen
class Section:
    """A section's text, and how many entries are in it."""

    name: str
    text: str
    entries: int


def section(name: str, entries: Sequence[Entry], mark: str) -> Section:
    """A section without entries has no text at all."""
    if not entries:
        return Section(name, "", 0)
    body = "".join(entry.render(mark) for entry in entries)
    return Section(name, heading(name, mark) + body, len(entries))


def heading(name: str, mark: str) -> str:
    """The line that opens a section."""
    return f"[{name} {mark}]\n"


def label(text: str) -> str:
    """An id inside an entry's first line: no blank, quote or bracket can end it early."""
    return re.sub(r"[^\w.:,@+/-]", "_", text) or "-"


def source_label(author: ActorId, target: ActorId) -> str:
    """Who is speaking, in the fixed vocabulary of source labels."""
    if author == target:
        return "self"
    if author == USER_WEB:
        return "user"
    if author == USER_ASSISTANT or agent_id_of(author) is None:
        return "operator"
    return author


def unforgeable(boundary: str, texts: Iterable[str]) -> str:
    """A mark that none of the texts holds; the same one for the same input."""
    known = tuple(texts)
    mark = boundary
    while any(mark in text for text in known):
        mark = hashlib.sha256(mark.encode()).hexdigest()[:32]
    return mark
