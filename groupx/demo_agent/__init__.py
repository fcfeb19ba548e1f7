"""The demo room's member, and a test agent. Imports nothing of GroupX but its domain."""

from groupx.demo_agent.packet import read_packet

__all__ = ["read_packet"]
