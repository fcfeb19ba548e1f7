"""Codes by which the user's own browser gets its cookie: short-lived, each spent once."""

import hashlib
import secrets
from collections.abc import Callable

import trio

from groupx.web.token import Token

LIFE_SECONDS = 60.0
MAX_OUTSTANDING = 16


class LoginCodes:
    """The codes that may still be spent.

    Over the bound the oldest one is void; with a new token, all of them are.
    """

    def __init__(
        self,
        token: Token,
        clock: Callable[[], float] = trio.current_time,
        *,
        on_spent: Callable[[], None] = lambda: None,
    ) -> None:
        self._token = token
        self._clock = clock
        self._on_spent = on_spent
        self._life: dict[bytes, tuple[float, trio.Event]] = {}
        """Until when, and what ends it before."""

    def __repr__(self) -> str:
        return f"<LoginCodes {len(self._life)}>"

    def new(self) -> str:
        """A code that lives LIFE_SECONDS."""
        code = secrets.token_urlsafe(32)
        self._life[_digest(code)] = (self._clock() + LIFE_SECONDS, self._token.revoked)
        while len(self._life) > MAX_OUTSTANDING:
            del self._life[next(iter(self._life))]
        return code

    def spend(self, code: str) -> bool:
        """Whether the code was good; it is not any more."""
        life = self._life.pop(_digest(code), None)
        if life is None:
            return False
        self._on_spent()
        expiry, revoked = life
        return self._clock() < expiry and revoked is self._token.revoked


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.encode("utf-8", "replace")).digest()
