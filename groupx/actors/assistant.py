"""The room's assistant: a private session that answers the user beside the room, one by one."""

from collections.abc import Callable
from typing import Any, TypeVar

import trio

from groupx.actors.assistant_board import AsideView, AssistantBoard, AssistantState, RunningReply
from groupx.actors.callers import Caller
from groupx.actors.command_key import command_key
from groupx.actors.mailbox import ActorRef, Bell, Letter, Mailbox, Request
from groupx.actors.messages import CancelAside, Read, SayAside, ToAssistant, ToStore, Write
from groupx.actors.one_prompt import OnePrompt
from groupx.actors.private_session import PrivateSession
from groupx.actors.said import check_text
from groupx.actors.session_keeper import SessionPorts
from groupx.actors.steadfast import insist
from groupx.actors.turn_end import TurnEnd
from groupx.adapters.contract import AdapterStartError, NativeSession
from groupx.domain.assistant import MAX_ENTRY_CHARACTERS, MAX_SO_FAR_MESSAGES, first_prompt
from groupx.domain.commands import RememberCommand
from groupx.domain.config import AssistantConfig
from groupx.domain.context_usage import RecordUsage
from groupx.domain.errors import ErrorCode
from groupx.domain.ids import OPERATOR_BINDING, USER_ASSISTANT
from groupx.domain.limits import Limits
from groupx.domain.outcomes import ENDINGS, Cause
from groupx.domain.side_conversation import (
    MAX_WAITING,
    ReplyAside,
    SaidAside,
    SayAsideCommand,
    SideMessage,
    SideQuery,
)
from groupx.domain.turns import TurnEvent
from groupx.domain.views import ErrorView, ProgramView
from groupx.store.queries.side_conversation import side_page
from groupx.store.transactions.context_usage import record_usage
from groupx.store.transactions.remember_command import remember_command
from groupx.store.transactions.side_conversation import queue_is_full, reply_aside, say_aside

MAILBOX_CAPACITY = 64
CUT = "\n\n(The reply was longer; the rest was not kept.)"

T = TypeVar("T")


class AssistantActor:
    """Answers messages in their order. A message is stored before it is sent, and is sent once
    each time that the user gives it and it has no reply: nothing is sent again by itself."""

    def __init__(
        self,
        assistant: AssistantConfig,
        *,
        store: ActorRef[ToStore],
        sessions: SessionPorts,
        board: AssistantBoard,
        limits: Limits,
        entropy: Callable[[int], bytes],
    ) -> None:
        self._config = assistant
        self._program = assistant.program
        self._store = store
        self._sessions = sessions
        self._board = board
        self._limits = limits
        self._entropy = entropy
        self._open: dict[str, SideMessage] = {}
        """By id, oldest first: the one that is being answered, then those that wait for it."""
        self._wanted = Bell()
        self._starting = trio.CancelScope()
        self._given_up = False
        """The user wants no reply to the one that is being answered."""
        self._reply: OnePrompt | None = None
        self._mailbox = Mailbox[ToAssistant]("the assistant", MAILBOX_CAPACITY)
        self.ref: ActorRef[ToAssistant] = self._mailbox

    async def run(self, stopping: trio.Event) -> None:
        """One incarnation, until `stopping` is set; then the running reply is ended natively and
        the program by the stop ladder."""
        letters = self._mailbox.open()
        self._board.change(state=AssistantState.IDLE)
        try:
            async with trio.open_nursery() as nursery:
                session = PrivateSession(
                    self._program, self._sessions, nursery, folder="assistant", caller=self._caller
                )
                nursery.start_soon(self._serve, letters)
                nursery.start_soon(self._obey_stop, stopping)
                while not stopping.is_set():
                    if self._open:
                        await self._answer(next(iter(self._open.values())), session, stopping)
                    else:
                        await self._wanted.wait()
                await session.close()
                nursery.cancel_scope.cancel()
        finally:
            self._mailbox.close()
            self._open.clear()
            self._reply = None
            self._board.forget_open()
            self._board.change(state=AssistantState.OFF, program=None)

    def _caller(self) -> Caller:
        return Caller(
            desk="operator",
            binding_id=OPERATOR_BINDING,
            actor_id=USER_ASSISTANT,
            instance_id=None,
            at_work=self._at_work,
        )

    def _at_work(self) -> bool:
        return self._reply is not None and not self._reply.is_halted

    async def _obey_stop(self, stopping: trio.Event) -> None:
        await stopping.wait()
        self._starting.cancel()
        self._wanted.ring()

    # --- what the user asks ---------------------------------------------------------------

    async def _serve(self, letters: trio.MemoryReceiveChannel[Letter]) -> None:
        """One at a time: so nothing becomes open between a look at what is and its answer."""
        handlers: dict[type[Any], Callable[[Any], Any]] = {
            SayAside: self._say,
            CancelAside: self._cancel,
        }
        async for letter in letters:
            try:
                letter.answer(await handlers[type(letter.message)](letter.message))
            except Exception as error:
                letter.refuse(error)

    async def _say(self, message: SayAside) -> SaidAside:
        check_text(message.content)
        joins = message.client_command_id in {it.client_command_id for it in self._open.values()}
        has_room = len(self._open) <= MAX_WAITING
        command = SayAsideCommand(
            key=command_key("assistant.say", message),
            content=message.content,
            limits=self._limits,
            has_room=has_room,
        )
        said = await self._store.ask(Write(say_aside, command))
        if said.reply is None and not joins:
            if not has_room:
                raise queue_is_full()
            self._open[said.message.message_id] = said.message
            self._board.put(said.message.message_id, AsideView(state="queued"))
            self._wanted.ring()
        return said

    async def _cancel(self, message: CancelAside) -> None:
        """Remembered first, so that the same command again cancels no later reply."""
        command = RememberCommand(key=command_key("assistant.cancel", message), result={})
        remembered = await self._store.ask(Write(remember_command, command))
        if not remembered.fresh or not self._open:
            return
        _, *waiting = self._open
        for message_id in waiting:
            self._close(message_id, AsideView(state="cancelled"))
        self._given_up = True
        self._starting.cancel()
        if self._reply is not None:
            self._reply.cancel()
        self._board.change(state=AssistantState.CANCELLING)

    # --- one reply ------------------------------------------------------------------------

    async def _answer(
        self, message: SideMessage, session: PrivateSession, stopping: trio.Event
    ) -> None:
        self._given_up = False
        self._board.put(message.message_id, AsideView(state="working"))
        try:
            native = await self._session(session)
        except AdapterStartError as error:
            self._fail(message, ErrorView(code=str(error.code), message=error.message))
            self._board.change(state=AssistantState.FAILED)
            return
        is_new = not session.introduced
        text = "" if native is None else await self._prompt(message, is_new=is_new)
        if native is None or self._given_up or stopping.is_set():
            self._close(message.message_id, AsideView(state="cancelled"))
        else:
            reply = OnePrompt(
                native,
                name=self._config.name,
                timeouts=self._sessions.timeouts,
                stopping=stopping,
            )
            session.introduced = True
            end = await self._given(message, reply, text)
            await self._write_end(message, reply, end)
            if end.rebuild or not session.usable:
                await session.drop()
        self._board.change(state=AssistantState.IDLE)

    async def _session(self, session: PrivateSession) -> NativeSession | None:
        """The open one, or a new one; None when the user or the stop came first."""
        if session.current is not None and session.usable:
            return session.current
        self._board.change(state=AssistantState.STARTING, program=None)
        native: NativeSession | None = None
        with trio.CancelScope() as self._starting:
            native = await session.open()
        if native is None:
            await session.drop()
            return None
        facts = native.facts
        program = ProgramView(
            name=facts.program_name or self._program.driver,
            version=facts.program_version or "unknown",
        )
        self._board.change(program=program)
        return native

    async def _prompt(self, message: SideMessage, *, is_new: bool) -> str:
        """The text to send, its size on record."""
        text = message.content
        if is_new:
            query = SideQuery(
                before_id=message.message_id,
                limit=MAX_SO_FAR_MESSAGES,
                characters=MAX_ENTRY_CHARACTERS + 1,
            )
            page = await self._ask(Read(side_page, query))
            text = first_prompt(
                message,
                name=self._config.name,
                extra_instructions=self._config.extra_instructions,
                so_far=page.messages,
                boundary=self._entropy(16).hex(),
            )
        usage = RecordUsage(
            actor_id=USER_ASSISTANT,
            source="assistant",
            tracker="packet",
            characters=len(text),
            new_epoch=is_new,
        )
        await self._ask(Write(record_usage, usage))
        return text

    async def _given(self, message: SideMessage, reply: OnePrompt, text: str) -> TurnEnd:
        self._reply = reply
        self._board.change(state=AssistantState.WORKING)
        self._board.running = RunningReply(message_id=message.message_id, live=reply.heard.live)
        try:
            return await reply.run(text)
        finally:
            self._reply = None

    async def _write_end(self, message: SideMessage, reply: OnePrompt, end: TurnEnd) -> None:
        if end.cause is Cause.COMPLETED:
            content = reply.heard.response + (CUT if reply.heard.truncated else "")
            answer = ReplyAside(message_id=message.message_id, content=content)
            await self._ask(Write(reply_aside, answer))
            self._board.change(last_error=None)
            self._close(message.message_id, AsideView(state="answered"))
        elif ENDINGS[end.cause].event is TurnEvent.NATIVE_CANCELLED:
            self._close(message.message_id, AsideView(state="cancelled"))
        else:
            code = end.error_code or str(ENDINGS[end.cause].code or ErrorCode.INTERNAL_ERROR)
            self._fail(message, ErrorView(code=code, message=end.message or "It gave no reply."))
        self._board.running = None

    def _fail(self, message: SideMessage, error: ErrorView) -> None:
        self._board.change(last_error=error)
        self._close(message.message_id, AsideView(state="failed", error=error))

    def _close(self, message_id: str, aside: AsideView) -> None:
        self._open.pop(message_id, None)
        self._board.put(message_id, aside)

    async def _ask(self, request: Request[ToStore, T]) -> T:
        return await insist(self._store, request)
