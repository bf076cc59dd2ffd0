"""One line of plain text for each event, for people who listen, and the lines of a daemon. A part of socket_subscriber.py, which says how to run it."""

from aaep_agent import LONGEST_LINE

PREFIX = "aaep:agent."
ENDS = (PREFIX + "session.completed", PREFIX + "session.errored", PREFIX + "session.cancelled")

# What an event has to say stands in the first of these that it has.
TEXTS = ("chunk", "action", "question", "summary_normal", "summary_terse", "summary_detailed", "tool", "to_state", "reason")


def line_of(document):
    """An AAEP document on one line: its type, and what it says."""
    kind = document["type"].removeprefix(PREFIX)
    text = next((document[name] for name in TEXTS if name in document), "")
    if kind == "tool.completed" and document.get("status") != "success":
        kind, text = f"tool.{document.get('status')}", f"{document.get('tool')}: {document.get('error_message', text)}"
    if kind == "state.changed" and text != document["to_state"]:
        text = f"{document['to_state']}. {text}"
    # Critical events may not sound like any other.
    urgent = "Attention! " if document.get("urgency") == "critical" else ""
    return f"{urgent}{kind}: {' '.join(text.split())}".rstrip()


def lines_of(file):
    """The whole lines of a file. Raises ValueError if one is longer than LONGEST_LINE."""
    for line in iter(lambda: file.readline(LONGEST_LINE), b""):
        if line.endswith(b"\n"):
            yield line
        elif len(line) == LONGEST_LINE:
            raise ValueError(f"a line has more than {LONGEST_LINE} bytes")
