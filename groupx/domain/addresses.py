"""Where a program listens that GroupX does not start: a socket of this machine. Pure."""

from urllib.parse import urlsplit

import attrs

LOOPBACK = "127.0.0.1"
FORMS = f"ws://{LOOPBACK}:PORT or unix:///PATH, both of this machine only"
_SCHEME = "://"
_LOOPBACK_NAMES = frozenset({LOOPBACK, "localhost"})


@attrs.frozen(kw_only=True)
class SocketAddress:
    """A WebSocket server on loopback, or behind a Unix socket."""

    text: str
    """As it is configured."""
    port: int | None = None
    socket_path: str | None = None
    """Absolute; exactly one of `port` and `socket_path` is there."""
    resource: str = "/"
    """What is asked for in the handshake."""

    @property
    def host(self) -> str:
        """As the handshake names it."""
        return "localhost" if self.port is None else f"{LOOPBACK}:{self.port}"


def is_address(command: str) -> bool:
    """Whether a command names something to connect to, rather than a program to start."""
    return _SCHEME in command


def socket_address(text: str) -> SocketAddress:
    """The address that `text` names. ValueError unless it is one of `FORMS`."""
    parts = urlsplit(text)
    if parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(text)
    if parts.scheme == "unix" and not parts.netloc and len(parts.path) > 1:
        return SocketAddress(text=text, socket_path=parts.path)
    if parts.scheme == "ws" and parts.hostname in _LOOPBACK_NAMES and parts.port:
        return SocketAddress(text=text, port=parts.port, resource=parts.path or "/")
    raise ValueError(text)
