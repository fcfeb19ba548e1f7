"""What stands behind the guards: the handlers of the policy table.

One answer is given here: its request is read and checked by now, so that quart would only cost more
than it does. Quart serves the streams, and is imported for the first.
"""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any, cast

from groupx.actors.importing import imported
from groupx.actors.mailbox import ActorCrashed
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.web import asgi
from groupx.web.asgi import App, Incoming, Scope, Send
from groupx.web.errors import Answer, error_answer, internal_error
from groupx.web.guards import CALL, Behind, Call, Guards
from groupx.web.policy import is_direct
from groupx.web.routes import (
    agents,
    assistant,
    backup,
    bootstrap,
    context,
    health,
    history,
    identity,
    lanes,
    login,
    memory,
    memory_policy,
    messages,
    pages,
    rooms,
    roots,
    search,
    setup,
    shutdown,
    turns,
    view,
)
from groupx.web.services import Entrance, Services

AnyHandler = Callable[[Any, Call], Awaitable[Answer]]


HANDLERS: dict[str, AnyHandler] = {
    **agents.HANDLERS,
    **assistant.HANDLERS,
    **backup.HANDLERS,
    **bootstrap.HANDLERS,
    **context.HANDLERS,
    **health.HANDLERS,
    **history.HANDLERS,
    **search.HANDLERS,
    **identity.HANDLERS,
    **lanes.HANDLERS,
    **login.HANDLERS,
    **memory.HANDLERS,
    **memory_policy.HANDLERS,
    **messages.HANDLERS,
    **pages.HANDLERS,
    **rooms.HANDLERS,
    **roots.HANDLERS,
    **setup.HANDLERS,
    **shutdown.HANDLERS,
    **turns.HANDLERS,
    **view.HANDLERS,
}
"""By the name of their policy; with `needs_room` a handler takes Services, else Entrance."""


def create_guards(entrance: Entrance) -> Guards:
    """What the server serves from the first moment: everything that needs no room."""
    return Guards(entrance, _behind(entrance))


def open_room(guards: Guards, services: Services) -> None:
    """The room is ready: from the next request on it answers."""
    guards.open_room(services, _behind(services))


def _behind(entrance: Entrance) -> Behind:
    quart: App | None = None

    async def serve(scope: Scope, incoming: Incoming, send: Send) -> None:
        nonlocal quart
        call: Call = scope[CALL]
        if call.caller is not None:
            connection = asgi.connection_of(scope)
            with connection.streaming() if connection else nullcontext():
                await entrance.mcp.serve(call.caller, scope, incoming, send)
            return
        if not is_direct(call.policy):
            if quart is None:
                module = await imported("groupx.web.streams.routes")
                quart = cast("App", module.create_app(entrance))
            await quart(scope, incoming, send)
            return
        answer = await answered(HANDLERS[call.policy.name], entrance, call)
        await asgi.send_answer(scope, incoming, send, answer)

    return serve


async def answered(handler: AnyHandler, entrance: Entrance, call: Call) -> Answer:
    """What the handler says, or what its failure means to the caller."""
    try:
        return await handler(entrance, call)
    except GroupXError as error:
        return error_answer(error)
    except ActorCrashed as error:
        return error_answer(
            GroupXError(
                ErrorCode.STORE_UNAVAILABLE,
                f"The {error.name} stopped while this was under way; whether it took effect is "
                "not known. Repeat it with the same clientCommandId once GroupX runs again.",
            )
        )
    except Exception as error:
        return error_answer(internal_error(call.policy.name, error))
