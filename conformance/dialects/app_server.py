"""The app-server of Codex."""

from .. import app_server_scenario as codex
from ..app_server_scenario import OPENED, THREAD
from ..script import Step, Steps
from .dialect import AGENTS, Dialect, error_of

METHODS = {
    "start": "start",
    "greeting": "initialize",
    "session": "thread/start",
    "mode": "thread/start",
    "resume": "thread/resume",
}
ENDS = {
    "completed": "completed",
    "cancelled": "interrupted",
    "strangely": "paused",
    "mutely": None,
}
FAILURES = {
    "error": "other",
    "login": "unauthorized",
    "quota": "usageLimitExceeded",
    "refused": "cyberPolicy",
    "forgotten": "contextWindowExceeded",
}
QUESTIONS = {
    "permission": "item/commandExecution/requestApproval",
    "elicitation": "mcpServer/elicitation/request",
    "unknown": "account/chatgptAuthTokens/refresh",
}


class AppServerDialect(Dialect):
    protocol = "app-server"
    earlier = "thread-1"
    agent = AGENTS / "app_server_scripted.py"
    prompting = "turn/start"
    cancelling = "turn/interrupt"
    question = 0

    def phase(self, phase: str, steps: Steps) -> Step:
        method = METHODS[phase]
        compiled: list[Step] = []
        for step in steps:
            if "answers" in step:
                greeting = {"userAgent": "groupx/0.171.0 (Debian 12.0.0; x86_64)"}
                compiled.append({"result": greeting if phase == "greeting" else OPENED})
            elif "refuses" not in step:
                compiled += self.compile([step])
            elif phase == "mode":
                compiled.append({"result": {**OPENED, "approvalPolicy": "on-request"}})
            elif step["kind"] == "login":
                account = {"account": None, "requiresOpenaiAuth": True}
                return {"account/read": [{"result": account}]}
            else:
                compiled.append(error_of(step["refuses"], -32600))
        return {method: compiled}

    # --- words ------------------------------------------------------------------------------

    def begin(self) -> list[Step]:
        """What is said of a turn whose start has not been answered yet."""
        if self.begun:
            return []
        self.begun = True
        return [{"turn": "started"}]

    def on_begins(self, _step: Step) -> list[Step]:
        return [{"turn": "answer"}, *self.begin()]

    def on_says(self, step: Step) -> list[Step]:
        return [*self.begin(), codex.says(step["says"], step["message"])]

    def on_tells(self, step: Step) -> list[Step]:
        whole = codex.closes("agentMessage", step["message"], text=step["tells"])
        return [*self.begin(), whole]

    def on_thinks(self, step: Step) -> list[Step]:
        return [*self.begin(), codex.thinks(step["thinks"])]

    def on_opens(self, step: Step) -> list[Step]:
        return [*self.begin(), codex.opens(item=step["opens"], command=step["name"])]

    def on_closes(self, step: Step) -> list[Step]:
        status = "failed" if step["failed"] else "completed"
        fields = {"status": status, "aggregatedOutput": step["text"]}
        return [codex.closes(item=step["closes"], command="Bash", **fields)]

    def on_uses(self, step: Step) -> list[Step]:
        return [codex.uses(step["uses"], step["uses"])]

    def on_notifies(self, step: Step) -> list[Step]:
        return [{"note": f"vendor/{step['notifies']}"}]

    def on_elsewhere(self, step: Step) -> list[Step]:
        other = {"threadId": "another", "turnId": "turn-x"}
        return [codex.says(step["elsewhere"], "mx", **other)]

    def on_asks(self, step: Step) -> list[Step]:
        about = {"command": step["about"], "message": step["about"]}
        return [codex.asks(QUESTIONS[step["asks"]], **about)]

    def on_ends(self, step: Step) -> list[Step]:
        if step["ends"] == "refused":
            return self.on_fails({"fails": "refused", "words": "refused"})
        if self.begun:
            return [codex.ends(ENDS[step["ends"]])]
        return [codex.ends(ENDS[step["ends"]]), {"turn": "answer"}]

    def on_fails(self, step: Step) -> list[Step]:
        failed = codex.fails(FAILURES[step["fails"]], step["words"])
        return [failed] if self.begun else [failed, {"turn": "answer"}]

    def on_late(self, _step: Step) -> list[Step]:
        turn = {"id": "turn-1", "items": [], "error": None, "status": "failed"}
        params = {"threadId": THREAD, "turn": turn}
        return [{"send": {"method": "turn/completed", "params": params}}]

    # --- what was sent to it ----------------------------------------------------------------

    def prompts(self, frames: list[Step]) -> list[str]:
        sent = (frame for frame in frames if frame.get("method") == self.prompting)
        return ["".join(part["text"] for part in frame["params"]["input"]) for frame in sent]

    def cancels(self, frames: list[Step]) -> int:
        return sum(frame.get("method") == self.cancelling for frame in frames)

    def sets_mode(self, frame: Step) -> bool:
        return frame.get("params", {}).get("approvalPolicy") == "never"
