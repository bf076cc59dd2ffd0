"""A producer of level 2 that is made from the chapters alone, at a Unix socket (AAEP appendix B.4). Python's own library suffices, and aaep_agent.py.

  python3 producer.py serve SOCKET        listens there
  python3 producer.py perform SOCKET      makes it show the scenario that AAEP_SCENARIO names; the control command of `aaepd conformance`
"""

import asyncio
import json
import os
import re
import secrets
import struct
import sys
from datetime import datetime, timezone

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from aaep_agent import LONGEST_LINE, connect_own

PRODUCER = {"agent_id": "photo-sorter", "agent_name": "Photo sorter"}
CONTEXT = "https://aaep-protocol.org/context/v1"
SCENARIOS = ("session", "text", "confirmation", "confirmation-short", "two-confirmations", "two-confirmations-short",
             "clarification", "choice", "number-and-yes-no", "cancel-question", "withdraw-question", "error", "cancel", "handoff", "tool-failure")  # fmt: skip
CANNOT = 3
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?(Z|[+-]\d\d:\d\d)")
TYPES = {"freetext": (str,), "numeric": (int, float), "yes_no": (bool,)}


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def instant(timestamp):
    """The time of a timestamp (AAEP §3.2.5), or None for anything else."""
    if not isinstance(timestamp, str) or not INSTANT.fullmatch(timestamp):
        return None
    return datetime.fromisoformat(timestamp.replace("Z", "+00:00"))


def answer_in(reply, question):
    """The answer that a reply gives to a question, or None if it gives none (AAEP §6.3.4, §6.5.5)."""
    sent = instant(reply.get("timestamp"))
    if sent is None or (sent - instant(question["timestamp"])).total_seconds() >= question["timeout_seconds"]:
        return None
    if question["type"].endswith("confirmation"):
        decision = reply.get("decision") if reply["type"] == "confirmation.reply" else None
        return decision if decision in ("accept", "reject") else None
    response = reply.get("response") if reply["type"] == "clarification.reply" else None
    if "choices" in question:
        return response if response in [one["value"] for one in question["choices"]] else None
    return response if type(response) in TYPES[question["accepted_response_kinds"][0]] else None


async def read(reader):
    (length,) = struct.unpack(">I", await reader.readexactly(4))
    if length > LONGEST_LINE:
        raise ConnectionError(f"A message of {length} bytes is too long.")
    return json.loads(await reader.readexactly(length))


def write(writer, message):
    text = json.dumps(message).encode()
    writer.write(struct.pack(">I", len(text)) + text)


class Producer:
    def __init__(self):
        self.subscribers = {}  # writer: whether it answers
        self.open = {}  # reply_token: (question, future)
        self.state = "idle"

    def emit(self, kind, **members):
        event = {"@context": CONTEXT, "type": f"aaep:agent.{kind}", "event_id": f"evt_{secrets.token_hex(16)}",
                 "session_id": self.session, "timestamp": now(), "producer": PRODUCER,
                 "localization_hints": {"primary_language": "en"}, **members}  # fmt: skip
        for writer, answers in self.subscribers.items():
            if answers or not kind.startswith("awaiting"):
                write(writer, event)
        return event

    def change(self, state, summary):
        if state != self.state:
            self.emit("state.changed", from_state=self.state, to_state=state, summary_normal=summary)
        self.state = state

    async def listen(self, reader, writer):
        try:
            while True:
                self.take(await read(reader), writer)
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            pass
        self.leave(writer)
        writer.close()

    def take(self, message, writer):
        kind = message.get("type", message.get("kind"))
        if kind == "subscription.request":
            asked = message.get("capabilities", {})
            self.subscribers[writer] = asked.get("supports_confirmation_reply") is True
            honored = {name: asked[name] for name in ("supports_confirmation_reply", "supports_clarification_reply") if name in asked}
            write(writer, {"type": "subscription.accepted", "subscription_id": f"sub_{secrets.token_hex(8)}",
                           "aaep_version": "1.0.0", "producer": PRODUCER, "honored_capabilities": honored})  # fmt: skip
        elif kind == "subscription.close":
            self.leave(writer)
        elif kind in ("confirmation.reply", "clarification.reply"):
            self.reply(message)
        elif kind == "user_input" and (scenario := message["text"].split(":")[0]) in SCENARIOS:
            self.performing = asyncio.create_task(self.perform(scenario))

    def leave(self, writer):
        self.subscribers.pop(writer, None)
        if not any(self.subscribers.values()):
            for _, future in list(self.open.values()):
                if not future.done():
                    future.set_result(None)

    def reply(self, message):
        question, future = self.open.get(str(message.get("reply_token")), (None, None))
        answer = None if question is None or future.done() else answer_in(message, question)
        if answer is not None:
            future.set_result(answer)

    async def ask(self, kind, timeout, **members):
        """Returns the answer, or None when nobody gave one in time."""
        before = self.state
        future = asyncio.get_running_loop().create_future()
        token = f"rpl_{secrets.token_hex(16)}"
        question = self.emit(kind, urgency="critical", reply_token=token, timeout_seconds=timeout, **members)
        self.open[token] = (question, future)
        self.state = "awaiting_input"
        if not any(self.subscribers.values()):
            future.set_result(None)
        try:
            answer = await asyncio.wait_for(asyncio.shield(future), timeout)
        except asyncio.TimeoutError:
            answer = None
        del self.open[token]
        self.change(before, "Goes on.")
        return answer

    async def confirm(self, timeout):
        answer = await self.ask("awaiting.confirmation", timeout, action="Delete nine photos.",
                                consequence="The photos cannot be brought back.", risk_level="high", irreversible=True,
                                default_decision="reject", summary_normal="May I delete nine photos?")  # fmt: skip
        if answer == "accept":
            self.tool("delete_photos", "success", risk_level="high", irreversible=True)

    def tool(self, name, status, **members):
        call = f"call_{secrets.token_hex(8)}"
        self.change("calling_tool", f"Calls {name}.")
        self.emit("tool.invoked", tool=name, tool_call_id=call, summary_normal=f"Calls {name}.", **members)
        self.emit("tool.completed", tool=name, tool_call_id=call, status=status, summary_normal=f"{name} has ended.")
        self.change("thinking", "Thinks.")

    def text(self, sentences):
        output, position = f"out_{secrets.token_hex(8)}", 0
        self.change("writing_output", "Writes.")
        for index, sentence in enumerate(sentences):
            self.emit("output.streaming", output_id=output, chunk=sentence, position=position, coalesce_hint="sentence",
                      complete=index == len(sentences) - 1)  # fmt: skip
            position += len(sentence)

    async def perform(self, scenario):
        self.session, self.state = f"sess_{secrets.token_hex(12)}", "idle"
        self.emit("session.started", summary_normal="Sorts the photos.")
        self.change("thinking", "Thinks.")
        if scenario == "session":
            self.tool("list_photos", "success")
            self.text(["The photos are sorted. ", "Nothing was deleted."])
        elif scenario == "text":
            self.text([f"This is sentence {number}. " for number in range(6)])
        elif scenario.startswith("confirmation"):
            await self.confirm(2 if scenario.endswith("short") else 30)
        elif scenario.startswith("two-confirmations"):
            await self.confirm(2 if scenario.endswith("short") else 30)
            await self.confirm(30)
        elif scenario in ("clarification", "number-and-yes-no"):
            for kind in ["freetext"] if scenario == "clarification" else ["numeric", "yes_no"]:
                await self.ask("awaiting.clarification", 30, question="Which year?", accepted_response_kinds=[kind],
                               summary_normal="Which year do you mean?")  # fmt: skip
        elif scenario == "choice":
            choices = [{"value": year, "label": f"In {year}"} for year in ("2023", "2024")]
            await self.ask("awaiting.clarification", 30, question="Which year?", accepted_response_kinds=["multiple_choice"],
                           choices=choices, summary_normal="In 2023 or in 2024?")  # fmt: skip
        elif scenario == "handoff":
            self.emit("handoff.requested", urgency="critical", reason="It is about taxes.", target_kind="human",
                      summary_normal="A person takes over.")  # fmt: skip
        elif scenario == "tool-failure":
            self.tool("read_disk", "error")
            self.tool("read_tape", "timeout")
        if scenario in ("cancel-question", "withdraw-question"):
            asking = asyncio.ensure_future(self.confirm(30))
            await asyncio.sleep(0.5 if scenario == "withdraw-question" else 1)
            asking.cancel()
            self.open.clear()
        if scenario == "withdraw-question":
            self.change("thinking", "The photos are needed after all.")
            await asyncio.sleep(1)
        if scenario in ("cancel", "cancel-question"):
            self.emit("session.cancelled", cancelled_by="user", summary_normal="Cancelled.")
        elif scenario == "error":
            self.tool("list_photos", "error")
            self.emit("session.errored", urgency="critical", error_category="permanent", summary_normal="The disk is gone.")
        else:
            self.emit("session.completed", summary_normal="The photos are sorted.")

    async def control(self, reader, writer):
        await self.perform((await read(reader))["scenario"])
        write(writer, {"done": True})
        writer.close()


async def serve(path):
    producer = Producer()
    os.umask(0o077)  # the sockets are this user's alone
    async with (await asyncio.start_unix_server(producer.listen, path),
                await asyncio.start_unix_server(producer.control, f"{path}.control")):  # fmt: skip
        print("listening", flush=True)
        await asyncio.Event().wait()


async def perform(path):
    scenario = os.environ["AAEP_SCENARIO"]
    if scenario not in SCENARIOS:
        return CANNOT
    reader, writer = await asyncio.open_unix_connection(sock=connect_own(f"{path}.control"))
    write(writer, {"scenario": scenario})
    await read(reader)
    return 0


if __name__ == "__main__":
    command, socket_path = sys.argv[1:]
    sys.exit(asyncio.run({"serve": serve, "perform": perform}[command](socket_path)))
