"""POST /api/roots/:id/continue: let the call go on that a limit of its chain stopped."""

from groupx.actors.messages import ContinueRoot
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services


async def continue_root(services: Services, call: Call) -> Answer:
    """As a message of its author. NOT_FOUND, STORE_CONFLICT once it went on."""
    command = ContinueRoot(
        client_command_id=call.body["clientCommandId"],
        root_correlation_id=call.segments["root_id"],
        stop_event_id=call.body.get("stopEventId"),
    )
    return json_answer(await services.broker.ask(command), 202)


HANDLERS = {"continue_root": continue_root}
