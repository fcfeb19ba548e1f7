"""GroupX: native coding agents and their user in one durable, local room."""

__version__ = "0.1.0"
