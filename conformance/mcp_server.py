"""The MCP server of the real programs' tests: the one that `groupx conformance` probes with."""

from groupx.capabilities.mcp_probe import McpProbe as McpServer

__all__ = ["McpServer"]
