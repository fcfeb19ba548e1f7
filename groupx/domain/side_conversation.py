"""The side conversation of the user with the room's assistant: never part of the room."""

from typing import Literal

import attrs

from groupx.domain.commands import CommandKey
from groupx.domain.limits import Limits
from groupx.domain.wire import optional

Role = Literal["user", "assistant"]
AsideState = Literal["answered", "queued", "working", "failed", "cancelled", "unanswered"]
"""How a message of the user stands. `unanswered`: it has no reply, and nobody works on one."""

MAX_PAGE_MESSAGES = 100
MAX_WAITING = 8
"""Messages that wait for the one before to be answered."""


@attrs.frozen(kw_only=True)
class SideMessage:
    """One stored message. A reply names what it answers, if it was written by this format."""

    message_id: str
    role: Role
    content: str
    created_at: str
    client_command_id: str | None = optional()
    reply_to_message_id: str | None = optional()
    answered: bool = False
    """Of the user's: whether its reply is stored."""


@attrs.frozen(kw_only=True)
class SayAsideCommand:
    """The user says something to the assistant. The same key is the same message."""

    key: CommandKey
    content: str
    limits: Limits
    has_room: bool = True
    """Whether a message that is new may wait."""


@attrs.frozen(kw_only=True)
class SaidAside:
    """The stored message and, when it was answered before, its reply."""

    message: SideMessage
    reply: SideMessage | None = optional()


@attrs.frozen(kw_only=True)
class ReplyAside:
    """What the assistant answered."""

    message_id: str
    """Of the user's message."""
    content: str


@attrs.frozen(kw_only=True)
class SideQuery:
    """A page of messages before one of them (None = the newest), each cut to `characters`."""

    before_id: str | None = None
    limit: int = MAX_PAGE_MESSAGES
    characters: int | None = None
    max_characters: int = 1_000_000
    """Of all together; the newest message is there whatever its size."""


@attrs.frozen(kw_only=True)
class SidePage:
    """Messages ascending; `previous_before_id` asks for the page before."""

    messages: tuple[SideMessage, ...]
    previous_before_id: str | None
