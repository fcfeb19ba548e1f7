"""What is wrong with a `groupx.json`, said so that its writer can mend it."""

import json
from collections.abc import Sequence
from typing import Any

from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.text import excerpt, without_surrogates

_SHOWN_CHARACTERS = 60


class ConfigError(GroupXError):
    """The configuration is refused: `file`, `where` in it, what was `found`, what is `allowed`."""

    def __init__(
        self,
        file: str,
        where: str,
        *,
        found: str,
        allowed: str,
        code: ErrorCode = ErrorCode.INVALID_ENVELOPE,
    ) -> None:
        place = f"{file}: {where}" if where else file
        super().__init__(
            code,
            f"{place}: found {found}; allowed: {allowed}. Nothing was started.",
            file=file,
            path=where,
            found=found,
            allowed=allowed,
        )
        self.file = file
        self.where = where
        self.found = found
        self.allowed = allowed

    def unsaved(self) -> GroupXError:
        """The same refusal, of a document that was to be saved."""
        return GroupXError(
            self.code,
            f"{self.where or 'The document'}: found {self.found}; allowed: {self.allowed}. "
            "Nothing was saved.",
            **self.details,
        )


def document_path(steps: Sequence[str | int]) -> str:
    """`agents.kimi.args[2]` for the keys and indexes that lead to a value."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif text:
            text += f".{step}"
        else:
            text = step
    return without_surrogates(text)


def describe(value: Any, *, secret: bool = False) -> str:
    """A value as an error shows it: its kind or a short excerpt; never the text of a secret."""
    match value:
        case None | bool():
            return json.dumps(value)
        case list():
            return "a list"
        case dict():
            return "an object"
        case str() if secret:
            return "a text"
        case _ if secret:
            return "a number"
        case _:
            return excerpt(json.dumps(value), _SHOWN_CHARACTERS)
