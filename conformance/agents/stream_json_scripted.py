"""A program that speaks stream-json as a scenario file says: a real process for adapter tests.

`python stream_json_scripted.py SCENARIO.json LOG.jsonl … (--session-id|--resume) ID`; stdlib only.
The frame is that of acp_scripted.py. A scenario maps a control request's subtype to steps, and
`user` to a list of step lists, one a message. `result` and `error` answer a control request.
In what is sent, $uuid is the message at hand, $session the session, $cwd the folder. An interrupt
is answered as it is read, unless the scenario says otherwise.
"""

import json
import os
import sys

from acp_scripted import END, ScriptedAgent, encode

ORDINARY = {
    "initialize": {
        "claude_code_version": "2.1.332",
        "current_permission_mode": "bypassPermissions",
        "session_state": "idle",
    },
    "interrupt": {"still_queued": []},
}


class ScriptedStream(ScriptedAgent):
    uuid = "none"
    session = sys.argv[-1]

    def read(self):
        message = super().read()
        if message is END:
            return END
        kind = message.get("type")
        if kind == "control_request":
            message = {**message, "method": message["request"]["subtype"]}
            message["id"] = message["request_id"]
            if message["method"] == "interrupt" and "interrupt" not in self.scenario:
                self.do_result({"result": ORDINARY["interrupt"]}, message)
        elif kind == "control_response":
            message = {**message, "id": message["response"]["request_id"]}
        else:
            message = {**message, "method": kind, "id": message.get("uuid")}
        return message

    def send(self, message):
        data = encode(message)
        for name in ("uuid", "session", "cwd"):
            value = os.getcwd() if name == "cwd" else getattr(self, name)
            data = data.replace(f"${name}".encode(), value.encode())
        self.write(data)

    def do_result(self, step, request):
        self.respond("success", request, {"response": step["result"]})

    def do_error(self, step, request):
        self.respond("error", request, step["error"])

    def respond(self, subtype, request, fields):
        response = {"subtype": subtype, "request_id": request["request_id"], **fields}
        self.send({"type": "control_response", "response": response})

    def steps_for(self, method):
        if method == "user":
            messages = self.scenario.get("user", [])
            self.prompts += 1
            return messages[self.prompts - 1] if self.prompts <= len(messages) else []
        if method in self.scenario:
            return self.scenario[method]
        if method == "set_permission_mode":
            return [{"result": {"mode": "bypassPermissions"}}]
        return [] if method == "interrupt" else [{"result": ORDINARY.get(method, {})}]

    def run(self, steps, request):
        if request.get("method") == "user":
            self.uuid = request["uuid"]
        super().run(steps, request)


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as log:
        ScriptedStream(json.load(source), log).serve()
