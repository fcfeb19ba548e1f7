"""What is known to go wrong with one program or another, as rows, and how it is found."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from groupx.adapters.probing import output_of
from groupx.process.spawner import Spawner

OLDEST_NODE: Mapping[str, tuple[int, int]] = MappingProxyType({"kimi": (22, 19)})
"""Driver → the Node that its program needs, where that is a script for Node."""

WITHOUT_MCP: Mapping[str, str] = MappingProxyType(
    {
        "hermes": "Hermes ignores MCP servers, without a word, where its `mcp` extra is missing. "
        "Install it: pip install 'hermes-agent[acp,mcp]'.",
    }
)
"""Driver → what it means when its program does not come to the MCP server it was given."""

SHEBANG_BYTES = 200


async def node_problem(
    driver: str, path: str, environment: Mapping[str, str], spawner: Spawner
) -> str | None:
    """That the Node which would run the program is too old for it."""
    oldest = OLDEST_NODE.get(driver)
    if oldest is None or not _is_for_node(path):
        return None
    said = await output_of(spawner, ("node", "--version"), environment)
    found = re.match(r"v?(\d+)\.(\d+)", said.strip())
    needed = ".".join(map(str, oldest))
    if found is None:
        return f"It is a script for Node, and there is none. Install Node {needed} or newer."
    if (int(found[1]), int(found[2])) < oldest:
        return (
            f"It needs Node {needed} or newer, and the one on PATH is {said.strip()}. Install a "
            'newer one, or name one in `command`: ["/path/to/node", "/path/to/the program"].'
        )
    return None


def _is_for_node(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            first = file.readline(SHEBANG_BYTES)
    except OSError:
        return False
    return first.startswith(b"#!") and b"node" in first
