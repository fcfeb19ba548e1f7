"""Identifiers: prefixed, sortable by creation time, made by an injected source."""

import re
from collections.abc import Callable
from typing import Literal, NewType

ActorId = NewType("ActorId", str)
"""An identity in a room: `user:web`, `agent:<id>`, `system:groupx`."""

RoomId = NewType("RoomId", str)

USER_WEB = ActorId("user:web")
USER_ASSISTANT = ActorId("user:assistant")
SYSTEM = ActorId("system:groupx")
MAIN_ROOM = RoomId("room:main")

WEB_BINDING = "binding:web"
OPERATOR_BINDING = "binding:operator"

Prefix = Literal[
    "evt", "turn", "attempt", "corr", "cmd", "binding", "instance",
    "mem", "identity", "summary", "pair", "reset", "room", "database", "asst",
    "compaction",
]  # fmt: skip

AGENT_PREFIX = "agent:"
AGENT_ID_RULE = "[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?"
ASSISTANT_SESSION = "__assistant__"
"""What the assistant's program is called where an agent has its id."""
RESERVED_AGENT_IDS = frozenset({"assistant", ASSISTANT_SESSION})
_AGENT_ID = re.compile(AGENT_ID_RULE)


class IdSource:
    """Makes `<prefix>_<uuid7 hex>`; ids of one source sort in the order they were made.

    `now_ms` gives milliseconds since the epoch, `entropy(n)` n random bytes.
    """

    def __init__(self, now_ms: Callable[[], int], entropy: Callable[[int], bytes]) -> None:
        self._now_ms = now_ms
        self._entropy = entropy
        self._last_ms = 0
        self._count = 0

    def new(self, prefix: Prefix) -> str:
        """One new id. A clock that stands still or goes back does not break the order."""
        now = self._now_ms()
        if now > self._last_ms:
            self._last_ms, self._count = now, 0
        else:
            self._count += 1
            if self._count > 0xFFF:
                self._last_ms, self._count = self._last_ms + 1, 0
        tail = int.from_bytes(self._entropy(8), "big") & 0x3FFF_FFFF_FFFF_FFFF
        value = (self._last_ms << 80) | (0x7 << 76) | (self._count << 64) | (0b10 << 62) | tail
        return f"{prefix}_{value:032x}"


def is_agent_id(text: str) -> bool:
    """Whether `text` may name an agent in the config."""
    return _AGENT_ID.fullmatch(text) is not None and text.lower() not in RESERVED_AGENT_IDS


def agent_actor(agent_id: str) -> ActorId:
    """The room identity of a configured agent."""
    return ActorId(AGENT_PREFIX + agent_id)


def agent_id_of(actor_id: str) -> str | None:
    """The config id inside `agent:<id>`, or None for anyone who is not an agent."""
    return actor_id.removeprefix(AGENT_PREFIX) if actor_id.startswith(AGENT_PREFIX) else None
