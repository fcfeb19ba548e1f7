"""Codes by which the user's own browser gets its cookie: short-lived, each spent once."""

import hashlib
import secrets
from collections.abc import Callable

import trio

LIFE_SECONDS = 60.0
MAX_OUTSTANDING = 16


class LoginCodes:
    """The codes that may still be spent; over the bound the oldest one is void."""

    def __init__(
        self,
        clock: Callable[[], float] = trio.current_time,
        *,
        on_spent: Callable[[], None] = lambda: None,
    ) -> None:
        self._clock = clock
        self._on_spent = on_spent
        self._expiry: dict[bytes, float] = {}

    def __repr__(self) -> str:
        return f"<LoginCodes {len(self._expiry)}>"

    def new(self) -> str:
        """A code that lives LIFE_SECONDS."""
        code = secrets.token_urlsafe(32)
        self._expiry[_digest(code)] = self._clock() + LIFE_SECONDS
        while len(self._expiry) > MAX_OUTSTANDING:
            del self._expiry[next(iter(self._expiry))]
        return code

    def spend(self, code: str) -> bool:
        """Whether the code was good; it is not any more."""
        expiry = self._expiry.pop(_digest(code), None)
        if expiry is None:
            return False
        self._on_spent()
        return self._clock() < expiry


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.encode("utf-8", "replace")).digest()
