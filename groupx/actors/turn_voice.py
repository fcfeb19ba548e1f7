"""What a running turn shows while it runs: deltas, steps and phases, none of it stored."""

from collections.abc import Callable, Mapping

import attrs

from groupx.actors.accumulator import Accumulator
from groupx.actors.transient import Transients
from groupx.adapters.contract import (
    ContentDelta,
    Heartbeat,
    NativeEvent,
    ReasoningDelta,
    ToolUpdate,
)
from groupx.domain.context_usage import Usage
from groupx.domain.envelope import EventActor
from groupx.domain.ids import ActorId
from groupx.domain.ledger import LaneHead
from groupx.domain.notices import Notice

HEARTBEAT_SECONDS = 5.0


@attrs.frozen(kw_only=True)
class Speaker:
    """The agent whose turn it is."""

    actor_id: ActorId
    name: str
    instance_id: str

    @property
    def actor(self) -> EventActor:
        """As its events show it."""
        return EventActor(
            actor_id=self.actor_id,
            kind="agent",
            instance_id=self.instance_id,
            display_name=self.name,
        )


class TurnVoice:
    """Puts one turn's native events into its accumulator and on the hub, in one step each."""

    def __init__(
        self,
        turn: LaneHead,
        speaker: Speaker,
        transients: Transients,
        clock: Callable[[], float],
    ) -> None:
        self._turn = turn
        self._speaker = speaker
        self._transients = transients
        self._clock = clock
        self._next_heartbeat = clock()
        self.heard = Accumulator()

    def begin(self) -> None:
        """Those who join from now on are shown this turn."""
        self._transients.hub.live_begin(self._turn.turn_id, self.heard.live)

    def end(self) -> None:
        """What the turn showed is durable now, or gone."""
        self._transients.hub.live_end(self._turn.turn_id)

    def phase(self, phase: str) -> None:
        """`preparing`, `sent`, `working` or `cancelling`."""
        self._say("turn.progress", {"turnId": self._turn.turn_id, "phase": phase})

    def take(self, event: NativeEvent) -> None:
        """One native event. Never waits."""
        if isinstance(event, ContentDelta):
            self._content(event)
        elif isinstance(event, ReasoningDelta):
            self._reasoning(event)
        elif isinstance(event, ToolUpdate):
            self._say("tool.progress", self.heard.add_tool(event).body(self._turn.turn_id))
        elif isinstance(event, Heartbeat):
            self._heartbeat()
        elif isinstance(event, Usage):
            self.heard.usage = event

    def _content(self, delta: ContentDelta) -> None:
        index = self.heard.chunks
        piece = self.heard.add_content(delta)
        if piece:
            self._delta("turn.content.delta", index, piece)

    def _reasoning(self, delta: ReasoningDelta) -> None:
        index = self.heard.reasoning_chunks
        piece = self.heard.add_reasoning(delta.text)
        if piece:
            self._delta("turn.reasoning.delta", index, piece)

    def _delta(self, event_type: str, index: int, piece: str) -> None:
        body = {"turnId": self._turn.turn_id, "chunkIndex": index, "text": piece}
        self._say(event_type, body)

    def _heartbeat(self) -> None:
        if self._clock() >= self._next_heartbeat:
            self._next_heartbeat = self._clock() + HEARTBEAT_SECONDS
            self._say("adapter.heartbeat", {"instanceId": self._speaker.instance_id})

    def _say(self, event_type: str, body: Mapping[str, object]) -> None:
        notice = Notice(
            type=event_type,
            body=body,
            actor=self._speaker.actor,
            correlation_id=self._turn.correlation_id,
            root_correlation_id=self._turn.root_correlation_id,
            causation_id=self._turn.turn_id,
        )
        self._transients.say(notice)
