"""What the user and the assistant say to each other, each thing once."""

import attrs

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.side_conversation import (
    MAX_WAITING,
    ReplyAside,
    SaidAside,
    SayAsideCommand,
    SideMessage,
)
from groupx.store.command_rows import first_result, remember
from groupx.store.enqueue import check_content
from groupx.store.side_rows import REPLY_SUFFIX, by_command, find_row, insert_row, reply_to
from groupx.store.transaction import Transaction


def say_aside(tx: Transaction, command: SayAsideCommand) -> SaidAside:
    """The user's message; the same command gets the same one, with its reply if there is one.

    CLIENT_COMMAND_CONFLICT, MESSAGE_TOO_LARGE, QUEUE_CAPACITY_REACHED. Nothing of it becomes an
    event of a room.
    """
    known = first_result(tx, command.key)
    command_id = command.key.client_command_id or tx.ids.new("cmd")
    message = by_command(tx.conn, command_id)
    if message is not None:
        if message.content != command.content:
            raise GroupXError(
                ErrorCode.CLIENT_COMMAND_CONFLICT,
                f"The command id '{command_id}' was already used for another message to the "
                "assistant; nothing was changed. Send this one under an id of its own.",
            )
        return SaidAside(message=message, reply=reply_to(tx.conn, message))
    check_content(command.content, command.limits)
    if not command.has_room:
        raise queue_is_full()
    message = SideMessage(
        message_id=tx.ids.new("asst"),
        role="user",
        content=command.content,
        created_at=tx.now,
        client_command_id=command_id,
    )
    insert_row(tx.conn, message)
    if known is None:
        remember(tx, command.key, {"messageId": message.message_id})
    return SaidAside(message=message)


def queue_is_full() -> GroupXError:
    """Nothing more may wait for the assistant."""
    return GroupXError(
        ErrorCode.QUEUE_CAPACITY_REACHED,
        f"{MAX_WAITING} messages already wait for the assistant, so it was not given this one. "
        "Wait for its replies, or cancel them.",
        limit=MAX_WAITING,
    )


def reply_aside(tx: Transaction, reply: ReplyAside) -> SideMessage:
    """Store the reply to a message; one that is there already stands. NOT_FOUND."""
    message = find_row(tx.conn, reply.message_id)
    if message is None:
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"There is no message '{reply.message_id}' to the assistant; no reply was stored.",
        )
    known = reply_to(tx.conn, message)
    if known is not None:
        return known
    answer = SideMessage(
        message_id=message.message_id + REPLY_SUFFIX,
        role="assistant",
        content=reply.content,
        created_at=tx.now,
    )
    insert_row(tx.conn, answer)
    return attrs.evolve(answer, reply_to_message_id=message.message_id)
