"""Reading a context packet as a model would."""

import re
from typing import NamedTuple

_OPENS = re.compile(r"\[groupx_(?:protocol|assistant) (\S+)\]\n")
REMEMBERED = (
    "self_identity",
    "agent_core_memory",
    "agent_dated_memory",
    "pinned_group_memory",
    "relevant_memory",
    "observed_identity",
)
"""The sections of what is remembered."""


class Told(NamedTuple):
    """One entry of a packet."""

    section: str
    source: str
    """`-` where the packet does not say it."""
    content: str


def read_packet(packet: str) -> tuple[str, str | None]:
    """The current message of a context packet, and our name in it; without one, all of it."""
    head = _OPENS.match(packet)
    if head is None:
        return packet.strip(), None
    name = re.match(r"name: ([^\n]+)", _words(packet, head[1], "configured_agent_identity"))
    return _words(packet, head[1], "current_message").strip(), name[1] if name else None


def remembered(packet: str) -> list[Told]:
    """Everything in a context packet that is remembered; nothing of what is no packet."""
    head = _OPENS.match(packet)
    if head is None:
        return []
    return [told for section in REMEMBERED for told in _entries(packet, head[1], section)]


def _words(packet: str, mark: str, section: str) -> str:
    return "\n".join(it.content for it in _entries(packet, mark, section))


def _entries(packet: str, mark: str, section: str) -> list[Told]:
    text = packet.partition(f"\n[{section} {mark}]\n")[2]
    text = re.split(rf"^\[\w+ {re.escape(mark)}\]$", text, maxsplit=1, flags=re.MULTILINE)[0]
    opened, closed = f"<entry {re.escape(mark)} ", f"\n</entry {re.escape(mark)}>"
    entry = rf"^{opened}([^\n]*)>\n(.*?){closed}$"
    found: list[tuple[str, str]] = re.findall(entry, text, re.DOTALL | re.MULTILINE)
    return [Told(section, _source(head), content) for head, content in found]


def _source(head: str) -> str:
    said = re.search(r" source=(\S+)", head)
    return said[1] if said else "-"
