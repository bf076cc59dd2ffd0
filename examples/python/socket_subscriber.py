#!/usr/bin/env python3
"""Listens to agents over the daemon's Unix socket, one JSON object a line. Standard library only. Run it beside `npx --no -- aaepd serve`:

    python3 examples/python/socket_subscriber.py --socket $XDG_RUNTIME_DIR/aaep/aaepd.sock
"""

import argparse
import json
import sys
from datetime import datetime, timezone

from aaep_agent import connect_own
from plain_lines import ENDS, line_of, lines_of
from questions import ASKS, Questions, read_lines, tell


def request(arguments):
    return {
        "type": "subscription.request",
        "aaep_version": "1.0.0",
        "subscriber_id": "python-socket-subscriber",
        "capabilities": {
            "max_events_per_second": arguments.rate,
            "preferred_verbosity": "normal",
            "coalesce_boundaries": ["sentence", "completion"],
            # The daemon puts questions to whoever says so, and waits: only for somebody who can answer.
            "supports_confirmation_reply": arguments.answer != "none",
        },
    }


def listen(connection, arguments):
    questions = Questions()
    subscription_id = None

    def send(message):
        # One write for each message, as typed answers come from another thread.
        connection.sendall(json.dumps({**message, "subscription_id": subscription_id}).encode() + b"\n")

    def reply(reply_token, decision):
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        send({"type": "confirmation.reply", "reply_token": reply_token, "decision": decision, "timestamp": now})
        tell(f"Sent: {decision}.")

    def take_line(line):
        if line is None:
            tell("Standard input has ended: questions cannot be answered here any more.")
            send({"type": "subscription.renegotiate", "capabilities": {"supports_confirmation_reply": False}})
        elif answer := questions.answer(line):
            reply(*answer)

    connection.sendall(json.dumps(request(arguments)).encode() + b"\n")
    for line in lines_of(connection.makefile("rb")):
        message = json.loads(line)
        if message["type"] == "subscription.accepted" and subscription_id is None:  # later ones answer a renegotiation
            subscription_id = message["subscription_id"]
            tell(f"Listening to {message['producer']['agent_id']}.")
            if arguments.answer == "ask":
                read_lines(take_line)
        elif message["type"] == "subscription.rejected":
            raise SystemExit(f"Error: not accepted: {message['reason_message']}")
        elif message["type"] == "subscription.close":
            raise SystemExit(f"Error: {message.get('reason_message', 'the daemon has ended the subscription.')}")
        elif message["type"] == "aaepd.error":
            tell(message["message"])
        elif "event_id" in message:
            print(json.dumps(message) if arguments.json else line_of(message), flush=True)
            questions.note(message)
            if message["type"] == ASKS and arguments.answer in ("accept", "reject"):
                reply(message["reply_token"], arguments.answer)
            elif message["type"] == ASKS and arguments.answer == "ask":
                questions.ask(message)
            if arguments.once and message["type"] in ENDS:
                send({"type": "subscription.close"})
                return


def main():
    parser = argparse.ArgumentParser(description="Listens to agents over the daemon's Unix socket.")
    parser.add_argument("--socket", required=True, help="the daemon's socket")
    parser.add_argument("--json", action="store_true", help="each event as one line of JSON")
    parser.add_argument("--once", action="store_true", help="end with the first session that ends")
    parser.add_argument("--rate", type=int, default=3, help="events a second at most; what is critical does not wait")
    answers = ["ask", "accept", "reject", "none"]
    parser.add_argument("--answer", choices=answers, default="ask", help="how questions are answered: by you, by a script, or not here")
    arguments = parser.parse_args()
    try:
        with connect_own(arguments.socket) as connection:
            listen(connection, arguments)
    except OSError as error:
        sys.exit(f"Error: {error}")
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        sys.exit(f"Error: the daemon sent what cannot be read: {error!r}")
    except KeyboardInterrupt:
        pass  # the normal end of listening


if __name__ == "__main__":
    main()
