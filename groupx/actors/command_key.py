"""What makes a command of the broker the same one when it comes again."""

from typing import Protocol

import attrs

from groupx.domain.commands import CommandKey
from groupx.domain.wire import camel, to_wire

_NOT_IN_REQUEST = frozenset(
    {"client_command_id", "binding_id", "actor_id", "parent_turn_id", "kind", "action", "waits"}
)
"""Who asks, out of what, and which command it is are not part of what is asked."""


class Command(attrs.AttrsInstance, Protocol):
    """Any message to the broker."""

    @property
    def client_command_id(self) -> str | None:
        """The client's id of it; None: it is not to be known again."""
        ...

    @property
    def binding_id(self) -> str:
        """Through what it came."""
        ...


def command_key(command_type: str, message: Command, *, leave_out: str | None = None) -> CommandKey:
    """By its fields; `leave_out` names one that is not what the client asked."""
    request = attrs.asdict(
        message,
        filter=lambda field, _: field.name not in _NOT_IN_REQUEST and field.name != leave_out,
        recurse=False,
    )
    return CommandKey(
        binding_id=message.binding_id,
        client_command_id=message.client_command_id,
        command_type=command_type,
        request={camel(name): to_wire(value) for name, value in request.items()},
    )
