#!/usr/bin/env python3
"""Listens to agents over gRPC, one line for each event, and lets a person answer what they ask.

Build the messages as README.md says, and run it beside `npx --no -- aaepd serve --grpc unix:$HOME/.aaepd/grpc.sock`:

    examples/python/.venv/bin/python examples/python/grpc_subscriber.py --address unix:$HOME/.aaepd/grpc.sock
"""

import argparse
import asyncio
import json
import sys
from datetime import datetime, timezone

import grpc

from aaep.v1.event_pb2 import DECISION_ACCEPT, DECISION_REJECT, VERBOSITY_NORMAL
from aaep.v1.handshake_pb2 import Capabilities, ConfirmationReply, SubscriptionClose, SubscriptionRenegotiate, SubscriptionRequest
from aaep.v1.subscriber_service_pb2 import SubscribeRequest
from aaep.v1.subscriber_service_pb2_grpc import SubscriberServiceStub
from daemon_channel import add_arguments, connect, fault_sentence, sentence_of
from documents import document_of
from plain_lines import ENDS, line_of
from questions import ASKS, Questions, read_lines, tell


class Listener:
    """One subscription: what is sent, and what is done with what comes."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.questions = Questions()
        self.subscription_id = None
        # Whoever has something to say puts it here; None ends this side of the stream.
        self.outgoing = asyncio.Queue()

    async def requests(self):
        yield SubscribeRequest(
            request=SubscriptionRequest(
                aaep_version="1.0.0",
                subscriber_id="python-subscriber",
                capabilities=Capabilities(
                    max_events_per_second=self.arguments.rate,
                    preferred_verbosity=VERBOSITY_NORMAL,
                    coalesce_boundaries=["sentence", "completion"],
                    # The daemon puts questions to whoever says so, and waits: only for somebody who can answer.
                    supports_confirmation_reply=self.arguments.answer != "none",
                ),
            )
        )
        while (message := await self.outgoing.get()) is not None:
            yield message

    def take(self, response):
        """Events, as many as were ready, or one other message."""
        for event in response.events:
            self.take_event(document_of(event))
        kind = response.WhichOneof("message")
        if kind == "accepted" and self.subscription_id is None:  # later ones answer a renegotiation
            self.subscription_id = response.accepted.subscription_id
            tell(f"Listening to {response.accepted.producer.agent_id}.")
            if self.arguments.answer == "ask":
                loop = asyncio.get_running_loop()
                read_lines(lambda line: loop.call_soon_threadsafe(self.take_line, line))
        elif kind == "rejected":
            raise SystemExit(f"Error: not accepted: {response.rejected.reason_message}")
        elif kind == "error":
            tell(fault_sentence(response.error))

    def take_event(self, document):
        print(json.dumps(document) if self.arguments.json else line_of(document), flush=True)
        self.questions.note(document)
        if document["type"] == ASKS:
            if self.arguments.answer in ("accept", "reject"):
                self.reply(document["reply_token"], self.arguments.answer)
            elif self.arguments.answer == "ask":
                self.questions.ask(document)
        if self.arguments.once and document["type"] in ENDS:
            self.outgoing.put_nowait(SubscribeRequest(close=SubscriptionClose(subscription_id=self.subscription_id)))
            self.outgoing.put_nowait(None)

    def take_line(self, line):
        """What the person typed; None: nothing more will be."""
        if line is None:
            tell("Standard input has ended: questions cannot be answered here any more.")
            capabilities = Capabilities(supports_confirmation_reply=False)
            renegotiate = SubscriptionRenegotiate(subscription_id=self.subscription_id, capabilities=capabilities)
            self.outgoing.put_nowait(SubscribeRequest(renegotiate=renegotiate))
        elif answer := self.questions.answer(line):
            self.reply(*answer)

    def reply(self, reply_token, decision):
        reply = ConfirmationReply(
            subscription_id=self.subscription_id,
            reply_token=reply_token,
            decision=DECISION_ACCEPT if decision == "accept" else DECISION_REJECT,
            timestamp=datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        )
        self.outgoing.put_nowait(SubscribeRequest(confirmation_reply=reply))
        tell(f"Sent: {decision}.")


async def run(arguments):
    listener = Listener(arguments)
    async with connect(arguments.address, arguments.token_file) as (channel, metadata):
        async for response in SubscriberServiceStub(channel).Subscribe(listener.requests(), metadata=metadata):
            listener.take(response)


def main():
    parser = argparse.ArgumentParser(description="Listens to agents over gRPC.")
    add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="each event as one line of JSON")
    parser.add_argument("--once", action="store_true", help="end with the first session that ends")
    parser.add_argument("--rate", type=int, default=3, help="events a second at most; what is critical does not wait")
    answers = ["ask", "accept", "reject", "none"]
    parser.add_argument("--answer", choices=answers, default="ask", help="how questions are answered: by you, by a script, or not here")
    try:
        asyncio.run(run(parser.parse_args()))
    except grpc.aio.AioRpcError as error:
        if error.code() != grpc.StatusCode.CANCELLED:  # that is a normal end
            sys.exit(f"Error: {sentence_of(error)}")
    except OSError as error:
        sys.exit(f"Error: {error}")
    except (KeyboardInterrupt, asyncio.CancelledError):
        pass  # Ctrl-C, the normal end of listening


if __name__ == "__main__":
    main()
