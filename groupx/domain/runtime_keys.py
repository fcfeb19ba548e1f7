"""The two correlation handles of a runtime. They are no credentials."""

from typing import Any

import attrs

from groupx.domain.canonical import canonical_hash, text_hash
from groupx.domain.config import Config
from groupx.domain.wire import to_wire


def runtime_scope_key(config_path: str) -> str:
    """Same for every runtime of one config file: SHA-256 of its canonical path."""
    return text_hash(config_path)


def runtime_key(config: Config) -> str:
    """Changes with the config: SHA-256 of it and its path, without the values of any `env`."""
    document: dict[str, Any] = to_wire(
        attrs.evolve(
            config,
            agents=tuple(
                attrs.evolve(agent, env=dict.fromkeys(agent.env, "")) for agent in config.agents
            ),
            assistant=None
            if config.assistant is None
            else attrs.evolve(
                config.assistant,
                brain=attrs.evolve(
                    config.assistant.brain,
                    env=dict.fromkeys(config.assistant.brain.env, ""),
                ),
            ),
        )
    )
    path = document.pop("path")
    return canonical_hash({"config": document, "path": path})
