"""An adapter in the standard library alone: the pattern for others (../PROTOCOL.md).

It offers a carrier, `example`, and a memory system, `example-notes`, which has the model write its notes anew with every
record. It keeps nothing between operations, so none can see another's.
"""

import json
import os
import sys
import threading
import urllib.error
import urllib.request

STACKS = {"example": "complete", "example-notes": "form"}
RULE = "You keep notes for later work. Answer with the notes alone."

# stdout carries the protocol: whatever prints goes to stderr from here on.
OUT = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
os.dup2(2, 1)
WRITING = threading.Lock()


def say(**line):
    with WRITING:
        OUT.write(json.dumps(line) + "\n")
        OUT.flush()


class Cancelled(Exception):
    """The operation is not wanted any more."""


class Operation:
    """One operation: its requests carry its token, and stop once it is cancelled."""

    def __init__(self, gateway, token, line):
        self.gateway, self.token, self.line = gateway, token, line
        self.calls, self.cancelled = 0, False

    def ask(self, messages):
        if self.cancelled:
            raise Cancelled
        body = {"model": self.line["model"], "messages": messages, **self.line["params"]}
        headers = {"Authorization": "Bearer " + self.token, "X-Memform-Op": self.line["op"], "Content-Type": "application/json"}
        request = urllib.request.Request(self.gateway + "/chat/completions", json.dumps(body).encode(), headers)
        self.calls += 1
        with urllib.request.urlopen(request) as response:
            return json.load(response)["choices"][0]["message"].get("content") or ""

    def complete(self):
        return {"text": self.ask(self.line["messages"])}

    def form(self):
        notes = ""
        for record in self.line["records"]:
            user = f"Notes so far:\n{notes or '(none)'}\n\nWhat happened:\n{record['text']}\n\nWrite the notes anew."
            notes = self.ask([{"role": "system", "content": RULE}, {"role": "user", "content": user}]).strip() or notes
        return {"memory": notes}

    def run(self, running):
        try:
            result = {"ok": True, **getattr(self, self.line["type"])(), "calls": self.calls}
        except Cancelled:
            return
        except urllib.error.HTTPError as e:  # the gateway refuses for good
            result = failed("gateway", e.read().decode(errors="replace"))
        except Exception as e:
            result = failed("library", f"{type(e).__name__}: {e}")
        if running.pop(self.line["id"], None):  # else it was cancelled meanwhile, which was answered
            say(type="result", id=self.line["id"], **result)


def failed(kind, message):
    return {"ok": False, "error": {"kind": kind, "message": message, "retryable": False}}


def main():
    hello = json.loads(sys.stdin.readline())
    name = hello["want"]["stack"]
    if name not in STACKS:
        return say(type="fatal", message=f"there is no stack {name!r}; there are {', '.join(STACKS)}")
    say(type="hello", protocol=1, adapter="example", adapter_version="1", stack={"name": name, "version": "1"}, packages={},
        python=sys.version.split()[0], capabilities=[STACKS[name]], max_ops=32, deterministic=True)
    running = {}
    for text in sys.stdin:
        line = json.loads(text)
        if line["type"] == "cancel":
            if operation := running.pop(line["id"], None):
                operation.cancelled = True
                say(type="result", id=line["id"], **failed("cancelled", "as asked"))
        elif line["type"] in ("complete", "form"):
            operation = running[line["id"]] = Operation(hello["gateway"], hello["token"], line)
            threading.Thread(target=operation.run, args=(running,), daemon=True).start()


main()
