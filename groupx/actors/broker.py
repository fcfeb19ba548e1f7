"""The Broker: the only way for a command of a person or an agent into the room."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Protocol

import attrs
import trio

from groupx.actors.bells import LaneBells
from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef, Letter, Mailbox
from groupx.actors.messages import (
    CancelTurn,
    ContinueRoot,
    ControlAgent,
    ControlAgentCommand,
    Read,
    ReplaceMessage,
    RunAgain,
    SendMessage,
    SetLane,
    ToAgents,
    ToBroker,
    ToStore,
    WithdrawMessage,
    Write,
)
from groupx.actors.remembered_view import agent_view_from
from groupx.actors.said import check_text
from groupx.actors.terms import Terms
from groupx.domain.commands import (
    AcceptCommand,
    AcceptedMessage,
    AgainCommand,
    CancelAnswer,
    CancelCommand,
    ContinueRootCommand,
    LaneCommand,
    RememberCommand,
    WithdrawAnswer,
    WithdrawCommand,
)
from groupx.domain.envelope import Provenance, SourceKind
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import OPERATOR_BINDING
from groupx.domain.roster import state_after
from groupx.domain.turns import TurnStatus
from groupx.domain.views import AgentView
from groupx.domain.wire import to_wire
from groupx.store.queries.lane import lane_views
from groupx.store.transactions.accept import accept
from groupx.store.transactions.again import again
from groupx.store.transactions.cancel import cancel
from groupx.store.transactions.continue_root import continue_root
from groupx.store.transactions.lane import set_lane
from groupx.store.transactions.remember_command import remember_command
from groupx.store.transactions.withdraw import replace, withdraw

IN_FLIGHT = 1_024
MAILBOX_CAPACITY = 256


Handler = Callable[[Any], Awaitable[Any]]


class BrokerPart(Protocol):
    """Commands of one kind."""

    @property
    def handlers(self) -> Mapping[type[Any], Handler]:
        """By the message that each serves."""
        ...


class BrokerActor:
    """Validates, submits, goes on: each command in a task of its own, at most IN_FLIGHT at once.

    Whatever must be consistent is decided inside the store's transaction. What goes wrong with
    one command is its asker's alone.
    """

    def __init__(
        self,
        *,
        store: ActorRef[ToStore],
        agents: ActorRef[ToAgents],
        bells: LaneBells,
        parts: Iterable[BrokerPart],
        terms: Terms,
    ) -> None:
        self._store = store
        self._agents = agents
        self._directory = terms.directory
        self._bells = bells
        self._terms = terms
        self._draining = False
        self._mailbox = Mailbox[ToBroker]("the broker", MAILBOX_CAPACITY)
        self.ref: ActorRef[ToBroker] = self._mailbox
        self._handlers: dict[type[Any], Handler] = {
            SendMessage: self._send,
            RunAgain: self._again,
            ContinueRoot: self._continue_root,
            WithdrawMessage: self._withdraw,
            ReplaceMessage: self._replace,
            CancelTurn: self._cancel,
            SetLane: self._set_lane,
            ControlAgentCommand: self._control,
        }
        for part in parts:
            self._handlers.update(part.handlers)

    def drain(self) -> None:
        """Refuse every command from now on; those already taken are finished."""
        self._draining = True

    async def run(self) -> None:
        """Serve until cancelled."""
        letters = self._mailbox.open()
        slots = trio.Semaphore(IN_FLIGHT)
        try:
            async with trio.open_nursery() as nursery:
                async for letter in letters:
                    try:
                        slots.acquire_nowait()
                    except trio.WouldBlock:
                        await slots.acquire()
                    nursery.start_soon(self._handle, letter, slots)
        finally:
            self._mailbox.close()

    async def _handle(self, letter: Letter, slots: trio.Semaphore) -> None:
        try:
            if self._draining:
                raise _closing()
            letter.answer(await self._handlers[type(letter.message)](letter.message))
        except Exception as error:
            letter.refuse(error)
        finally:
            slots.release()

    # --- commands -------------------------------------------------------------------------

    async def _send(self, message: SendMessage) -> AcceptedMessage:
        check_text(message.content)
        command = AcceptCommand(
            key=command_key("message.send", message),
            actor_id=message.actor_id,
            to=message.to,
            content=message.content,
            **self._terms.now(),
            provenance=Provenance(
                source_kind=_source_kind(message), author_actor_id=message.actor_id
            ),
            trigger_kind="control" if message.binding_id == OPERATOR_BINDING else "user",
            reply_to_event_id=message.reply_to_event_id,
            forwarded_event_id=message.forwarded_event_id,
            supervision=message.supervision,
        )
        return await self._store.ask(Write(accept, command))

    async def _again(self, message: RunAgain) -> AcceptedMessage:
        command = AgainCommand(
            key=command_key(f"turn.{message.kind}", message),
            kind=message.kind,
            turn_id=message.turn_id,
            actor_id=message.actor_id,
            **self._terms.now(),
        )
        return await self._store.ask(Write(again, command))

    async def _continue_root(self, message: ContinueRoot) -> AcceptedMessage:
        command = ContinueRootCommand(
            key=command_key("root.continue", message),
            root_correlation_id=message.root_correlation_id,
            stop_event_id=message.stop_event_id,
            by=message.actor_id,
            **self._terms.now(),
        )
        return await self._store.ask(Write(continue_root, command))

    async def _withdraw(self, message: WithdrawMessage) -> WithdrawAnswer:
        command = WithdrawCommand(
            key=command_key("message.withdraw", message),
            message_event_id=message.message_event_id,
            actor_id=message.actor_id,
        )
        answer = await self._store.ask(Write(withdraw, command))
        for turn in answer.turns:
            if turn.status is TurnStatus.CANCELLING:
                self._bells.ring_cancel(turn.target_actor_id, force=False)
        return answer

    async def _replace(self, message: ReplaceMessage) -> AcceptedMessage:
        check_text(message.content)
        command = WithdrawCommand(
            key=command_key("message.replace", message),
            message_event_id=message.message_event_id,
            actor_id=message.actor_id,
            replacement=message.content,
            **self._terms.now(),
        )
        answer = await self._store.ask(Write(replace, command))
        for turn in answer.watch_turns or ():
            self._bells.ring_cancel(turn.target, force=False)  # of what it watched before
        return answer

    async def _cancel(self, message: CancelTurn) -> CancelAnswer:
        command = CancelCommand(
            key=command_key("turn.cancel", message),
            turn_id=message.turn_id,
            actor_id=message.actor_id,
            force=message.force,
        )
        answer = await self._store.ask(Write(cancel, command))
        if answer.status is TurnStatus.CANCELLING:
            self._bells.ring_cancel(answer.target_actor_id, force=message.force)
        return answer

    async def _set_lane(self, message: SetLane) -> AgentView:
        self._directory.view(message.lane)
        verb = "pause" if message.state == "paused" else "resume"
        command = LaneCommand(
            key=command_key(f"lane.{verb}", message),
            actor_id=message.lane,
            state=message.state,
            by=message.actor_id,
            reason=message.reason,
        )
        await self._store.ask(Write(set_lane, command))
        # As it is by now: a command that comes again may be older than what was done since.
        [lane] = [
            lane
            for lane in await self._store.ask(Read(lane_views, None))
            if lane.actor_id == message.lane
        ]
        return self._directory.change(message.lane, paused=lane.paused)

    async def _control(self, message: ControlAgentCommand) -> AgentView:
        """Remembered first, so that the same command again is answered and not done again."""
        view = self._directory.view(message.agent)
        after = attrs.evolve(view, state=state_after(message.action, view.state))
        command = RememberCommand(
            key=command_key(f"agent.{message.action}", message), result=to_wire(after)
        )
        remembered = await self._store.ask(Write(remember_command, command))
        if remembered.fresh:
            await self._agents.ask(ControlAgent(actor_id=message.agent, action=message.action))
        return agent_view_from(remembered.result)


def _source_kind(message: SendMessage) -> SourceKind:
    return "operator" if message.binding_id == OPERATOR_BINDING else "web"


def _closing() -> GroupXError:
    return GroupXError(
        ErrorCode.RUNTIME_CLOSING,
        "GroupX is stopping; nothing was changed. Send it again once it runs.",
    )
