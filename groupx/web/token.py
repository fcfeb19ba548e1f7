"""The data directory's token: who holds it is the user."""

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

import trio

_BYTES = 32
_HEX = _BYTES * 2


def ensure_token(path: Path) -> str:
    """The token in `path`, made (0600, at once whole) if there is none.

    Raises OSError, and ValueError when the file holds no token.
    """
    if not path.exists():
        staged = _stage(path)
        try:
            with contextlib.suppress(FileExistsError):
                os.link(staged, path)
        finally:
            staged.unlink()
    return read_token(path)


def read_token(path: Path) -> str:
    """The token in `path`; a file that others could read is closed to them first."""
    if stat.S_IMODE(path.stat().st_mode) != 0o600:
        path.chmod(0o600)
    text = path.read_text("ascii").strip()
    if len(text) != _HEX or not set(text) <= set("0123456789abcdef"):
        raise ValueError(
            f"{path} holds no token, so nobody can log in. "
            "Remove the file; the next start makes a new one."
        )
    return text


def rotate_token(path: Path) -> str:
    """Replace the token; who held the old one is out once the running room has looked."""
    _stage(path).replace(path)
    return read_token(path)


def _stage(path: Path) -> Path:
    staged = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        file.write(secrets.token_hex(_BYTES) + "\n")
        file.flush()
        os.fsync(descriptor)
    return staged


class Token:
    """The token as the running daemon checks it; a new file counts from the next look at it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._bearer = b""
        self._cookie = b""
        self._revoked = trio.Event()
        ensure_token(path)
        self._load()

    def __repr__(self) -> str:
        return "<Token>"

    def opens_as_bearer(self, presented: str) -> bool:
        """Whether `presented` is the token."""
        self._refresh()
        return hmac.compare_digest(presented.encode("utf-8", "replace"), self._bearer)

    def opens_as_cookie(self, presented: str) -> bool:
        """Whether `presented` is the browser's cookie value."""
        self._refresh()
        return hmac.compare_digest(presented.encode("utf-8", "replace"), self._cookie)

    @property
    def cookie(self) -> str:
        """What a logged-in browser keeps: HMAC(token, "browser"), never the token itself."""
        self._refresh()
        return self._cookie.decode()

    def key_for(self, purpose: str) -> bytes:
        """A key of this install's own, from which neither the token nor another key is known."""
        self._refresh()
        return hmac.digest(self._bearer, f"key:{purpose}".encode(), hashlib.sha256)

    @property
    def revoked(self) -> trio.Event:
        """Set once the token that counts now does not count any more; one for each token."""
        self._refresh()
        return self._revoked

    def _refresh(self) -> None:
        try:
            if self._stat() != self._stamp:
                self._load()
        except (OSError, ValueError):
            return  # a file in repair does not lock out those who are in

    def _stat(self) -> tuple[int, int]:
        found = self._path.stat()
        return found.st_ino, found.st_mtime_ns

    def _load(self) -> None:
        stamp = self._stat()
        token = read_token(self._path).encode()
        self._stamp = stamp
        if token == self._bearer:
            return
        self._bearer = token
        self._cookie = hmac.digest(token, b"browser", hashlib.sha256).hex().encode()
        revoked, self._revoked = self._revoked, trio.Event()
        revoked.set()
