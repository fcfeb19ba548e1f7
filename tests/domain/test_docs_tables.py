"""The pages for users name everything that the tables hold, so that they cannot rot silently."""

from pathlib import Path

import attrs
import pytest

from groupx.adapters.registry import ADAPTERS
from groupx.domain.config_document import (
    AgentDocument,
    AssistantDocument,
    BrainDocument,
    ConfigDocument,
    ServerDocument,
    StorageDocument,
)
from groupx.domain.config_parsing import parse_config
from groupx.domain.errors import HTTP_STATUS, ErrorCode
from groupx.domain.event_types import DURABLE, TRANSIENT
from groupx.domain.limits import Limits, Timeouts
from groupx.domain.wire import camel

DOCS = Path(__file__).parents[2] / "docs"
CONFIGURATION = (DOCS / "configuration.md").read_text()
HTTP = (DOCS / "http.md").read_text()
FAILURES = (DOCS / "reading-a-failure.md").read_text()

SECTIONS: tuple[tuple[str, type[attrs.AttrsInstance], str], ...] = (
    ("### The top level", ConfigDocument, ""),
    ("### `server`", ServerDocument, "server."),
    ("### `storage`", StorageDocument, "storage."),
    ("### `agents.<id>`", AgentDocument, ""),
    ("### `assistant`", AssistantDocument, "assistant."),
    ("### `assistant`", BrainDocument, "assistant.brain."),
    ("### `limits`", Limits, ""),
    ("### `timeouts`", Timeouts, ""),
)


@pytest.mark.parametrize(("heading", "record", "prefix"), SECTIONS)
def test_every_key_of_the_config_has_a_row(
    heading: str, record: type[attrs.AttrsInstance], prefix: str
) -> None:
    rows = CONFIGURATION.partition(f"\n{heading}\n")[2].partition("\n##")[0]
    for field in attrs.fields(record):
        assert f"\n| `{prefix}{camel(field.name)}` | " in rows


@pytest.mark.parametrize("record", [Limits(), Timeouts()], ids=["limits", "timeouts"])
def test_the_defaults_are_the_real_ones(record: attrs.AttrsInstance) -> None:
    for name, value in attrs.asdict(record).items():
        assert f"\n| `{camel(name)}` | {value} | " in CONFIGURATION


def test_every_driver_is_named() -> None:
    for driver in ADAPTERS:
        assert f"`{driver}`" in CONFIGURATION


def test_the_examples_are_right() -> None:
    examples = [block.partition("```")[0] for block in CONFIGURATION.split("```json\n")[1:]]
    assert len(examples) == 3
    for example in examples:
        path = "/rooms/groupx.json"
        assert parse_config(example.encode(), path=path, drivers=ADAPTERS).agents


def test_every_code_with_a_status_is_in_the_http_page() -> None:
    for code, status in HTTP_STATUS.items():
        unused = HTTP.partition("\nStatuses")[2].partition("\n\n")[0]
        assert f"| {status} | `{code}` |" in HTTP or f"`{code}`" in unused


def test_every_code_that_only_turns_carry_is_explained() -> None:
    for code in {*ErrorCode} - HTTP_STATUS.keys() | {ErrorCode.ADAPTER_NOT_FOUND}:
        assert f"`{code}`" in FAILURES


def test_every_event_type_is_named() -> None:
    for event_type in DURABLE | TRANSIENT:
        group = event_type.rpartition(".")[0]
        assert f"`{event_type}`" in HTTP or f"`{group}.*`" in HTTP
