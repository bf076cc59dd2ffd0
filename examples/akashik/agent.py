#!/usr/bin/env python3
"""An agent of the Akashik Field at the daemon's socket: subscribes, records, and prints what it is told. Standard library only.

docs/akashik.md explains its options. Run it in the folder of the project: python3 examples/akashik/agent.py --socket SOCKET
"""

import argparse
import itertools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from aaep_agent import connect_own
from plain_lines import lines_of

parser = argparse.ArgumentParser(description="Subscribes to the Field, records a finding, and prints what others record.")
parser.add_argument("--socket", required=True, help="the daemon's socket")
parser.add_argument("--id", required=True, help="the agent's id in the Field")
parser.add_argument("--interests", default="", help="what the agent wants to hear of, with commas between")
parser.add_argument("--record", help="a finding to record")
parser.add_argument("--notifications", type=int, default=0, help="how many notifications to wait for")
arguments = parser.parse_args()

connection = connect_own(arguments.socket)
lines = lines_of(connection.makefile("rb"))
ids = itertools.count(1)
epoch = 0


def send(operation, payload):
    message = {"protocol": "akashik", "version": "0.1.0", "id": f"m{next(ids)}", "operation": operation,
               "agent_id": arguments.id, "session_id": None, "epoch": epoch, "payload": payload}
    connection.sendall(json.dumps(message).encode() + b"\n")


def receive():
    global epoch
    message = json.loads(next(lines))
    epoch = max(epoch, message["epoch"])
    if message["payload"].get("status") == "error":
        raise SystemExit(message["payload"]["error"]["message"])
    return message["payload"]


interests = [text for text in arguments.interests.split(",") if text]
send("REGISTER", {"id": arguments.id, "role": "example", "interests": interests})
print("registered:", receive()["agent"]["id"])
send("SUBSCRIBE", {"action": "subscribe", "subscription": {"events": ["memory.recorded"], "min_relevance": 0.6}})
print("subscribed:", receive()["status"], flush=True)
if arguments.record:
    send("RECORD", {"mode": "committed", "type": "finding", "content": arguments.record, "intent": {"purpose": "To show RECORD."},
                    "confidence": {"score": 0.9, "reasoning": "Typed by hand."}})
    print("recorded:", receive()["status"])
for _ in range(arguments.notifications):
    told = receive()
    print(f"told: {told['relevance_score']} {told['summary']}", flush=True)
