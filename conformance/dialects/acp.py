"""The Agent Client Protocol."""

from .. import scenario as acp
from ..script import Step, Steps
from .dialect import AGENTS, Dialect, error_of

MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": name, "name": name} for name in ("ask", "open", "auto", "dont_ask")],
}
METHODS = {
    "start": "start",
    "greeting": "initialize",
    "session": "session/new",
    "mode": "session/set_mode",
    "resume": "session/load",
}
MCP_IS_READY = ({"method": "_x.ai/mcp_initialized", "params": {"mcpToolCount": 1}},)
"""What programs tell that say when they have reached the room's server."""
ENDS = {
    "completed": "end_turn",
    "cancelled": "cancelled",
    "cut_short": "max_tokens",
    "refused": "refusal",
    "strangely": "gave_up",
    "mutely": None,
}
FAILURES = {"error": -32010, "login": -32000, "quota": -32010, "forgotten": -32002}
WORDS = {"quota": "429 Too Many Requests"}


class AcpDialect(Dialect):
    protocol = "acp"
    earlier = "session-1"
    agent = AGENTS / "acp_scripted.py"
    prompting = "session/prompt"
    cancelling = "session/cancel"
    question = "ask-1"
    mode = "open"

    def greeting(self) -> Step:
        capabilities = {
            "loadSession": True,
            "mcpCapabilities": {"http": True},
            "sessionCapabilities": {"close": {}},
        }
        return {
            "protocolVersion": 1,
            "agentCapabilities": capabilities,
            "agentInfo": {"name": self.program, "version": "1.0"},
            "authMethods": [],
        }

    def answer(self, phase: str) -> Step:
        """The ordinary one."""
        answers: dict[str, Step] = {
            "greeting": self.greeting(),
            "session": {"sessionId": acp.SESSION, "modes": MODES},
            "resume": {"modes": MODES},
        }
        return {"result": answers.get(phase, {})}

    def ordinary(self) -> Step:
        phases = ("greeting", "session", "resume")
        answers = {METHODS[phase]: [self.answer(phase)] for phase in phases}
        answers[METHODS["session"]] += [{"send": message} for message in MCP_IS_READY]
        return answers

    def phase(self, phase: str, steps: Steps) -> Step:
        compiled: list[Step] = []
        for step in steps:
            if "answers" in step:
                compiled.append(self.answer(phase))
            elif "refuses" in step:
                codes = {"login": -32000, "unknown": -32002}
                compiled.append(error_of(step["refuses"], codes.get(step["kind"], -32602)))
            else:
                compiled += self.compile([step])
        return {METHODS[phase]: compiled}

    # --- words ------------------------------------------------------------------------------

    def on_begins(self, _step: Step) -> list[Step]:
        return []

    def on_says(self, step: Step) -> list[Step]:
        return [acp.says(step["says"], messageId=step["message"])]

    def on_tells(self, step: Step) -> list[Step]:
        return [acp.says(step["tells"], messageId=step["message"])]

    def on_thinks(self, step: Step) -> list[Step]:
        return [acp.thinks(step["thinks"])]

    def on_opens(self, step: Step) -> list[Step]:
        return [acp.tool(step["opens"], title=step["name"], kind="execute", status="in_progress")]

    def on_closes(self, step: Step) -> list[Step]:
        status = "failed" if step["failed"] else "completed"
        content = [{"type": "content", "content": {"type": "text", "text": step["text"]}}]
        return [acp.tool(step["closes"], new=False, status=status, content=content)]

    def on_uses(self, step: Step) -> list[Step]:
        return [acp.uses(step["uses"])]

    def on_notifies(self, step: Step) -> list[Step]:
        name = step["notifies"]
        return [
            {"send": {"method": f"_vendor/{name}", "params": {"x": 1}}},
            {"update": {"sessionUpdate": f"vendor_{name}"}},
        ]

    def on_elsewhere(self, step: Step) -> list[Step]:
        update = acp.says(step["elsewhere"])["update"]
        params = {"sessionId": "another", "update": update}
        return [{"send": {"method": "session/update", "params": params}}]

    def on_asks(self, step: Step) -> list[Step]:
        kind, about = step["asks"], step["about"]
        if kind == "permission":
            return [acp.asks(self.question, about)]
        methods = {"elicitation": "elicitation/create", "unknown": "fs/read_text_file"}
        params = {"sessionId": acp.SESSION, "mode": "form", "message": about}
        return [{"send": {"id": self.question, "method": methods[kind], "params": params}}]

    def on_ends(self, step: Step) -> list[Step]:
        return [acp.ends(ENDS[step["ends"]])]

    def on_fails(self, step: Step) -> list[Step]:
        kind, words = step["fails"], step["words"]
        return [acp.fails(FAILURES[kind], f"{words}. {WORDS.get(kind, '')}")]

    def on_late(self, _step: Step) -> list[Step]:
        return [{"send": {"id": 1, **acp.ends("refusal")}}]

    # --- what was sent to it ----------------------------------------------------------------

    def prompts(self, frames: list[Step]) -> list[str]:
        sent = (frame for frame in frames if frame.get("method") == self.prompting)
        return ["".join(part["text"] for part in frame["params"]["prompt"]) for frame in sent]

    def cancels(self, frames: list[Step]) -> int:
        return sum(frame.get("method") == self.cancelling for frame in frames)

    def sets_mode(self, frame: Step) -> bool:
        return frame.get("method") == METHODS["mode"]
