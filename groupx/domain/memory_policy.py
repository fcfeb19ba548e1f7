"""Whether an agent gets memories in its packets, and whether dated ones are made of its work."""

from typing import Literal

import attrs

from groupx.domain.commands import CommandKey
from groupx.domain.ids import ActorId, RoomId
from groupx.domain.wire import optional

Generation = Literal["enabled", "disabled", "excluded"]
"""`disabled` can be taken back, `excluded` never."""


@attrs.frozen(kw_only=True)
class MemoryPolicy:
    """The policy of one agent in one room; revision 0 = nobody has set it yet."""

    use_memories: bool = True
    generation: Generation = "enabled"
    reason: str | None = optional()
    source: str = "default"
    """Who chose it: `web`, `operator`, `room_default`, or `default` for no row."""
    revision: int = 0
    updated_at: str | None = optional()


DEFAULT_POLICY = MemoryPolicy()
"""What holds where a room says nothing."""


@attrs.frozen(kw_only=True)
class PolicyQuery:
    """Whose policy; `system:groupx` asks for what an agent that joins is given."""

    actor_id: ActorId
    room_id: RoomId | None = None
    """None = the active room."""
    default: MemoryPolicy = DEFAULT_POLICY


@attrs.frozen(kw_only=True)
class SetPolicy:
    """Replace the policy that has `expected_revision` (0 = there is none yet)."""

    key: CommandKey
    by: ActorId
    actor_id: ActorId
    """An agent, or `system:groupx` for the default of those who join later."""
    expected_revision: int
    use_memories: bool
    generation: Generation
    reason: str | None = None
