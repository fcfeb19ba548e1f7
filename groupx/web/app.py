"""What stands behind the guards: the handlers of the policy table.

The API is answered here: its requests are read and checked by now, so that quart would only cost
more than they do. Quart serves what is more than one answer (streams) and the browser's files.
"""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from typing import Any, cast

from quart import Response, request
from quart_trio import QuartTrio

from groupx.actors.mailbox import ActorCrashed
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.web import asgi
from groupx.web.asgi import App, Incoming, Scope, Send
from groupx.web.errors import Answer, error_answer, internal_error
from groupx.web.guards import CALL, Behind, Call, Guards
from groupx.web.policy import POLICIES, Auth, Policy, is_direct
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
from groupx.web.streams.routes import register as register_streams

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
    app: Any = create_app(entrance)
    quart: App = app

    async def serve(scope: Scope, incoming: Incoming, send: Send) -> None:
        call: Call = scope[CALL]
        if call.caller is not None:
            connection = asgi.connection_of(scope)
            with connection.streaming() if connection else nullcontext():
                await entrance.mcp.serve(call.caller, scope, incoming, send)
            return
        if not is_direct(call.policy):
            await quart(scope, incoming, send)
            return
        answer = await _answered(HANDLERS[call.policy.name], entrance, call)
        await asgi.send_answer(scope, incoming, send, answer)

    return serve


def create_app(entrance: Entrance) -> QuartTrio:
    """Quart's routes that `entrance` suffices for; all of them when it is the whole Services."""
    app = QuartTrio("groupx", static_folder=None, template_folder=None)
    has_room = isinstance(entrance, Services)
    for policy in POLICIES:
        mine = not policy.stream and not is_direct(policy) and policy.auth is not Auth.SESSION
        if mine and (has_room or not policy.needs_room):
            _add(app, policy, entrance)
    if isinstance(entrance, Services):
        register_streams(app, entrance)
    app.register_error_handler(Exception, _unexpected)
    return app


def _add(app: QuartTrio, policy: Policy, entrance: Entrance) -> None:
    handler = HANDLERS[policy.name]

    async def view(**_segments: str) -> Response:
        scope = cast("dict[str, Any]", request.scope)
        return _response(await _answered(handler, entrance, scope[CALL]))

    app.add_url_rule(
        policy.path,
        policy.name,
        view,
        methods=[policy.method],
        provide_automatic_options=False,
    )


async def _answered(handler: AnyHandler, entrance: Entrance, call: Call) -> Answer:
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


async def _unexpected(error: Exception) -> Response:
    return _response(error_answer(internal_error("routing", error)))


def _response(answer: Answer) -> Response:
    response = Response(answer.content, answer.status, content_type=answer.content_type)
    for name, value in answer.headers:
        response.headers.add(name, value)
    return response
