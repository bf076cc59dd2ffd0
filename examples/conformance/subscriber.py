"""A subscriber of level 3 that is made from the chapters alone, over a Unix socket (AAEP appendix B.4). Python's own library suffices, and aaep_agent.py.

  python3 subscriber.py SOCKET

Announcements go to standard output, one a line. A line on standard input answers the open question: yes, no, or a text.
"""

import asyncio
import json
import os
import signal
import struct
import sys
from datetime import datetime, timezone

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from aaep_agent import LONGEST_LINE, connect_own

CAPABILITIES = {"max_events_per_second": 5, "languages": ["en"], "supports_confirmation_reply": True,
                "supports_clarification_reply": True, "supported_conformance_levels": [1, 2, 3]}  # fmt: skip
ENDS = {"completed": "Done", "errored": "Failed", "cancelled": "Cancelled"}
SILENT = ("progress.updated",)


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Subscriber:
    def __init__(self, writer):
        self.writer = writer
        self.subscription = None
        self.questions = []
        self.heard = set()

    def send(self, message):
        text = json.dumps(message).encode()
        self.writer.write(struct.pack(">I", len(text)) + text)

    def say(self, text):
        print(text, flush=True)

    def take(self, message):
        kind = message.get("type", "")
        if kind == "subscription.accepted":
            self.subscription = message["subscription_id"]
        elif kind == "subscription.rejected":
            self.say(f"Rejected: {message.get('reason_message', message.get('reason_code'))}")
        elif "event_id" in message and message["event_id"] not in self.heard:
            self.heard.add(message["event_id"])
            self.announce(kind.rpartition("agent.")[2], message)

    def announce(self, kind, event):
        summary = event.get("summary_normal") or event.get("summary_terse") or event.get("question") or ""
        family, _, what = kind.partition(".")
        if kind.startswith("awaiting."):
            self.questions.append(event)
            self.say(f"Question: {summary}")
        elif family == "session" and what in ENDS:
            # Every question of the session dies with it.
            self.questions = [one for one in self.questions if one["session_id"] != event["session_id"]]
            self.say(f"{ENDS[what]}: {summary}")
        elif kind == "state.changed" and event.get("to_state") != "awaiting_input":
            self.questions = [one for one in self.questions if one["session_id"] != event["session_id"]]
            self.say(summary)
        elif kind == "output.streaming":
            self.say(event.get("chunk", ""))
        elif kind == "tool.completed" and event.get("status") != "success":
            self.say(f"tool.{event.get('status')}: {event.get('tool')}: {event.get('error_message') or summary}")
        elif kind not in SILENT or event.get("urgency") == "critical":
            self.say(f"{kind}: {summary}")

    def answer(self, line):
        if not self.questions or self.subscription is None:
            return
        question = self.questions.pop(0)
        reply = {"reply_token": question["reply_token"], "subscription_id": self.subscription, "timestamp": now(), "decided_by": "user"}
        if question["type"].endswith("confirmation"):
            self.send({"type": "confirmation.reply", "decision": "accept" if line == "yes" else "reject", **reply})
        else:
            is_number = question.get("accepted_response_kinds") == ["numeric"]
            self.send({"type": "clarification.reply", "response": float(line) if is_number else line, **reply})

    def close(self):
        if self.subscription is not None:
            self.send({"type": "subscription.close", "subscription_id": self.subscription, "reason_code": "subscriber_shutdown"})
        self.writer.close()


async def main(path):
    reader, writer = await asyncio.open_unix_connection(sock=connect_own(path))
    subscriber = Subscriber(writer)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, subscriber.close)
    loop.add_reader(sys.stdin, lambda: subscriber.answer(sys.stdin.readline().strip()))
    subscriber.send({"type": "subscription.request", "aaep_version": "1.0.0", "subscriber_id": "reader", "capabilities": CAPABILITIES})
    try:
        while True:
            (length,) = struct.unpack(">I", await reader.readexactly(4))
            if length > LONGEST_LINE:
                raise ConnectionError(f"A message of {length} bytes is too long.")
            subscriber.take(json.loads(await reader.readexactly(length)))
    except (asyncio.IncompleteReadError, ConnectionError):
        pass


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
