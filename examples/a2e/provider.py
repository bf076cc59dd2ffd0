#!/usr/bin/env python3
"""An A2E host with three tools. It speaks A2E over standard input and output, and knows nothing of aaepd.

agent.py beside this file says how to run both.
"""

import json
import sys
import threading
import time
import uuid

TOOLS = {
    "add": "Adds two numbers: a and b.",
    "count_down": "Counts down from `from`, and tells each step.",
    "delete_file": "Deletes a file. Nobody gets it back.",
}
STARTED = time.monotonic()
lock = threading.Lock()


def say(type, **fields):
    """Writes one message, which is one line."""
    message = {"a2e": "1.0", "type": type, "id": uuid.uuid4().hex, "ts": time.time(), **fields}
    with lock:
        sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
        sys.stdout.flush()


def call(request):
    """Runs one tool, and answers."""
    name, given = request["tool_name"], request.get("arguments", {})
    if name == "add":
        result = given["a"] + given["b"]
    elif name == "count_down":
        first = int(given.get("from", 3))
        for seq, left in enumerate(range(first, 0, -1)):
            data = {"pct": 100 * seq / first, "message": f"{left} to go"}
            say("invoke/event", kind="progress", req_id=request["id"], data=data, seq=seq)
            time.sleep(float(given.get("pause", 0.1)))
        result = "done"
    elif name == "delete_file":
        result = f"deleted {given['path']}"
    else:
        raise KeyError(f"no tool {name}")
    say("tool/call/resp", req_id=request["id"], data=result)


def answer(request):
    """Answers one request; its thread ends with it."""
    try:
        call(request)
    except Exception as error:
        say("error", req_id=request["id"], code="runtime_error", message=str(error), retryable=False)


def main():
    for line in sys.stdin:
        request = json.loads(line)
        type = request["type"]
        if type == "handshake/req":
            served = [name for name in request["agent_caps"] if name == "tools"]
            accepted = [{"capability": name, "enabled": True, "metadata": {"version": "1"}} for name in served]
            say(
                "handshake/resp",
                req_id=request["id"],
                session_id=uuid.uuid4().hex,
                accepted_caps=accepted,
                max_parallel=4,
                ok=bool(accepted),
                **({} if accepted else {"reason": "no_caps"}),
            )
        elif type == "ping":
            say("pong", req_id=request["id"], uptime_seconds=time.monotonic() - STARTED)
        elif type == "shutdown":
            return
        elif type == "tool/list/req":
            tools = [{"name": name, "description": text} for name, text in TOOLS.items()]
            say("tool/list/resp", req_id=request["id"], tools=tools)
        elif type == "tool/call/req":
            threading.Thread(target=answer, args=(request,), daemon=True).start()


if __name__ == "__main__":
    main()
