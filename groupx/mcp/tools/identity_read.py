"""identity_read: what is said about who an agent is."""

from pydantic import Field

from groupx.actors.messages import Read
from groupx.domain.memory_commands import IdentityQuery
from groupx.mcp.calling import turn_of
from groupx.mcp.remembering import DEADLINE_MS, MAX_SHOWN, actor_named, told
from groupx.mcp.tool import Answer, Arguments, Call, Tool
from groupx.store.queries.memories import identities


class IdentityRead(Arguments):
    """Whose identity."""

    subject: str | None = Field(None, description="An agent's id; if left out, yourself.")
    history: bool = Field(False, description="Also what was superseded or retracted.")
    limit: int = Field(20, ge=1, le=MAX_SHOWN, description="How many at most.")
    before: str | None = Field(None, description="A `nextBefore`: gives the next page.")


async def _identity_read(call: Call, given: IdentityRead) -> Answer:
    await turn_of(call)
    query = IdentityQuery(
        subject=call.caller.actor_id if given.subject is None else actor_named(given.subject),
        history=given.history,
        before=given.before,
        limit=given.limit,
    )
    page = await call.room.store.ask(Read(identities, query, DEADLINE_MS))
    return told(page.records, page.next_before, "identityId")


IDENTITY_READ = Tool(
    name="identity_read",
    description="Read what was said about who an agent is, the newest first. A record whose "
    "author is another agent than its subject is an observation of that author.",
    arguments=IdentityRead,
    run=_identity_read,
)
