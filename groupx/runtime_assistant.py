"""The room's assistant as a part of the daemon: optional, and the room lives on without it."""

import os
from collections.abc import Callable

from groupx.actors.assistant import AssistantActor
from groupx.actors.assistant_board import AssistantBoard
from groupx.actors.mailbox import ActorRef
from groupx.actors.messages import ToStore
from groupx.actors.session_keeper import SessionPorts
from groupx.domain.config import Config
from groupx.domain.errors import ErrorCode
from groupx.domain.text import excerpt
from groupx.domain.views import ErrorView
from groupx.supervisor.child import ChildContext, ChildState, ChildStatus

NAME = "assistant"
"""Of the part."""
MAX_ERROR_CHARACTERS = 1_000


class AssistantPart:
    """The assistant's board, and its actor if the config enables one."""

    def __init__(
        self,
        config: Config,
        *,
        store: ActorRef[ToStore],
        sessions: SessionPorts | None,
        now_ms: Callable[[], int],
        on_change: Callable[[], None],
    ) -> None:
        """`sessions` None: the config enables no assistant."""
        assistant = config.enabled_assistant
        self.board = AssistantBoard(
            name=assistant and assistant.name,
            driver=assistant and assistant.brain.driver,
            now_ms=now_ms,
            on_change=on_change,
        )
        self.actor: AssistantActor | None = None
        if assistant is not None and sessions is not None:
            self.actor = AssistantActor(
                assistant,
                store=store,
                sessions=sessions,
                board=self.board,
                limits=config.limits,
                entropy=os.urandom,
            )

    async def run(self, context: ChildContext) -> None:
        """Until asked to stop."""
        context.ready()
        if self.actor is None:
            await context.stopping.wait()
        else:
            await self.actor.run(context.stopping)

    def changed(self, status: ChildStatus) -> None:
        """A crash is shown at once; after too many the assistant stays off."""
        error = excerpt(status.error or "unknown", MAX_ERROR_CHARACTERS)
        if status.state is ChildState.WAITING:
            self._show(
                f"GroupX's own part for the assistant failed ({error}). What it had not answered "
                "is not sent again by itself: say it again."
            )
        elif status.state is ChildState.FAILED:
            self._show(
                f"GroupX's own part for the assistant failed too often ({error}), so it stays off "
                "until GroupX is restarted. The room goes on without it."
            )

    def _show(self, message: str) -> None:
        error = ErrorView(code=str(ErrorCode.INTERNAL_ERROR), message=message)
        self.board.change(last_error=error)
