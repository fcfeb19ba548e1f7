"""A foreign peer: an agent on the official SDK's agent side, which does what a script says.

`python acp_sdk.py SCENARIO.json LOG.jsonl` is one agent. Starting the SDK takes most of a second:
`python acp_sdk.py --listen SOCKET` has it ready, and forks an agent for each through.py.
"""

import asyncio
import json
import os
import socket
import sys
import threading

import acp
from acp.schema import (
    AgentCapabilities,
    AgentMessageChunk,
    ElicitationFormSessionMode,
    Implementation,
    McpCapabilities,
    PermissionOption,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionMode,
    SessionModeState,
    UsageUpdate,
)

STOP_REASONS = {
    "completed": "end_turn",
    "cancelled": "cancelled",
    "cut_short": "max_tokens",
    "refused": "refusal",
}
CODES = {"login": -32000, "forgotten": -32002, "unknown": -32002}
SESSION = "session-1"


def modes():
    names = ("ask", "open", "auto", "dont_ask")
    offered = [SessionMode(id=name, name=name) for name in names]
    return SessionModeState(current_mode_id="ask", available_modes=offered)


class SdkAgent:
    """Its handlers run the steps of a script; a word is the method of that name."""

    def __init__(self, scenario, leave):
        self.phases = scenario["phases"]
        self.turns = iter(scenario["turns"])
        self.leave = leave
        self.cancelled = asyncio.Semaphore(0)
        self.question = None
        self.asked = asyncio.Event()
        """Set once the question is written."""

    def on_connect(self, connection):
        self.client = connection

    # --- requests

    async def initialize(self, protocol_version, **_):
        await self.run(self.phases.get("greeting", []))
        capabilities = AgentCapabilities(
            load_session=True,
            mcp_capabilities=McpCapabilities(http=True),
            session_capabilities=SessionCapabilities(close=SessionCloseCapabilities()),
        )
        return acp.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=capabilities,
            agent_info=Implementation(name="sdk-agent", version="1"),
        )

    async def new_session(self, **_):
        await self.run(self.phases.get("session", []))
        return acp.NewSessionResponse(session_id=SESSION, modes=modes())

    async def load_session(self, **_):
        await self.run(self.phases.get("resume", []))
        return acp.LoadSessionResponse(modes=modes())

    async def set_session_mode(self, **_):
        await self.run(self.phases.get("mode", []))
        return acp.SetSessionModeResponse()

    async def prompt(self, **_):
        return await self.run(next(self.turns))

    async def cancel(self, **_):
        self.cancelled.release()

    # --- steps

    async def run(self, steps):
        for step in steps:
            ended = await getattr(self, next(iter(step)))(step)
            if ended is not None:
                return ended
        return None

    async def begins(self, _step):
        pass

    async def answers(self, _step):
        pass

    async def refuses(self, step):
        raise acp.RequestError(CODES.get(step["kind"], -32602), step["refuses"])

    async def says(self, step):
        content = acp.text_block(step.get("says", step.get("tells")))
        kind = "agent_message_chunk"
        chunk = AgentMessageChunk(session_update=kind, content=content, message_id=step["message"])
        await self.client.session_update(SESSION, chunk)

    tells = says

    async def thinks(self, step):
        await self.client.session_update(SESSION, acp.update_agent_thought_text(step["thinks"]))

    async def opens(self, step):
        call = acp.start_tool_call(
            step["opens"], step["name"], kind="execute", status="in_progress"
        )
        await self.client.session_update(SESSION, call)

    async def closes(self, step):
        status = "failed" if step["failed"] else "completed"
        content = [acp.tool_content(acp.text_block(step["text"]))]
        call = acp.update_tool_call(step["closes"], status=status, content=content)
        await self.client.session_update(SESSION, call)

    async def uses(self, step):
        update = UsageUpdate(session_update="usage_update", used=step["uses"], size=1000)
        await self.client.session_update(SESSION, update)

    async def notifies(self, step):
        await self.client.ext_notification(f"vendor/{step['notifies']}", {"x": 1})

    async def elsewhere(self, step):
        update = acp.update_agent_message_text(step["elsewhere"])
        await self.client.session_update("another", update)

    async def asks(self, step):
        about = step["about"]
        asked = {"permission": self.permission, "elicitation": self.elicitation}
        self.asked.clear()
        self.question = asyncio.create_task(asked.get(step["asks"], self.nonsense)(about))
        await self.asked.wait()

    async def permission(self, about):
        call = acp.schema.ToolCallUpdate(tool_call_id="call-1", title=about)
        choice = PermissionOption(option_id="yes", name="Yes", kind="allow_once")
        answer = await self.client.request_permission(SESSION, call, [choice])
        assert answer.outcome.outcome == "cancelled"

    async def elicitation(self, about):
        schema = {"type": "object", "properties": {}}
        form = ElicitationFormSessionMode(mode="form", session_id=SESSION, requested_schema=schema)
        answer = await self.client.create_elicitation(about, form)
        assert answer.action == "cancel"

    async def nonsense(self, _about):
        try:
            await self.client.read_text_file(SESSION, "/etc/passwd")
        except acp.RequestError as error:
            assert error.code == -32601  # noqa: PT017

    async def ends(self, step):
        return acp.PromptResponse(stop_reason=STOP_REASONS[step["ends"]])

    async def fails(self, step):
        words = "429 Too Many Requests" if step["fails"] == "quota" else ""
        code = CODES.get(step["fails"], -32010)
        raise acp.RequestError(code, f"{step['words']}. {words}")

    async def stderr(self, step):
        os.write(2, step["stderr"].encode() * step.get("times", 1))

    async def exit(self, step):
        self.leave(step["exit"])

    async def hang(self, _step):
        threading.Event().wait()


async def _await(self, step):
    if step["await"] == "cancel":
        await self.cancelled.acquire()
    else:
        await self.question


setattr(SdkAgent, "await", _await)  # a word that Python keeps for itself


def be(scenario_path, log_path, leave):
    """One agent, on this process's stdin and stdout."""
    with open(scenario_path, "rb") as source:
        scenario = json.load(source)
    with open(log_path, "wb") as log:
        agent = SdkAgent(scenario, leave)

        def observe(event):
            if event.direction.value == "incoming":
                log.write(json.dumps(event.message).encode() + b"\n")
                log.flush()
            elif "method" in event.message and "id" in event.message:
                agent.asked.set()

        async def serve():
            await agent.run(scenario["phases"].get("start", []))
            await acp.run_agent(agent, observers=[observe], use_unstable_protocol=True)

        asyncio.run(serve())
    leave(0)


def listen(address):
    """Fork an agent for each connection, which brings its stdin, stdout and stderr."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            said, pipes, _, _ = socket.recv_fds(connection, 4096, 3)
            if os.fork() == 0:
                if os.fork() == 0:  # nobody need wait for it
                    listener.close()
                    be_forked(connection, said, pipes)
                os._exit(0)
            os.wait()
            connection.close()
            for pipe in pipes:
                os.close(pipe)


def be_forked(connection, said, pipes):
    def leave(status):
        connection.send(bytes([status]))
        os._exit(status)

    def follow():
        connection.recv(1)
        os._exit(1)  # the process that stands for this one was killed

    for number, pipe in enumerate(pipes):
        os.dup2(pipe, number)
        os.close(pipe)
    threading.Thread(target=follow, daemon=True).start()
    try:
        be(*json.loads(said), leave)
    finally:
        leave(1)


if __name__ == "__main__":
    if sys.argv[1] == "--listen":
        listen(sys.argv[2])
    be(sys.argv[1], sys.argv[2], os._exit)
