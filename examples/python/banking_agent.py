#!/usr/bin/env python3
"""A banking agent that asks before it transfers money. Standard library only.

It starts aaepd as its child and speaks JSON-RPC with it, one object a line. See README.md beside this file.
"""

import argparse
import itertools
import json
import subprocess
import sys
import time
import uuid

DAEMON = ["npx", "aaepd", "stdio", "--producer-id", "banking-agent", "--confirmation-grace-seconds", "20"]


class Daemon:
    """The daemon as a child process: calls that wait for their answer."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.ids = itertools.count(1)

    def call(self, method, params):
        """Calls a method and returns its result. For aaep.confirm that is when the question has its outcome."""
        call_id = next(self.ids)
        call = {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params}
        print(json.dumps(call), file=self.process.stdin, flush=True)
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("method") == "aaep.waiting" and message["params"]["waiting"]:
                print("Somebody is being asked.", flush=True)
            if message.get("id") == call_id and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]
        # Without an answer there is no consent.
        raise RuntimeError("the daemon has ended")

    def close(self):
        """The orderly end: whoever listens is handed everything, then the daemon goes."""
        self.process.stdin.close()
        self.process.wait()


class Session:
    """One session of the agent."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.session_id = "sess_" + uuid.uuid4().hex

    def publish(self, kind, **fields):
        event = {"type": "aaep:agent." + kind, "session_id": self.session_id, **fields}
        return self.daemon.call("aaep.publish", event)

    def confirm(self, **question):
        return self.daemon.call("aaep.confirm", {"session_id": self.session_id, **question})


def write(session, *chunks):
    """Streams an answer, piece by piece."""
    for number, chunk in enumerate(chunks, start=1):
        session.publish("output.streaming", output_id="out_answer", chunk=chunk, complete=number == len(chunks))


def why_not(outcome):
    """A default is never told as somebody's decision."""
    if outcome["resolved_by"] == "reply":
        return "You declined it."
    if outcome["resolved_by"] == "timeout":
        return "Nobody answered in time."
    if outcome["resolved_by"] == "cancelled":
        return "The question was taken back."
    if outcome["resolved_by"] == "subscription_ended":
        return "Whoever could have answered has gone."
    return "There was nobody to ask."


def run(session, timeout_seconds):
    session.publish("session.started", summary_normal="Transfers 500 dollars to Ada Obi.")
    session.publish("state.changed", from_state="idle", to_state="thinking")

    session.publish(
        "tool.invoked",
        tool="fetch_balance",
        tool_call_id="call_1",
        risk_level="low",
        summary_normal="Reading your balance.",
    )
    session.publish(
        "tool.completed",
        tool="fetch_balance",
        tool_call_id="call_1",
        status="success",
        summary_normal="Your balance is 12,500 dollars.",
    )
    session.publish("state.changed", from_state="thinking", to_state="deciding")
    session.publish("state.changed", from_state="deciding", to_state="thinking")

    outcome = session.confirm(
        action="Transfer 500 dollars to Ada Obi.",
        consequence="The money leaves your account at once. 12,000 dollars remain.",
        risk_level="high",
        irreversible=True,
        timeout_seconds=timeout_seconds,
        default_decision="reject",
        extra_context={"tool": "transfer_funds", "tool_call_id": "call_2", "amount": 500, "currency": "USD"},
    )

    # Only a person's own yes lets it happen. The daemon would refuse the tool call otherwise.
    if outcome.get("decision") == "accept" and outcome["resolved_by"] == "reply":
        print("Accepted: transferring.", flush=True)
        session.publish(
            "tool.invoked",
            tool="transfer_funds",
            tool_call_id="call_2",
            risk_level="high",
            irreversible=True,
            summary_normal="Transferring 500 dollars.",
        )
        session.publish(
            "tool.completed",
            tool="transfer_funds",
            tool_call_id="call_2",
            status="success",
            summary_normal="The transfer is done.",
        )
        session.publish("state.changed", from_state="calling_tool", to_state="writing_output")
        write(session, "Transferred 500 dollars ", "to Ada Obi. ", "Your new balance is 12,000 dollars.")
        session.publish("session.completed", summary_normal="Transferred 500 dollars.")
    else:
        print(f"Not transferred: {why_not(outcome)}", flush=True)
        session.publish(
            "state.changed",
            from_state="awaiting_input",
            to_state="writing_output",
            summary_normal="The transfer is not made.",
        )
        write(session, why_not(outcome), " Nothing was transferred. ", "Your balance is still 12,500 dollars.")
        session.publish("session.completed", summary_normal="Nothing was transferred.")


def main():
    parser = argparse.ArgumentParser(description="Asks before it transfers money.")
    parser.add_argument("--timeout", type=int, default=120, help="seconds that a person has to answer")
    arguments = parser.parse_args()
    daemon = Daemon(DAEMON)
    try:
        daemon.call("aaep.ping", {})
        time.sleep(1)  # whoever follows agents has found this one by then, and hears it from the beginning
        run(Session(daemon), arguments.timeout)
    finally:
        daemon.close()


if __name__ == "__main__":
    sys.exit(main())
