"""identity_remember: what the caller says it is, or observes of another agent."""

from pydantic import Field

from groupx.domain.memory_commands import IdentityDraft
from groupx.mcp.calling import turn_of
from groupx.mcp.remembering import DEFAULT_KIND, ToKeep, actor_named, keep
from groupx.mcp.tool import Answer, Call, Tool


class IdentityRemember(ToKeep):
    """What is said, and about whom."""

    subject: str | None = Field(None, description="An agent's id; if left out, yourself.")


async def _identity_remember(call: Call, given: IdentityRemember) -> Answer:
    turn = await turn_of(call)
    draft = IdentityDraft(
        subject_actor_id=(
            call.caller.actor_id if given.subject is None else actor_named(given.subject)
        ),
        kind=given.kind or DEFAULT_KIND,
        content=given.content,
        source_event_id=given.source_event_id,
    )
    return await keep(call, turn, given, draft, family="identity", layer="identity")


IDENTITY_REMEMBER = Tool(
    name="identity_remember",
    description="Keep who you are in this room, or what you observe of another agent. It is "
    "stored under your name, told to the agent that it is about, and to others when a message "
    "speaks of it; an observation never becomes what that agent says of itself.",
    arguments=IdentityRemember,
    run=_identity_remember,
)
