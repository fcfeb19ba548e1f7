"""A foreign peer: the official ACP SDK's agent side, which knows nothing of our code."""

import asyncio

import acp


class SdkAgent:
    """Streams an answer; waits for the cancel when it is asked to."""

    def on_connect(self, conn):
        self.client = conn
        self.cancelled = asyncio.Event()

    async def initialize(self, protocol_version, **_):
        info = acp.schema.Implementation(name="sdk-agent", version="1")
        return acp.InitializeResponse(protocol_version=protocol_version, agent_info=info)

    async def new_session(self, cwd, **_):
        return acp.NewSessionResponse(session_id="sdk-session")

    async def prompt(self, prompt, session_id, **_):
        words = prompt[0].text
        self.cancelled.clear()
        for word in ["You ", "said: ", words]:
            await self.client.session_update(session_id, acp.update_agent_message_text(word))
        if "wait" in words:
            await self.cancelled.wait()
            return acp.PromptResponse(stop_reason="cancelled")
        return acp.PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id, **_):
        self.cancelled.set()


if __name__ == "__main__":
    asyncio.run(acp.run_agent(SdkAgent()))
