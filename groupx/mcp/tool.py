"""What a tool is: a name, what a model is told of it, its arguments, and what it does."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar, cast

import attrs
from pydantic import BaseModel, ConfigDict, ValidationError

from groupx.actors.callers import Caller
from groupx.domain.commands import SENDER_FIELDS
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.text import excerpt, has_lone_surrogate
from groupx.domain.wire import camel
from groupx.mcp.room import RoomFace

MAX_RESULT_BYTES = 64 * 1024
MAX_PROBLEMS = 5
MAX_ID_CHARACTERS = 200
MAX_NUMBER = (1 << 63) - 1


class Arguments(BaseModel):
    """Base of every tool's arguments: camelCase on the wire, unknown fields refused."""

    model_config = ConfigDict(
        alias_generator=camel, extra="forbid", frozen=True, populate_by_name=True
    )


A = TypeVar("A", bound=Arguments)
Answer = Mapping[str, Any]
Tell = Callable[[str], Awaitable[None]]


@attrs.frozen(kw_only=True)
class Call:
    """One call of one tool, as the tool sees it."""

    caller: Caller
    room: RoomFace
    tell: Tell
    """Says how it goes, so that the client does not take it for dead."""


@attrs.frozen(kw_only=True)
class Tool(Generic[A]):
    """One row of a desk."""

    name: str
    description: str
    """What can be observed; never how a model should organise its work."""
    arguments: type[A]
    run: Callable[[Call, A], Awaitable[Answer]]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return self.arguments.model_json_schema(by_alias=True)

    async def __call__(self, call: Call, given: Mapping[str, Any]) -> Answer:
        """Check the arguments and do it. SENDER_FIELD_FORBIDDEN, INVALID_ENVELOPE, and its own."""
        for name in SENDER_FIELDS & given.keys():
            raise GroupXError(
                ErrorCode.SENDER_FIELD_FORBIDDEN,
                f"'{name}' may not be given: who speaks is known from the session. Nothing was "
                "done; call it again without.",
                field=name,
            )
        if odd := _odd(given):
            raise GroupXError(
                ErrorCode.INVALID_ENVELOPE,
                f"The arguments of {self.name} hold {odd}; nothing was done.",
            )
        try:
            arguments = self.arguments.model_validate(given, by_alias=True, by_name=False)
        except ValidationError as error:
            raise GroupXError(
                ErrorCode.INVALID_ENVELOPE,
                f"The arguments of {self.name} cannot be read, so nothing was done: "
                f"{_problems(error)}",
            ) from None
        return await self.run(call, arguments)


AnyTool = Tool[Any]


def desk_of(*tools: AnyTool) -> Mapping[str, AnyTool]:
    """Tools by name."""
    return {tool.name: tool for tool in tools}


def _odd(value: Any, name: str = "") -> str | None:
    """What no argument may hold, in words: half a character, an endless number or id."""
    if isinstance(value, str):
        if has_lone_surrogate(value):
            return "half of a surrogate pair, which is not text"
        if name.endswith("Id") and len(value) > MAX_ID_CHARACTERS:
            return f"an id of more than {MAX_ID_CHARACTERS} characters"
    elif isinstance(value, int | float):
        return None if abs(value) <= MAX_NUMBER else "a number that is too large"
    elif isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value)
        return next((odd for key, item in items.items() if (odd := _odd(item, key))), None)
    elif isinstance(value, list):
        return next((odd for item in cast("list[Any]", value) if (odd := _odd(item, name))), None)
    return None


def _problems(error: ValidationError) -> str:
    found = [
        f"{'.'.join(map(str, problem['loc'])) or 'the whole'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)[:MAX_PROBLEMS]
    ]
    return excerpt("; ".join(found), 1_000)
