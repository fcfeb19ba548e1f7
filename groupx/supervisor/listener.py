"""The listening socket: bound first, held to the end, never waiting for a dead reader."""

import errno
import socket

USER_TIMEOUT_MS = 30_000
"""How long sent bytes may stay unacknowledged before the kernel ends the connection."""
BACKLOG = 1024
MAX_PORT = 65_535


class PortTaken(Exception):
    """Somebody listens there already."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(f"port {port} on {host} is in use by another program")
        self.host = host
        self.port = port


class PortUnusable(Exception):
    """The address cannot be listened on, for another reason than that it is in use."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(
            f"Port {port} on {host} cannot be listened on: {reason}. Nothing was started. "
            "Choose another host or port in the config."
        )
        self.host = host
        self.port = port


def bind_port(host: str, port: int) -> socket.socket:
    """A listening, non-blocking socket; port 0 takes a free one. Raises PortTaken, PortUnusable."""
    listener = None
    if not 0 <= port <= MAX_PORT:
        raise PortUnusable(host, port, f"a port is a number from 0 to {MAX_PORT}")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Accepted sockets inherit it.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT_MS)
        listener.bind(address)
        # Two sockets may be bound with SO_REUSEADDR; only one may listen.
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        if listener is not None:
            listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(host, port) from error
        reason = (error.strerror or str(error)).lower()
        raise PortUnusable(host, port, reason) from error
    return listener
