"""A Codex app-server that does what a scenario file says: a real process for the adapter's tests.

`python app_server_scripted.py SCENARIO.json LOG.jsonl`; stdlib only. The frame is that of
acp_scripted.py: `turn/start` maps to a list of step lists, one a turn. Steps besides those:

    {"note": method, …}        a notification of our thread and the running turn
    {"turn": "answer"}         answer turn/start
    {"turn": "started"}        turn/started
    {"turn": "completed", …}   turn/completed with these fields of the turn

The turns are called turn-1, turn-2 and so on. `turns` are those that the thread's record holds,
newest first, for `thread/turns/list`; the step {"record": […]} replaces them.
"""

import json
import sys

from acp_scripted import ScriptedAgent

THREAD = "thread-1"
OPENED = {
    "thread": {"id": THREAD, "status": {"type": "idle"}, "cliVersion": "0.171.0", "turns": []},
    "approvalPolicy": "never",
    "sandbox": {"type": "dangerFullAccess"},
}
ORDINARY = {
    "initialize": {"userAgent": "groupx/0.171.0 (Debian 12.0.0; x86_64)", "codexHome": "/home"},
    "configRequirements/read": {"requirements": None},
    "account/read": {"account": None, "requiresOpenaiAuth": False},
    "thread/start": OPENED,
    "thread/resume": OPENED,
}
ORDINARY_TURN = [{"turn": "answer"}, {"turn": "started"}, {"turn": "completed"}]


class ScriptedAppServer(ScriptedAgent):
    ordinary = ORDINARY
    prompting = "turn/start"
    head = {}  # noqa: RUF012

    @property
    def turn_id(self):
        return f"turn-{self.prompts}"

    def do_note(self, step, _request):
        fields = {key: value for key, value in step.items() if key != "note"}
        params = {"threadId": THREAD, "turnId": self.turn_id, **fields}
        self.send({"method": step["note"], "params": params})

    def do_turn(self, step, request):
        turn = {"id": self.turn_id, "items": [], "error": None, "status": "inProgress"}
        if step["turn"] == "answer":
            self.send({"id": request.get("id"), "result": {"turn": turn}})
            return
        if step["turn"] == "completed":
            turn["status"] = "completed"
        turn |= {key: value for key, value in step.items() if key != "turn"}
        params = {"threadId": THREAD, "turn": turn}
        self.send({"method": f"turn/{step['turn']}", "params": params})

    def do_page(self, _step, request):
        turns, params = self.scenario["turns"], request["params"]
        begin = int(params.get("cursor") or 0)
        end = begin + params["limit"]
        page = {"data": turns[begin:end], "nextCursor": str(end) if end < len(turns) else None}
        self.send({"id": request["id"], "result": page})

    def do_record(self, step, _request):
        self.scenario["turns"] = step["record"]

    def steps_for(self, method):
        if method == "thread/turns/list" and "turns" in self.scenario:
            return [{"page": True}]
        steps = super().steps_for(method)
        return ORDINARY_TURN if method == self.prompting and steps == [{"result": {}}] else steps


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as log:
        ScriptedAppServer(json.load(source), log).serve()
