"""The agents' supervisor: one actor per enabled agent, each started, stopped and crashing alone."""

from collections.abc import Awaitable, Callable, Mapping

import attrs
import trio

from groupx.actors.agent import AgentActor
from groupx.actors.directory import AgentDirectory
from groupx.actors.lane import Lane
from groupx.actors.mailbox import ActorRef, Letter, Mailbox
from groupx.actors.messages import ControlAgent, ToAgents
from groupx.domain.errors import ErrorCode, GroupXError
from groupx.domain.ids import ActorId
from groupx.domain.roster import AgentState, state_after
from groupx.domain.views import AgentView, ErrorView
from groupx.supervisor.child import describe
from groupx.supervisor.tree import (
    ChildContext,
    ChildSpec,
    ChildState,
    ChildStatus,
    Supervisor,
    TreeClosing,
)

MAILBOX_CAPACITY = 64
CLOSING_LANE_SECONDS = 4.0

MakeAgent = Callable[[ActorId, trio.Event], AgentActor]
"""A new incarnation; the event asks it to stop."""


class AgentsSupervisor:
    """Starts the agents in the background and does what ControlAgent says, one at a time each.

    A crashed agent is restarted within its budget, and its next incarnation closes what was
    open; when the budget is spent that is done here, and the agent stays failed until it is
    started by hand.
    """

    def __init__(
        self,
        lanes: Mapping[ActorId, Lane],
        make: MakeAgent,
        *,
        directory: AgentDirectory,
        on_halt: Callable[[ActorId], None],
        stop_grace: float,
        jitter: Callable[[], float],
    ) -> None:
        """`lanes` are those of the enabled agents, in config order; seconds. `on_halt` ends what an
        agent's program does beside its lane, when its user stops or restarts it; never waits."""
        self._lanes = lanes
        self._make = make
        self._directory = directory
        self._on_halt = on_halt
        self._stop_grace = stop_grace
        self._jitter = jitter
        self._locks = {actor_id: trio.Lock() for actor_id in lanes}
        self._mailbox = Mailbox[ToAgents]("the agents' supervisor", MAILBOX_CAPACITY)
        self.ref: ActorRef[ToAgents] = self._mailbox

    async def run(self, context: ChildContext) -> None:
        """Until asked to stop; then all agents stop at the same time."""
        tree = Supervisor(
            (self._spec(actor_id) for actor_id in self._lanes),
            stop_together=True,
            random=self._jitter,
            on_change=self._on_change,
        )
        letters = self._mailbox.open()
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._serve, letters, tree, nursery)
                await tree.run(context)
                nursery.cancel_scope.cancel()
        finally:
            self._mailbox.close()

    def _spec(self, actor_id: ActorId) -> ChildSpec:
        async def run(context: ChildContext) -> None:
            context.ready()
            await self._make(actor_id, context.stopping).run()

        async def given_up(_: str, error: BaseException) -> None:
            unclosed = await self._close_lane(actor_id)
            self._fail(actor_id, unclosed or self._crash(actor_id, describe(error)))

        return ChildSpec(
            name=actor_id,
            run=run,
            restart="transient",
            on_given_up=given_up,
            stop_grace=self._stop_grace,
        )

    # --- by hand --------------------------------------------------------------------------

    async def _serve(
        self,
        letters: trio.MemoryReceiveChannel[Letter],
        tree: Supervisor,
        nursery: trio.Nursery,
    ) -> None:
        async for letter in letters:
            try:
                letter.answer(self._control(letter.message, tree, nursery))
            except GroupXError as error:
                letter.refuse(error)

    def _control(self, request: ControlAgent, tree: Supervisor, nursery: trio.Nursery) -> AgentView:
        """Begin what is asked; answered with how the agent stands by that."""
        actor_id = request.actor_id
        if actor_id not in self._lanes:
            raise GroupXError(
                ErrorCode.UNKNOWN_TARGET,
                f"There is no enabled agent '{actor_id}'; nothing was changed.",
                target=actor_id,
            )
        action = {"start": self._start, "stop": self._stop, "restart": self._restart}
        self._directory.set_stopped(actor_id, request.action == "stop")
        if request.action != "start":
            self._on_halt(actor_id)
        nursery.start_soon(self._in_turn, actor_id, action[request.action], tree)
        view = self._directory.view(actor_id)
        return attrs.evolve(view, state=state_after(request.action, view.state))

    async def _in_turn(
        self,
        actor_id: ActorId,
        action: Callable[[ActorId, Supervisor], Awaitable[None]],
        tree: Supervisor,
    ) -> None:
        async with self._locks[actor_id]:
            try:
                await action(actor_id, tree)
            except TreeClosing:
                return

    async def _start(self, actor_id: ActorId, tree: Supervisor) -> None:
        """A failed agent whose actor still runs is started by a new incarnation."""
        if self._directory.view(actor_id).state is AgentState.FAILED:
            await self._restart(actor_id, tree)
        else:
            await tree.start_child(actor_id)

    async def _stop(self, actor_id: ActorId, tree: Supervisor) -> None:
        await tree.stop_child(actor_id)
        unclosed = await self._close_lane(actor_id)
        if unclosed is None:
            self._directory.change(actor_id, state=AgentState.STOPPED, instance_id=None)
        else:
            self._fail(actor_id, unclosed)

    async def _restart(self, actor_id: ActorId, tree: Supervisor) -> None:
        await tree.stop_child(actor_id)
        self._directory.change(actor_id, last_error=None)
        await tree.start_child(actor_id)

    # --- the tree -------------------------------------------------------------------------

    def _on_change(self, status: ChildStatus) -> None:
        """A crash is shown at once; the next incarnation shows the rest."""
        if status.state is ChildState.WAITING:
            actor_id = ActorId(status.name)
            self._directory.change(
                actor_id,
                state=AgentState.RECOVERING,
                instance_id=None,
                last_error=self._crash(actor_id, status.error or "unknown"),
            )

    async def _close_lane(self, actor_id: ActorId) -> ErrorView | None:
        """Close a turn that nobody runs any more. If the store cannot take it in time, or refuses
        it with the error that is returned, the next incarnation or the next start of GroupX does
        it."""
        with trio.move_on_after(CLOSING_LANE_SECONDS):
            try:
                await self._lanes[actor_id].recover()
            except Exception as error:
                name = self._directory.view(actor_id).name
                return ErrorView(
                    code=str(ErrorCode.INTERNAL_ERROR),
                    message=f"GroupX could not close what {name} left open ({describe(error)}). A "
                    "turn of it may still be shown as running although nobody runs it; what waits "
                    f"stays queued. Start {name} or GroupX again to close it.",
                )
        return None

    def _fail(self, actor_id: ActorId, error: ErrorView) -> None:
        self._directory.change(
            actor_id, state=AgentState.FAILED, instance_id=None, last_error=error
        )

    def _crash(self, actor_id: ActorId, error: str) -> ErrorView:
        name = self._directory.view(actor_id).name
        return ErrorView(
            code=str(ErrorCode.INTERNAL_ERROR),
            message=f"GroupX's own part for {name} failed ({error}). Its running turn, if any, "
            "was closed; what waits stays queued.",
        )
