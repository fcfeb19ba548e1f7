"""What leaves this machine in a report: no secret, no path, no name of a session."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence

_SECRET_NAME = re.compile(
    r"(?i)(key|token|secret|passw|pwd|credential|bearer|cookie|authorization)"
)
_ID = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{24,}\b",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{12,}|\b(sk|xai|ghp|gho|pat)[-_][\w-]{16,}")
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")
_PATH = re.compile(r"(?<![\w:/.])(?:~|\.{1,2})?/(?:[^\s/\"':,;]+/)*([^\s/\"':,;]+)/?")
_MIN_SECRET_CHARACTERS = 5
MAX_ARGUMENT = 80


class Redactor:
    """Reduces texts and argument lists. It knows the values that must never be shown."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        found = {text for text in secrets if len(text) >= _MIN_SECRET_CHARACTERS}
        self._secrets = sorted(found, key=len, reverse=True)

    def text(self, text: str) -> str:
        """A text without known secrets, tokens, ids and folders."""
        text = _ID.sub("<id>", self.without_secrets(text))
        return _PATH.sub(lambda found: f"…/{found[1]}", text)

    def without_secrets(self, text: str) -> str:
        """A text for the user's own eyes: its folders and ids stay."""
        for secret in self._secrets:
            text = text.replace(secret, "<secret>")
        return _USERINFO.sub("<secret>@", _BEARER.sub("<secret>", text))

    def argv(self, argv: Sequence[str]) -> tuple[str, ...]:
        """The shape of a command line."""
        shape: list[str] = []
        hidden = False
        for argument in argv:
            name, equals, value = argument.partition("=")
            if hidden:
                shape.append("<secret>")
            elif equals and value and _SECRET_NAME.search(name):
                shape.append(f"{name}=<secret>")
            else:
                shape.append(self.text(argument)[:MAX_ARGUMENT])
            hidden = (
                argument.startswith("-") and not equals and bool(_SECRET_NAME.search(argument))
            ) and not hidden
        return tuple(shape)


def secrets_in(*environments: Mapping[str, str]) -> set[str]:
    """The values of the variables whose names speak of secrets."""
    return {
        value
        for environment in environments
        for name, value in environment.items()
        if _SECRET_NAME.search(name) and not os.path.exists(value)
    }
