"""/api/assistant: the side conversation with the room's assistant."""

from typing import Any

from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import CancelAside, Read, SayAside, ToAssistant
from groupx.domain.side_conversation import MAX_PAGE_MESSAGES, SideMessage, SideQuery
from groupx.domain.wire import to_wire
from groupx.store.queries.side_conversation import side_page
from groupx.web.errors import Answer, wire_answer
from groupx.web.guards import Call
from groupx.web.services import Services

READ_DEADLINE_MS = 250


async def assistant(services: Services, call: Call) -> Answer:
    """How it stands, and the reply that is being given. From memory."""
    return wire_answer(_standing(services))


async def assistant_messages(services: Services, call: Call) -> Answer:
    """The messages before `beforeId` (or the newest), ascending; with `render=html` the replies
    have a `view`. NOT_FOUND."""
    query = SideQuery(
        before_id=call.query.get("beforeId"), limit=call.query.get("limit", MAX_PAGE_MESSAGES)
    )
    page = await services.store.ask(Read(side_page, query, READ_DEADLINE_MS))
    before = page.previous_before_id
    told = [_message(services, message) for message in page.messages]
    if call.query.get("render") == "html":
        await services.views.beside(it for it in told if it["role"] == "assistant")
    return wire_answer(
        {
            "messages": told,
            "previousPage": None if before is None else {"beforeId": before},
        }
    )


async def say_aside(services: Services, call: Call) -> Answer:
    """Say something to it; 200 with the reply if it was given before. SESSION_NOT_AVAILABLE."""
    message = SayAside(client_command_id=call.body["clientCommandId"], content=call.body["content"])
    said = await _asked(services).ask(message)
    told: dict[str, Any] = {"message": _message(services, said.message)}
    if said.reply is None:
        return wire_answer(told, 202)
    return wire_answer(told | {"reply": _message(services, said.reply)})


async def cancel_aside(services: Services, call: Call) -> Answer:
    """Stop the running reply and forget what waits. SESSION_NOT_AVAILABLE."""
    message = CancelAside(client_command_id=call.body["clientCommandId"])
    await _asked(services).ask(message)
    return wire_answer(_standing(services), 202)


def _asked(services: Services) -> ActorRef[ToAssistant]:
    face = services.assistant
    face.board.must_be_on()
    assert face.ref is not None
    return face.ref


def _standing(services: Services) -> dict[str, Any]:
    board = services.assistant.board
    told: dict[str, Any] = to_wire(board.view)
    if board.running is not None:
        live = to_wire(board.running.live())
        told["reply"] = {"messageId": board.running.message_id, **live}
    return {"assistant": told}


def _message(services: Services, message: SideMessage) -> dict[str, Any]:
    told: dict[str, Any] = to_wire(message)
    del told["answered"]
    if message.role == "user":
        told |= to_wire(services.assistant.board.aside(message))
    return told


HANDLERS = {
    "assistant": assistant,
    "assistant_messages": assistant_messages,
    "say_aside": say_aside,
    "cancel_aside": cancel_aside,
}
