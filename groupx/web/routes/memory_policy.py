"""GET·PUT /api/memory-policy/:actorId: whether an agent has memories, and makes them."""

from groupx.actors.messages import Read, SetMemoryPolicy
from groupx.domain.ids import SYSTEM, ActorId
from groupx.domain.memory_policy import PolicyQuery
from groupx.store.queries.memory_policy import read_policy
from groupx.web.errors import Answer, json_answer
from groupx.web.guards import Call
from groupx.web.routes.agents import addressed_agent
from groupx.web.services import Services


async def get_policy(services: Services, call: Call) -> Answer:
    """`{policy}`; revision 0 where nobody has set one. UNKNOWN_TARGET, UNKNOWN_ACTOR, NOT_FOUND
    for no such room."""
    query = PolicyQuery(actor_id=_actor(call), room_id=call.query.get("roomId"))
    return json_answer({"policy": await services.store.ask(Read(read_policy, query))})


async def put_policy(services: Services, call: Call) -> Answer:
    """`{policy}`. UNKNOWN_ACTOR, POLICY_REVISION_STALE, POLICY_EXCLUDED."""
    message = SetMemoryPolicy(
        client_command_id=call.body["clientCommandId"],
        agent=_actor(call),
        use_memories=call.body["useMemories"],
        generation=call.body["generation"],
        expected_revision=call.body["expectedRevision"],
        reason=call.body.get("reason"),
    )
    return json_answer({"policy": await services.broker.ask(message)})


def _actor(call: Call) -> ActorId:
    segment = call.segments["agent"]
    return SYSTEM if segment == SYSTEM else addressed_agent(segment)


HANDLERS = {"memory_policy": get_policy, "set_memory_policy": put_policy}
