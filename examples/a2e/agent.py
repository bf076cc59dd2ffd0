#!/usr/bin/env python3
"""An A2E agent that calls three tools. It speaks A2E to a host, and knows nothing of aaepd.

    python3 examples/a2e/agent.py COMMAND ARGUMENT …    starts the host as a child, such as npx --no -- aaepd a2e -- python3 examples/a2e/provider.py
    python3 examples/a2e/agent.py --socket PATH         connects to a host at a Unix socket
"""

import json
import os
import subprocess
import sys
import time
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from aaep_agent import connect_own
from plain_lines import lines_of


class Host:
    """The host at the other end of two files."""

    def __init__(self, reading, writing):
        self.reading, self.writing = lines_of(reading), writing

    def send(self, type, **fields):
        """Sends one message, and returns its id."""
        message = {"a2e": "1.0", "type": type, "id": uuid.uuid4().hex, "ts": time.time(), **fields}
        self.writing.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.writing.flush()
        return message["id"]

    def ask(self, type, **fields):
        """Sends a request, shows its events, and returns its answer."""
        wanted = self.send(type, **fields)
        for line in self.reading:
            message = json.loads(line)
            if message.get("req_id") != wanted:
                continue
            if message["type"] != "invoke/event":
                return message
            print(f"  {message['data'].get('message')}", flush=True)
        raise EOFError("the host has gone")


def main(parameters):
    child = None
    if parameters[0] == "--socket":
        connection = connect_own(parameters[1])
        host = Host(connection.makefile("rb"), connection.makefile("wb"))
    else:
        child = subprocess.Popen(parameters, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        host = Host(child.stdout, child.stdin)

    begun = host.ask("handshake/req", agent_id="example-agent", agent_caps=["tools", "memory"], auth_token="")
    if not begun["ok"]:
        sys.exit(f"The host refused the handshake: {begun['reason']}")
    session = begun["session_id"]

    tools = host.ask("tool/list/req", session_id=session)["tools"]
    print("tools:", ", ".join(tool["name"] for tool in tools), flush=True)

    for name, given in [
        ("add", {"a": 2, "b": 40}),
        ("count_down", {"from": 3}),
        ("delete_file", {"path": "/tmp/plan.txt"}),
    ]:
        answer = host.ask("tool/call/req", session_id=session, tool_name=name, arguments=given, timeout=30)
        result = answer["data"] if answer["type"] == "tool/call/resp" else f"{answer['code']}: {answer.get('detail')}"
        print(f"{name}: {result}", flush=True)

    host.send("shutdown", timeout=5)
    if child is not None:
        child.stdin.close()
        child.wait(timeout=10)


if __name__ == "__main__":
    main(sys.argv[1:])
