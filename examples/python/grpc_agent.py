#!/usr/bin/env python3
"""A banking agent that publishes over gRPC, and asks before it transfers money. Nothing is really transferred. See README.md beside this file."""

import argparse
import asyncio
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
    RESOLVED_BY_SUBSCRIPTION_ENDED: "Whoever could have answered has gone.",
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

    async def write(self, output_id, text):
        """Streams text as a model gives it: token by token. Where sentences end is the daemon's business."""
        for token in text.split(" "):
            await self.publish(output_streaming=OutputStreaming(output_id=output_id, chunk=token + " ", complete=False))
        await self.publish(output_streaming=OutputStreaming(output_id=output_id, chunk="", complete=True))

    async def close(self):
        """Half-close, then the daemon's end of the stream."""
        await self.stream.done_writing()
        while await self.stream.read() is not grpc.aio.EOF:
            pass


async def work(session, timeout_seconds):
    started = await session.publish(session_started=SessionStarted(summary_normal="Transfers 500 dollars to Ada Obi."))
    await session.change_state("idle", "thinking")

    balance = {"tool": "fetch_balance", "tool_call_id": "call_1"}
    await session.publish(tool_invoked=ToolInvoked(**balance, risk_level=LEVEL_LOW, summary_normal="Reading your balance."))
    await session.publish(tool_completed=ToolCompleted(**balance, status=TOOL_STATUS_SUCCESS, summary_normal="The balance is read."))
    await session.change_state("thinking", "writing_output")
    await session.write("out_balance", "Your balance is 12,500 dollars. I can transfer 500 of them.")
    await session.change_state("writing_output", "deciding")

    transfer = {"tool": "transfer_funds", "tool_call_id": "call_2"}
    question = AwaitingConfirmation(
        action="May I transfer 500 dollars to Ada Obi?",
        consequence="The money leaves your account at once.",
        risk_level=LEVEL_HIGH,
        irreversible=True,
        timeout_seconds=timeout_seconds,
        default_decision=DECISION_REJECT,
    )
    question.extra_context.update(transfer)
    outcome = await session.confirm(question, started.resume_token)

    # Only a person's own yes lets it happen. The daemon would refuse the tool call otherwise.
    if outcome.decision == DECISION_ACCEPT and outcome.resolved_by == RESOLVED_BY_REPLY:
        print("Accepted: transferring.", flush=True)
        await session.publish(
            tool_invoked=ToolInvoked(**transfer, risk_level=LEVEL_HIGH, irreversible=True, summary_normal="Transferring 500 dollars.")
        )
        await session.publish(tool_completed=ToolCompleted(**transfer, status=TOOL_STATUS_SUCCESS, summary_normal="The transfer is done."))
        await session.change_state("calling_tool", "writing_output")
        await session.write("out_result", "Transferred 500 dollars to Ada Obi. Your new balance is 12,000 dollars.")
        await session.publish(session_completed=SessionCompleted(summary_normal="Transferred 500 dollars."))
    else:
        why_not = WHY_NOT[outcome.resolved_by]
        print(f"Not transferred: {why_not}", flush=True)
        await session.change_state("awaiting_input", "writing_output")
        await session.write("out_result", f"{why_not} Nothing was transferred.")
        await session.publish(session_completed=SessionCompleted(summary_normal="Nothing was transferred."))


async def run(arguments):
    channel, metadata = connect(arguments.address, arguments.token_file)
    async with channel:
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
