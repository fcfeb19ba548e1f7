"""`groupx.json` as somebody edits it: the whole document, but of its secrets only the names. Pure.

In a draft, a value of `env` that is null is the one that the file has.
"""

import hashlib
import hmac
import json
from collections.abc import Iterator
from typing import Any, cast

from groupx.domain.config_error import ConfigError, describe, document_path

Tree = dict[str, Any]

ABSENT = "absent"
"""The revision of a file that does not exist."""
DEFAULT_PORT = 4310


def revision_of(data: bytes | None, key: bytes) -> str:
    """Which version of the file this is; without `key` it tells nothing of what is in it.

    A plain hash would let who sees it try out what a short value of an `env` might be.
    """
    return ABSENT if data is None else hmac.digest(key, data, hashlib.sha256).hex()


def first_draft(port: int) -> Tree:
    """What a folder without a config begins with; no agent yet. `port` is where it is edited."""
    server: Tree = {} if port == DEFAULT_PORT else {"server": {"port": port}}
    return {**server, "agents": {}}


def draft_of(document: Tree) -> Tree:
    """The draft of a file's document: a copy without a value of any `env`."""
    draft = cast("Tree", json.loads(json.dumps(document)))
    for _, holder in _environments(draft):
        holder["env"] = dict.fromkeys(holder["env"])
    return draft


def completed(draft: Tree, document: Tree | None, *, file: str) -> Tree:
    """The document that `draft` means, with the kept values taken from the file's `document`.

    Raises ConfigError for a value to be kept that the file does not have, and for deep nesting.
    """
    known = {} if document is None else dict(_environments(document))
    try:
        whole = cast("Tree", json.loads(json.dumps(draft)))
    except RecursionError:
        raise ConfigError(file, "", found="deep nesting", allowed="a flat document") from None
    for steps, holder in _environments(whole):
        saved = known.get(steps, {}).get("env", {})
        for name, value in holder["env"].items():
            if value is not None:
                continue
            if name not in saved:
                raise ConfigError(
                    file,
                    document_path((*steps, "env", name)),
                    found="no value",
                    allowed="a text; null keeps the value that the file has, and it has none",
                )
            holder["env"][name] = saved[name]
    return whole


def written(document: Any) -> bytes:
    """A document as it stands in its file."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return f"{text}\n".encode("utf-8", "surrogatepass")


def as_document(value: Any, *, file: str) -> Tree:
    """`value`, which must be a JSON object. Raises ConfigError."""
    if not isinstance(value, dict):
        raise ConfigError(file, "", found=describe(value), allowed="an object")
    return cast("Tree", value)


def _environments(document: Tree) -> Iterator[tuple[tuple[str, ...], Tree]]:
    """Every object that has an `env` of the right form, by the keys that lead to it."""
    agents = document.get("agents")
    places: list[tuple[tuple[str, ...], Any]] = []
    if isinstance(agents, dict):
        places = [(("agents", key), agent) for key, agent in cast("Tree", agents).items()]
    assistant = document.get("assistant")
    if isinstance(assistant, dict):
        places.append((("assistant", "brain"), cast("Tree", assistant).get("brain")))
    for steps, place in places:
        if isinstance(place, dict) and isinstance(cast("Tree", place).get("env"), dict):
            yield steps, cast("Tree", place)
