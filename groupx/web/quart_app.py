"""What quart serves: what is more than one answer (streams), and the browser's files."""

from typing import Any, cast

from quart import Response, request
from quart_trio import QuartTrio

from groupx.web.app import HANDLERS, answered
from groupx.web.errors import Answer, error_answer, internal_error
from groupx.web.guards import CALL
from groupx.web.policy import POLICIES, Auth, Policy, is_direct
from groupx.web.services import Entrance, Services
from groupx.web.streams.routes import register as register_streams


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
        return _response(await answered(handler, entrance, scope[CALL]))

    app.add_url_rule(
        policy.path,
        policy.name,
        view,
        methods=[policy.method],
        provide_automatic_options=False,
    )


async def _unexpected(error: Exception) -> Response:
    return _response(error_answer(internal_error("routing", error)))


def _response(answer: Answer) -> Response:
    response = Response(answer.content, answer.status, content_type=answer.content_type)
    for name, value in answer.headers:
        response.headers.add(name, value)
    return response
