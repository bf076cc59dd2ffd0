"""One line of plain text for each event, for people who listen. A part of socket_subscriber.py, which says how to run it."""

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
