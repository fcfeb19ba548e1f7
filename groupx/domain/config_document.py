"""`groupx.json` as it is written: bytes → JSON → records with strict keys and types."""

import json
from collections.abc import Callable
from typing import Any, NewType, cast, get_args

import attrs
from cattrs import Converter, IterableValidationNote, override
from cattrs.cols import is_mapping
from cattrs.errors import AttributeValidationNote
from cattrs.gen import make_dict_structure_fn

from groupx.domain.config_error import ConfigError, describe, document_path
from groupx.domain.limits import Limits, Timeouts
from groupx.domain.text import has_lone_surrogate
from groupx.domain.wire import camel

MAX_CONFIG_BYTES = 1024 * 1024

Words = NewType("Words", tuple[str, ...])
"""A list of texts."""
Command = NewType("Command", tuple[str, ...])
"""An argv prefix: a text, a list of texts, or `{executable, prefixArgs}`."""


@attrs.frozen(kw_only=True)
class ServerDocument:
    """`server`."""

    host: str = "127.0.0.1"
    port: int = 4310


@attrs.frozen(kw_only=True)
class StorageDocument:
    """`storage`."""

    path: str | None = None


@attrs.frozen(kw_only=True)
class AgentDocument:
    """`agents.<id>`."""

    driver: str | None = None
    name: str | None = None
    identity: str = ""
    command: Command | None = None
    args: Words = Words(())
    mode: str | None = None
    cwd: str
    env: dict[str, str] = attrs.field(factory=dict[str, str])
    enabled: bool = True


@attrs.frozen(kw_only=True)
class BrainDocument:
    """`assistant.brain`."""

    driver: str
    command: Command | None = None
    args: Words = Words(())
    mode: str | None = None
    cwd: str
    env: dict[str, str] = attrs.field(factory=dict[str, str])


@attrs.frozen(kw_only=True)
class AssistantDocument:
    """`assistant`."""

    enabled: bool
    name: str
    brain: BrainDocument
    extra_instructions: str = ""


@attrs.frozen(kw_only=True)
class ConfigDocument:
    """The whole file."""

    transport: str = "structured"
    server: ServerDocument = attrs.field(factory=ServerDocument)
    storage: StorageDocument = attrs.field(factory=StorageDocument)
    agents: dict[str, AgentDocument]
    assistant: AssistantDocument | None = None
    limits: Limits = attrs.field(factory=Limits)
    timeouts: Timeouts = attrs.field(factory=Timeouts)


def read_document(data: bytes, *, file: str) -> ConfigDocument:
    """The records of one file; ConfigError names the first thing that is not as allowed."""
    tree = read_json(data, file=file)
    try:
        return _CONVERTER.structure(tree, ConfigDocument)
    except Exception as error:
        steps, cause = _innermost(error, ())
        if not isinstance(cause, _Wrong):
            raise
        where = (*steps, *cause.steps)
        secret = "env" in where
        found = cause.found or describe(cause.value, secret=secret)
        raise ConfigError(file, document_path(where), found=found, allowed=cause.allowed) from None


# --- JSON -------------------------------------------------------------------------------------


class _Doubled(dict[str, Any]):
    """A JSON object in which a key stands twice; `key` is the first such."""

    key: str


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    doubled = _Doubled(plain)
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            doubled.key = key
            break
        seen.add(key)
    return doubled


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def read_json(data: bytes, *, file: str) -> Any:
    """The plain document of one file; ConfigError when it is not JSON, too large or doubled."""
    if len(data) > MAX_CONFIG_BYTES:
        raise ConfigError(
            file, "", found=f"{len(data)} bytes", allowed=f"at most {MAX_CONFIG_BYTES} bytes"
        )
    try:
        text = data.decode("utf-8-sig")
        tree = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ConfigError(file, where, found=error.msg, allowed="JSON") from None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = "bytes that are not UTF-8"
        raise ConfigError(file, f"line {line}", found=found, allowed="UTF-8 text") from None
    except RecursionError:
        raise ConfigError(file, "", found="deep nesting", allowed="a flat document") from None
    except ValueError as error:
        raise ConfigError(file, "", found=str(error), allowed="JSON") from None
    _refuse_doubled(tree, (), file)
    return tree


def _refuse_doubled(value: Any, steps: tuple[str | int, ...], file: str) -> None:
    if isinstance(value, _Doubled):
        where = document_path((*steps, value.key))
        raise ConfigError(file, where, found="this key twice", allowed="each key once")
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            _refuse_doubled(item, (*steps, key), file)
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            _refuse_doubled(item, (*steps, index), file)


# --- records ----------------------------------------------------------------------------------


class _Wrong(ValueError):
    """A value that is not as allowed; `steps` lead to it from where the reader stood."""

    def __init__(
        self, value: Any, allowed: str, *, steps: tuple[str | int, ...] = (), found: str = ""
    ) -> None:
        super().__init__(allowed)
        self.value = value
        self.allowed = allowed
        self.steps = steps
        self.found = found


def _text(value: Any, _: Any = None) -> str:
    if not isinstance(value, str):
        raise _Wrong(value, "a text")
    if "\0" in value or has_lone_surrogate(value):
        raise _Wrong(value, "a text of whole characters without NUL", found="an unusable character")
    return value


def _number(value: Any, _: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _Wrong(value, "a whole number")
    return value


def _flag(value: Any, _: Any) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(value, "true or false")
    return value


def _words(value: Any, _: Any = None) -> Words:
    if not isinstance(value, list):
        raise _Wrong(value, "a list of texts")
    words: list[str] = []
    for index, item in enumerate(cast("list[Any]", value)):
        try:
            words.append(_text(item))
        except _Wrong as error:
            raise _Wrong(item, error.allowed, steps=(index,), found=error.found) from None
    return Words(tuple(words))


_COMMAND_FORMS = 'a program ("kimi"), or a list (["npx", "-y", "…"])'


def _command(value: Any, _: Any) -> Command:
    if isinstance(value, str):
        words = (_text(value),)
    elif isinstance(value, list):
        words = _words(cast("list[Any]", value))
    elif isinstance(value, dict):
        older = cast("dict[str, Any]", value)
        if not older.keys() <= {"executable", "prefixArgs"} or "executable" not in older:
            raise _Wrong(older, "the keys executable and prefixArgs, or a list of texts")
        words = (_text(older["executable"]), *_words(older.get("prefixArgs", [])))
    else:
        raise _Wrong(value, _COMMAND_FORMS)
    if not words or not words[0]:
        raise _Wrong(cast("Any", value), _COMMAND_FORMS, found="no program")
    return Command(words)


def _mapping_of(converter: Converter, item: Any) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        if not isinstance(value, dict):
            raise _Wrong(value, "an object")
        out: dict[str, Any] = {}
        for key, found in cast("dict[str, Any]", value).items():
            try:
                out[_text(key)] = converter.structure(found, item)
            except Exception as error:
                steps, cause = _innermost(error, ())
                if not isinstance(cause, _Wrong):
                    raise
                raise _Wrong(
                    cause.value,
                    cause.allowed,
                    steps=(key, *steps, *cause.steps),
                    found=cause.found,
                ) from None
        return out

    return structure


def _record_of(converter: Converter, cls: type[attrs.AttrsInstance]) -> Callable[[Any, Any], Any]:
    fields = attrs.fields(cls)
    known = {camel(field.name) for field in fields}
    required = {camel(field.name) for field in fields if field.default is attrs.NOTHING}
    renames = {field.name: override(rename=camel(field.name)) for field in fields}
    inner = make_dict_structure_fn(cls, converter, **renames)  # pyright: ignore[reportArgumentType]

    def structure(value: Any, kind: Any) -> Any:
        keys = ", ".join(sorted(known))
        if not isinstance(value, dict):
            raise _Wrong(value, f"an object with the keys {keys}")
        document = cast("dict[str, Any]", value)
        for key in document:
            if key not in known:
                raise _Wrong(document, f"the keys {keys}", steps=(key,), found="an unknown key")
        for key in sorted(required - document.keys()):
            raise _Wrong(document, "this key is required", steps=(key,), found="nothing")
        return inner(document, kind)

    return structure


def _make_converter() -> Converter:
    converter = Converter(detailed_validation=True)
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(int, _number)
    converter.register_structure_hook(bool, _flag)
    converter.register_structure_hook(Words, _words)
    converter.register_structure_hook(Command, _command)

    def mapping(kind: Any) -> Callable[[Any, Any], Any]:
        return _mapping_of(converter, get_args(kind)[1])

    def record(cls: type[attrs.AttrsInstance]) -> Callable[[Any, Any], Any]:
        return _record_of(converter, cls)

    converter.register_structure_hook_factory(is_mapping, mapping)
    converter.register_structure_hook_factory(attrs.has, record)
    return converter


def _innermost(
    error: BaseException, steps: tuple[str | int, ...]
) -> tuple[tuple[str | int, ...], BaseException]:
    """The first cause inside cattrs' groups, and the keys that lead to it."""
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            steps = (*steps, camel(note.name))
        elif isinstance(note, IterableValidationNote):
            steps = (*steps, note.index)
    if isinstance(error, BaseExceptionGroup):
        return _innermost(cast("BaseExceptionGroup[Any]", error).exceptions[0], steps)
    return steps, error


_CONVERTER = _make_converter()
