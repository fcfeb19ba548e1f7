"""Reading a context packet as a model would."""

import re


def read_packet(packet: str) -> tuple[str, str | None]:
    """The current message of a context packet, and our name in it; without one, all of it."""
    head = re.match(r"\[groupx_(?:protocol|assistant) (\S+)\]\n", packet)
    if head is None:
        return packet.strip(), None
    mark = head[1]
    opened, closed = f"<entry {re.escape(mark)} ", f"\n</entry {re.escape(mark)}>"

    def entries(section: str) -> list[str]:
        text = packet.partition(f"\n[{section} {mark}]\n")[2]
        text = re.split(rf"^\[\w+ {re.escape(mark)}\]$", text, maxsplit=1, flags=re.MULTILINE)[0]
        return re.findall(rf"^{opened}[^\n]*>\n(.*?){closed}$", text, re.DOTALL | re.MULTILINE)

    identity = "\n".join(entries("configured_agent_identity"))
    name = re.match(r"name: ([^\n]+)", identity)
    return "\n".join(entries("current_message")).strip(), name[1] if name else None
