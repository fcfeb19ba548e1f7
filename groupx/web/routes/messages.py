"""POST /api/messages…: say something, take it back, say something else instead."""

from groupx.actors.messages import ReplaceMessage, SendMessage, WithdrawMessage
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.services import Services


async def send_message(services: Services, call: Call) -> Answer:
    """Say something and wake its targets."""
    message = SendMessage(
        client_command_id=call.body["clientCommandId"],
        to=call.body["to"],
        content=call.body["content"],
        reply_to_event_id=call.body.get("replyToEventId"),
        forwarded_event_id=call.body.get("forwardedEventId"),
        supervision=call.body.get("supervision"),
    )
    return json_answer(await services.broker.ask(message), 202)


async def withdraw_message(services: Services, call: Call) -> Answer:
    """Take a message back while all its turns are queued. TURN_NOT_QUEUED."""
    message = WithdrawMessage(
        client_command_id=call.body["clientCommandId"],
        message_event_id=call.segments["message_id"],
    )
    return json_answer(await services.broker.ask(message))


async def replace_message(services: Services, call: Call) -> Answer:
    """Take a message back and say `content` instead. TURN_NOT_QUEUED."""
    message = ReplaceMessage(
        client_command_id=call.body["clientCommandId"],
        message_event_id=call.segments["message_id"],
        content=call.body["content"],
    )
    return json_answer(await services.broker.ask(message), 202)


HANDLERS = {
    "send_message": send_message,
    "withdraw_message": withdraw_message,
    "replace_message": replace_message,
}
