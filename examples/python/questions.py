"""Open questions, each with a number, and a person who answers at the terminal. A part of socket_subscriber.py, which says how to run it."""

import sys
import threading

ASKS = "aaep:agent.awaiting.confirmation"


def tell(text):
    """Beside the events, which have standard output to themselves."""
    print(text, file=sys.stderr, flush=True)


class Questions:
    """Asks a person, who answers by number: an answer that was meant for one question must never be taken for another's."""

    def __init__(self):
        self.asked = 0
        self.open = {}

    def ask(self, document):
        """Reads an event that asks to the person."""
        self.asked += 1
        number = str(self.asked)
        self.open[number] = document
        undone = "It cannot be undone. " if document.get("irreversible") else ""
        tell(
            f"Question {number} of {document['producer']['agent_id']}: {document['action']} {document['consequence']} {undone}"
            f"Without an answer within {document['timeout_seconds']} seconds: {document['default_decision']}. "
            f"Type y {number} to accept or n {number} to reject, then Enter."
        )

    def note(self, document):
        """Takes away the question that an event says is over, whoever decided it."""
        over = document.get("extensions", {}).get("aaepd", {}).get("question")
        for number, question in list(self.open.items()):
            if question["event_id"] == over and "decision" in document["extensions"]["aaepd"]:
                del self.open[number]
                tell(f"Question {number} is over.")

    def answer(self, line):
        """The reply token and the decision that a typed line stands for, or None."""
        words = line.lower().split()
        decision = {"y": "accept", "n": "reject"}.get(words[0]) if len(words) == 2 else None
        if decision is None or words[1] not in self.open:
            # Silence, a bare Enter or a slip is never consent.
            tell("Not sent: no question is open." if not self.open else f"Not sent. Open: {', '.join(self.open)}. Type y or n and a number.")
            return None
        return self.open[words[1]]["reply_token"], decision


def read_lines(on_line):
    """Calls on_line with each line that is typed, and with None at the end of standard input; in a thread of its own, as reading blocks."""

    def read():
        # Not sys.stdin: the interpreter waits for its lock when it ends.
        with open(sys.stdin.fileno(), encoding="utf-8", closefd=False) as lines:
            for line in lines:
                on_line(line)
        on_line(None)

    threading.Thread(target=read, daemon=True).start()
