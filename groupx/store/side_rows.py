"""Rows of the side conversation. A reply's id is its message's with a suffix: at most one each."""

import sqlite3
from typing import Any

from groupx.domain.side_conversation import SideMessage

REPLY_SUFFIX = ":reply"

_INSERT = """
INSERT INTO assistant_conversation_messages
  (message_id, role, content, created_at, client_command_id)
VALUES (?, ?, ?, ?, ?)
"""
ROWS = f"""
SELECT m.message_id, m.role, {{content}}, m.created_at, m.client_command_id,
  m.role = 'user' AND (
    EXISTS (SELECT 1 FROM assistant_conversation_messages r
      WHERE r.message_id = m.message_id || '{REPLY_SUFFIX}')
    OR coalesce((SELECT n.role = 'assistant' AND n.message_id NOT LIKE '%{REPLY_SUFFIX}'
      FROM assistant_conversation_messages n
      WHERE (n.created_at, n.message_id) > (m.created_at, m.message_id)
      ORDER BY n.created_at, n.message_id LIMIT 1), 0))
FROM assistant_conversation_messages m
"""
"""What `read_row` takes. In older ledgers a reply is the row right after its message."""
_ONE = ROWS.format(content="m.content") + " WHERE m.message_id = ?"
_BY_COMMAND = ROWS.format(content="m.content") + " WHERE m.client_command_id = ?"
_NEXT = (
    ROWS.format(content="m.content")
    + " WHERE (m.created_at, m.message_id) > (?, ?) ORDER BY m.created_at, m.message_id LIMIT 1"
)


def insert_row(conn: sqlite3.Connection, message: SideMessage) -> None:
    """Write one."""
    conn.execute(
        _INSERT,
        (
            message.message_id, message.role, message.content, message.created_at,
            message.client_command_id,
        ),
    )  # fmt: skip


def find_row(conn: sqlite3.Connection, message_id: str) -> SideMessage | None:
    """By its id."""
    row = conn.execute(_ONE, (message_id,)).fetchone()
    return None if row is None else read_row(row)


def by_command(conn: sqlite3.Connection, client_command_id: str) -> SideMessage | None:
    """The user's message that came with this command."""
    row = conn.execute(_BY_COMMAND, (client_command_id,)).fetchone()
    return None if row is None else read_row(row)


def reply_to(conn: sqlite3.Connection, message: SideMessage) -> SideMessage | None:
    """Its stored reply."""
    if not message.answered:
        return None
    reply = find_row(conn, message.message_id + REPLY_SUFFIX)
    if reply is not None:
        return reply
    row = conn.execute(_NEXT, (message.created_at, message.message_id)).fetchone()
    return None if row is None else read_row(row)


def read_row(row: tuple[Any, ...]) -> SideMessage:
    """One row of ROWS."""
    message_id = str(row[0])
    ours = row[1] == "assistant" and message_id.endswith(REPLY_SUFFIX)
    return SideMessage(
        message_id=message_id,
        role=row[1],
        content=row[2],
        created_at=row[3],
        client_command_id=row[4],
        reply_to_message_id=message_id.removesuffix(REPLY_SUFFIX) if ours else None,
        answered=bool(row[5]),
    )
