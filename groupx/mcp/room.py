"""What the tools of every caller act with."""

import attrs

from groupx.actors.directory import AgentDirectory
from groupx.actors.event_hub import EventHub
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import ToBroker, ToContext, ToStore
from groupx.domain.ids import IdSource
from groupx.domain.limits import Timeouts
from groupx.mcp.waits import Waits
from groupx.setup.desk import SetupDesk


@attrs.frozen(kw_only=True)
class RoomFace:
    """The actors of the room, as its tools know them."""

    broker: ActorRef[ToBroker]
    context: ActorRef[ToContext]
    store: ActorRef[ToStore]
    directory: AgentDirectory
    hub: EventHub
    timeouts: Timeouts
    ids: IdSource
    setup: SetupDesk
    waits: Waits = attrs.field(factory=Waits)
