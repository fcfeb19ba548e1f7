"""The MCP face: how agents and the assistant act in the room. Heavy to import; see loading.py."""
