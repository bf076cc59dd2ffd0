#!/usr/bin/env python3
"""A banking agent that publishes over gRPC, and asks before it transfers money. Nothing is really transferred.

Build the messages as README.md says, and run it beside `npx --no -- aaepd serve --grpc unix:$HOME/.aaepd/grpc.sock`:

    examples/python/.venv/bin/python examples/python/grpc_agent.py --address unix:$HOME/.aaepd/grpc.sock
"""

import argparse
import asyncio
import re
import sys
import uuid

import grpc

from aaep.v1.agent_service_pb2 import (
    RESOLVED_BY_CANCELLED,
    RESOLVED_BY_NO_SUBSCRIBER,
    RESOLVED_BY_REPLY,
    RESOLVED_BY_SUBSCRIPTION_ENDED,
    RESOLVED_BY_TIMEOUT,
    ConfirmRequest,
    EventBatch,
    PublishRequest,
)
from aaep.v1.agent_service_pb2_grpc import AgentServiceStub
from aaep.v1.event_pb2 import (
    DECISION_ACCEPT,
    DECISION_REJECT,
    LEVEL_HIGH,
    LEVEL_LOW,
    TOOL_STATUS_SUCCESS,
    AwaitingConfirmation,
    Event,
    OutputStreaming,
    Producer,
    SessionCompleted,
    SessionStarted,
    StateChanged,
    ToolCompleted,
    ToolInvoked,
)
from daemon_channel import add_arguments, connect, fault_sentence, sentence_of

PRODUCER = Producer(agent_id="python-bank", agent_name="The bank in Python")

# A default is never told as somebody's decision.
WHY_NOT = {
    RESOLVED_BY_REPLY: "You declined it.",
    RESOLVED_BY_TIMEOUT: "Nobody answered in time.",
    RESOLVED_BY_NO_SUBSCRIBER: "There was nobody to ask.",
    RESOLVED_BY_SUBSCRIPTION_ENDED: "Nobody who could answer was left.",
    RESOLVED_BY_CANCELLED: "The question was taken back.",
}


class Refused(Exception):
    """The daemon did not take an event."""


class Session:
    """One session. The daemon fills in ids, times and positions, and whatever else is left out."""

    def __init__(self, stub, metadata):
        self.stub = stub
        self.metadata = metadata
        self.stream = stub.Publish(metadata=metadata)
        self.session_id = "sess_" + uuid.uuid4().hex
        self.requests = 0

    async def publish(self, **payload):
        """Publishes one event, and returns when the daemon has taken it."""
        self.requests += 1
        request_id = str(self.requests)
        await self.stream.write(PublishRequest(request_id=request_id, publish=EventBatch(events=[self.event(payload)])))
        while True:
            response = await self.stream.read()
            if response is grpc.aio.EOF:
                raise Refused("the daemon has ended the stream")
            if response.request_id != request_id:
                continue  # news of a question
            if response.HasField("error"):
                raise Refused(fault_sentence(response.error))
            return response.receipt

    async def confirm(self, question, resume_token):
        """Asks, and returns when there is an outcome, which may take minutes: so no deadline. Cancelling the call takes the question back."""
        # The call is not the stream, and opens the stream's session with its token.
        request = ConfirmRequest(event=self.event({"awaiting_confirmation": question}), resume_token=resume_token)
        return (await self.stub.Confirm(request, metadata=self.metadata)).outcome

    def event(self, payload):
        return Event(session_id=self.session_id, producer=PRODUCER, **payload)

    async def change_state(self, before, after):
        await self.publish(state_changed=StateChanged(from_state=before, to_state=after))

    async def call_tool(self, tool, invoked, completed):
        await self.change_state("thinking", "calling_tool")
        await self.publish(tool_invoked=ToolInvoked(**tool, **invoked))
        await self.publish(tool_completed=ToolCompleted(**tool, status=TOOL_STATUS_SUCCESS, summary_normal=completed))
        await self.change_state("calling_tool", "thinking")

    async def write(self, text):
        """Streams text as a model gives it: token by token. The daemon finds where sentences end."""
        await self.change_state("thinking", "writing_output")
        for token in [*re.findall(r"\S+\s*", text), ""]:
            await self.publish(output_streaming=OutputStreaming(output_id="out_result", chunk=token, complete=token == ""))

    async def close(self):
        """Half-close, then the daemon's end of the stream."""
        await self.stream.done_writing()
        while await self.stream.read() is not grpc.aio.EOF:
            pass


async def work(session, timeout_seconds):
    started = await session.publish(session_started=SessionStarted(summary_normal="Transfers 500 dollars to Ada Obi."))
    await session.change_state("idle", "thinking")
    balance = {"tool": "fetch_balance", "tool_call_id": "call_1"}
    invoked = {"risk_level": LEVEL_LOW, "summary_normal": "Reading your balance."}
    await session.call_tool(balance, invoked, "Your balance is 12,500 dollars.")

    transfer = {"tool": "transfer_funds", "tool_call_id": "call_2"}
    risk = {"risk_level": LEVEL_HIGH, "irreversible": True}
    question = AwaitingConfirmation(
        **risk,
        action="Transfer 500 dollars to Ada Obi.",
        consequence="The money leaves your account at once. 12,000 dollars remain.",
        timeout_seconds=timeout_seconds,
        default_decision=DECISION_REJECT,
    )
    question.extra_context.update({**transfer, "amount": 500, "currency": "USD"})
    outcome = await session.confirm(question, started.resume_token)

    # Only a person's own yes lets it happen. The daemon would refuse the tool call otherwise.
    if outcome.decision == DECISION_ACCEPT and outcome.resolved_by == RESOLVED_BY_REPLY:
        await session.call_tool(transfer, {**risk, "summary_normal": "Transferring 500 dollars."}, "The transfer is done.")
        told, balance = "Transferred 500 dollars.", "12,000"
    else:
        told, balance = f"{WHY_NOT[outcome.resolved_by]} Nothing was transferred.", "still 12,500"
    print(told, flush=True)
    await session.write(f"{told} Your balance is {balance} dollars.")
    await session.publish(session_completed=SessionCompleted(summary_normal=told))


async def run(arguments):
    async with connect(arguments.address, arguments.token_file) as (channel, metadata):
        session = Session(AgentServiceStub(channel), metadata)
        await work(session, arguments.timeout)
        await session.close()


def main():
    parser = argparse.ArgumentParser(description="Asks before it transfers money.")
    add_arguments(parser)
    parser.add_argument("--timeout", type=int, default=120, help="seconds that a person has to answer")
    try:
        asyncio.run(run(parser.parse_args()))
    except grpc.aio.AioRpcError as error:
        sys.exit(f"Error: {sentence_of(error)}")
    except (Refused, OSError) as error:
        sys.exit(f"Error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
