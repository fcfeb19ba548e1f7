"""An ACP agent that does what a scenario file says: a real process for the adapter's tests.

`python acp_scripted.py SCENARIO.json LOG.jsonl`; stdlib only, so that it starts at once.

A scenario maps a method to the steps with which a request for it is answered. `session/prompt`
maps to a list of such lists, one a prompt. What a scenario leaves out has an ordinary answer.
Every frame that arrives is written to the log. Steps:

    {"result": …} {"error": …}      answer the request at hand
    {"update": …}                   a session/update of our session
    {"send": …}                     any message
    {"raw": "text", "times": n}     text as it is, n times; {"bytes": [n, …]} single writes
    {"await": "method"}             go on when a notification or request of that name arrives
    {"await": 7}                    … or an answer to our request 7
    {"stderr": "text", "times": n}  text on stderr
    {"close": "stdout"}             end our output
    {"exit": 3}                     end at once
    {"await": "end"}                go on when our input ends
    {"pause": 0.1}                  let that many seconds pass
    {"bytewise": step}              what the step sends, one write a byte
    {"spawn": "file"}               a child in a session of its own; its pid goes to the file
    {"hang": true}                  do nothing any more, not even at the end of input
"""

import json
import os
import sys
import threading
import time
from collections import deque

ORDINARY = {
    "initialize": {
        "protocolVersion": 1,
        "agentCapabilities": {},
        "agentInfo": {"name": "scripted", "version": "1.0"},
        "authMethods": [],
    },
    "session/new": {"sessionId": "session-1"},
    "session/prompt": {"stopReason": "end_turn"},
}
END = {"method": "end"}


def encode(message):
    """One frame; halves of surrogate pairs, which are no UTF-8, are escaped."""
    try:
        return json.dumps(message, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(message).encode() + b"\n"


class ScriptedAgent:
    ordinary = ORDINARY
    prompting = "session/prompt"
    head = {"jsonrpc": "2.0"}  # noqa: RUF012

    def __init__(self, scenario, log):
        self.scenario = scenario
        self.log = log
        self.backlog = deque()
        self.prompts = 0
        self.largest_write = None

    # --- in

    def receive(self):
        if self.backlog:
            return self.backlog.popleft()
        return self.read()

    def read(self):
        line = sys.stdin.buffer.readline()
        if not line:
            return END
        self.log.write(line)
        self.log.flush()
        return json.loads(line)

    def wait_for(self, wanted):
        """Messages that come before it are kept for later."""
        for message in list(self.backlog):
            if wanted in (message.get("method"), message.get("id")):
                self.backlog.remove(message)
                return
        while True:
            message = self.read()
            if wanted in (message.get("method"), message.get("id")):
                return
            if message is END:
                sys.exit(0)
            self.backlog.append(message)

    # --- out

    def write(self, data):
        try:
            while data:
                data = data[os.write(1, data[: self.largest_write]) :]
        except OSError:
            sys.exit(0)

    def send(self, message):
        self.write(encode({**self.head, **message}))

    # --- steps

    def run(self, steps, request):
        for step in steps:
            name = next(iter(step))
            getattr(self, f"do_{name}")(step, request)

    def do_result(self, step, request):
        self.send({"id": request.get("id"), "result": step["result"]})

    def do_error(self, step, request):
        self.send({"id": request.get("id"), "error": step["error"]})

    def do_update(self, step, _request):
        params = {"sessionId": "session-1", "update": step["update"]}
        self.send({"method": "session/update", "params": params})

    def do_send(self, step, _request):
        self.send(step["send"])

    def do_raw(self, step, _request):
        self.write(step["raw"].encode("utf-8", "surrogatepass") * step.get("times", 1))

    def do_bytes(self, step, _request):
        for byte in step["bytes"]:
            self.write(bytes([byte]))

    def do_bytewise(self, step, request):
        self.largest_write = 1
        self.run([step["bytewise"]], request)
        self.largest_write = None

    def do_spawn(self, step, _request):
        pid = os.fork()
        if pid == 0:
            os.setsid()
            threading.Event().wait()
        with open(step["spawn"], "w") as file:
            file.write(str(pid))

    def do_await(self, step, _request):
        self.wait_for(step["await"])

    def do_stderr(self, step, _request):
        os.write(2, step["stderr"].encode() * step.get("times", 1))

    def do_close(self, step, _request):
        os.close({"stdin": 0, "stdout": 1}[step["close"]])

    def do_exit(self, step, _request):
        os._exit(step["exit"])

    def do_pause(self, step, _request):
        time.sleep(step["pause"])

    def do_hang(self, _step, _request):
        threading.Event().wait()

    # --- requests

    def serve(self):
        self.run(self.scenario.get("start", []), {})
        while (message := self.receive()) is not END:
            method = message.get("method")
            if method is not None and "id" in message:
                self.run(self.steps_for(method), message)

    def steps_for(self, method):
        if method == self.prompting:
            prompts = self.scenario.get(method, [])
            self.prompts += 1
            if self.prompts <= len(prompts):
                return prompts[self.prompts - 1]
        elif method in self.scenario:
            return self.scenario[method]
        return [{"result": self.ordinary.get(method, {})}]


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as log:
        ScriptedAgent(json.load(source), log).serve()
