"""What the bodies of events refer to, where no foreign key of the ledger looks.

An event may name a turn that is still to come in the file; so what is not there yet is asked for
once all lines are read.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any, cast

from groupx.store.exchange.kinds import NAME
from groupx.store.exchange.lines import WrongLineError, shown

_TURN = "SELECT 1 FROM turns WHERE turn_id = ?"
_EVENT = "SELECT 1 FROM events WHERE event_id = ?"
_OF_TURN = {"turnId": _TURN}
_BODIES: dict[str, dict[str, str]] = {
    "message.created": {**_OF_TURN, "retryOfTurnId": _TURN, "childTurnId": _TURN},
    "message.withdrawn": {"messageEventId": _EVENT, "replacedByEventId": _EVENT},
    "turn.queued": {**_OF_TURN, "sourceEventId": _EVENT},
    "turn.dispatched": _OF_TURN,
    "turn.started": _OF_TURN,
    "turn.completed": {**_OF_TURN, "responseEventId": _EVENT},
    "turn.failed": _OF_TURN,
    "turn.cancelled": _OF_TURN,
    "turn.interrupted": _OF_TURN,
    "turn.reasoning.recorded": _OF_TURN,
    "tool.progress.recorded": _OF_TURN,
    "supervision.paired": {"sourceEventId": _EVENT, "watchEventId": _EVENT},
    "supervision.observed": {"watchTurnId": _TURN, "subjectTurnId": _TURN},
    "supervision.steered": {"subjectTurnId": _TURN, "nextTurnId": _TURN},
}
"""Type of event → field of its body → how what it names is found; others are not read."""
_SOURCE = {"sourceEventId": _EVENT}
_OUTLIVING = ("memory.", "identity.")
"""Their source may have been in a room that was pruned since."""


class References:
    """The references of all events of one file."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._open: dict[tuple[str, str], tuple[int, str]] = {}

    def take(self, event: Mapping[str, Any], number: int) -> None:
        """Those of the event in line `number`, whose fields are checked. WrongLineError."""
        kind = cast("str", event["type"])
        self._of("body", event["body"], _BODIES.get(kind, {}), number)
        provenance = event.get("provenance")
        if provenance is not None:
            outlives = kind.startswith(_OUTLIVING)
            self._of("provenance", provenance, _SOURCE, number, must_exist=not outlives)

    def missing(self) -> tuple[int, str] | None:
        """The first line that names something which is not in the file, and what is wrong."""
        for (query, name), found in self._open.items():
            if not self._exists(query, name):
                return found
        return None

    def _of(
        self,
        group: str,
        values: Mapping[str, Any],
        fields: Mapping[str, str],
        number: int,
        *,
        must_exist: bool = True,
    ) -> None:
        for key, query in fields.items():
            name = values.get(key)
            if name is None:
                continue
            if not NAME.fits(name):
                raise WrongLineError(f"'{group}.{key}' must be {NAME.name}; found {shown(name)}")
            if must_exist and (query, name) not in self._open and not self._exists(query, name):
                wrong = f"'{group}.{key}' refers to {shown(name)}, which is not in this file"
                self._open[query, name] = number, wrong

    def _exists(self, query: str, name: str) -> bool:
        return self._conn.execute(query, (name,)).fetchone() is not None
