import socket

import pytest

from groupx.supervisor.listener import USER_TIMEOUT_MS, PortTaken, PortUnusable, bind_port


def test_a_free_port_is_listened_on():
    with bind_port("127.0.0.1", 0) as listener:
        address = listener.getsockname()
        assert address[0] == "127.0.0.1"
        assert not listener.getblocking()
        assert not listener.get_inheritable()
        with socket.create_connection(address, timeout=5):
            listener.setblocking(True)
            accepted, _ = listener.accept()
            with accepted:
                if hasattr(socket, "TCP_USER_TIMEOUT"):
                    option = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
                    assert option == USER_TIMEOUT_MS


def test_a_taken_port_is_told_from_other_trouble():
    with bind_port("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(PortTaken, match=str(port)):
            bind_port("127.0.0.1", port)
    bind_port("127.0.0.1", port).close()
    with pytest.raises(PortUnusable, match="cannot be listened on"):
        bind_port("192.0.2.1", 0)
    with pytest.raises(PortUnusable):
        bind_port("127.0.0.1", 70_000)
    with pytest.raises(PortUnusable):
        bind_port("no-such-host.invalid", 0)
