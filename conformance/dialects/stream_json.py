"""The stream-json protocol of Claude Code."""

from .. import stream_json_scenario as claude
from ..script import Step, Steps
from .dialect import AGENTS, Dialect

SUBTYPES = {
    "start": "start",
    "greeting": "initialize",
    "session": "set_permission_mode",
    "mode": "set_permission_mode",
    "resume": "start",
}
ANSWERS = {
    "initialize": {"claude_code_version": "2.1.332"},
    "set_permission_mode": {"mode": "bypassPermissions"},
}
QUESTIONS = {
    "permission": "can_use_tool",
    "elicitation": "elicitation",
    "unknown": "mcp_message",
}
STATUSES = {"error": 400, "login": 401, "quota": 429}
CONNECTED = {"mcpServers": [{"name": "groupx", "status": "connected"}]}


class StreamJsonDialect(Dialect):
    protocol = "stream-json"
    earlier = "00000000-0000-4000-8000-000000000001"
    agent = AGENTS / "stream_json_scripted.py"
    prompting = "user"
    cancelling = "interrupt"
    question = "ask-1"

    def ordinary(self) -> Step:
        return {"mcp_status": [{"result": CONNECTED}]}

    def phase(self, phase: str, steps: Steps) -> Step:
        subtype = SUBTYPES[phase]
        compiled: list[Step] = []
        for step in steps:
            if "answers" in step:
                answer = ANSWERS.get(subtype)
                compiled += [] if answer is None else [{"result": answer}]
            elif "refuses" not in step:
                compiled += self.compile([step])
            elif step["kind"] == "unknown":
                errors = ["No conversation found with session ID: x"]
                told = {"subtype": "error_during_execution", "is_error": True, "errors": errors}
                compiled += [claude.result(**told), {"exit": 1}]
            else:
                compiled.append({"error": {"error": step["refuses"]}})
        return {subtype: compiled}

    def turn(self, steps: Steps) -> list[Step]:
        self.message = ""
        return super().turn(steps)

    # --- words ------------------------------------------------------------------------------

    def on_begins(self, _step: Step) -> list[Step]:
        self.begun = True
        return list(claude.BEGINS)

    def enter(self, message: str) -> list[Step]:
        """The model's message begins, unless it has."""
        if message == self.message:
            return []
        self.message = message
        return [claude.message(message)]

    def on_says(self, step: Step) -> list[Step]:
        return [*self.enter(step["message"]), claude.says(step["says"])]

    def on_tells(self, step: Step) -> list[Step]:
        name = step["message"]
        return [*self.enter(name), claude.block({"type": "text", "text": step["tells"]}, name)]

    def on_thinks(self, step: Step) -> list[Step]:
        return [*self.enter(self.message or "m1"), claude.thinks(step["thinks"])]

    def on_opens(self, step: Step) -> list[Step]:
        message = self.message or "m1"
        use = {"type": "tool_use", "id": step["opens"], "name": step["name"]}
        begun = claude.event("content_block_start", index=1, content_block={**use, "input": {}})
        complete = claude.block({**use, "input": {"command": "ls"}}, message)
        return [*self.enter(message), begun, complete]

    def on_closes(self, step: Step) -> list[Step]:
        return [claude.returns(step["text"], step["closes"], is_error=step["failed"])]

    def on_uses(self, step: Step) -> list[Step]:
        usage = {"input_tokens": step["uses"], "output_tokens": 0}
        self.message = "m1"
        return [claude.event("message_start", message={"id": "m1", "usage": usage})]

    def on_notifies(self, step: Step) -> list[Step]:
        return [claude.sends(f"vendor_{step['notifies']}")]

    def on_elsewhere(self, step: Step) -> list[Step]:
        inner = {"type": "text", "text": step["elsewhere"]}
        return [claude.block(inner, "mx", parent_tool_use_id="toolu_x")]

    def on_asks(self, step: Step) -> list[Step]:
        subtype, about = QUESTIONS[step["asks"]], step["about"]
        return [claude.asks(subtype, description=about, message=about)]

    def on_ends(self, step: Step) -> list[Step]:
        match step["ends"]:
            case "cancelled":
                return claude.aborted()
            case "cut_short":
                return claude.ends(stop_reason="max_tokens")
            case "refused":
                return claude.ends(stop_reason="refusal")
            case "strangely":
                return claude.ends(subtype="error_of_tomorrow", is_error=True)
            case "mutely":
                return claude.ends(subtype=None)
            case _:
                return claude.ends()

    def on_fails(self, step: Step) -> list[Step]:
        return claude.fails(step["words"], STATUSES[step["fails"]])

    def on_late(self, _step: Step) -> list[Step]:
        other = "00000000-0000-4000-8000-00000000beef"
        return [claude.result(subtype="error_during_execution", user_message_uuid=other)]

    # --- what was sent to it ----------------------------------------------------------------

    def prompts(self, frames: list[Step]) -> list[str]:
        return [frame["message"]["content"] for frame in frames if frame["type"] == "user"]

    def cancels(self, frames: list[Step]) -> int:
        return sum(_subtype(frame) == self.cancelling for frame in frames)

    def sets_mode(self, frame: Step) -> bool:
        return _subtype(frame) == "set_permission_mode"


def _subtype(frame: Step) -> str:
    return frame.get("request", {}).get("subtype", "")
