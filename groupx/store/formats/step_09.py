"""Format 9: the room's assistant with its side conversation, and resets of the context."""

NUMBER = 9
NAME = "assistant_operator_surface"

STATEMENTS = (
    """
    CREATE TABLE assistant_conversation_messages (
      message_id TEXT PRIMARY KEY,
      role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
      content TEXT NOT NULL,
      created_at TEXT NOT NULL,
      client_command_id TEXT UNIQUE
    )
    """,
    """
    CREATE INDEX assistant_conversation_created_idx
      ON assistant_conversation_messages(created_at, message_id)
    """,
    """
    CREATE TABLE context_resets (
      reset_id TEXT PRIMARY KEY,
      room_id TEXT NOT NULL,
      through_seq INTEGER NOT NULL CHECK (through_seq >= 0),
      reset_native_sessions INTEGER NOT NULL CHECK (reset_native_sessions IN (0, 1)),
      created_at TEXT NOT NULL
    )
    """,
    """
    CREATE INDEX context_resets_room_seq_idx
      ON context_resets(room_id, through_seq DESC, created_at DESC)
    """,
    """
    INSERT INTO actors (actor_id, kind, display_name, enabled, created_at, updated_at)
      VALUES ('user:assistant', 'user', 'Assistant', 1, :now, :now)
      ON CONFLICT (actor_id) DO NOTHING
    """,
)
