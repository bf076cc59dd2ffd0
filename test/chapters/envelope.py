"""The envelope that every event carries (AAEP §3.2, ch. 4), and fresh values for it."""

import re
import secrets
import time

from checks import holds, told

CONTEXT = "https://aaep-protocol.org/context/v1"
PRODUCER = {"agent_id": "household-bank", "agent_version": "1.4.2"}
TIMESTAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3}|\.\d{6})?(Z|[+-]\d\d:\d\d)$")
FORMS = {
    "type": re.compile(r"^aaep:agent\.[a-z.]+$|^(?!aaep:)[a-z]+:"),
    "event_id": re.compile(r"^evt_[A-Za-z0-9]{1,64}$"),
    "session_id": re.compile(r"^sess_[A-Za-z0-9]{1,64}$"),
    "timestamp": TIMESTAMP,
}


def fresh(prefix):
    return prefix + secrets.token_hex(16)


def at(seconds):
    """A timestamp so many seconds from now."""
    instant = time.time() + seconds
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(instant)) + f".{int(instant % 1 * 1000):03}Z"


def now():
    return at(0)


def enveloped(session_id, kind, members):
    """An event of a session, as an agent emits it that leaves nothing out. `members` may replace what stands in the envelope."""
    return {
        "@context": CONTEXT,
        "type": "aaep:agent." + kind,
        "event_id": fresh("evt_"),
        "session_id": session_id,
        "timestamp": now(),
        "producer": PRODUCER,
        **members,
    }


def assert_envelope(event):
    context = event.get("@context")
    first = context[0] if isinstance(context, list) and context else context
    holds(first == CONTEXT, f"ch. 4: an event came without AAEP's @context: {told(event)}")
    for name, form in FORMS.items():
        value = event.get(name)
        holds(isinstance(value, str) and form.match(value), f"ch. 4: an event came whose {name} is {told(value)}.")
    producer = event.get("producer")
    holds(
        isinstance(producer, dict) and producer.get("agent_id"), f"ch. 4: an event came without producer: {told(event)}"
    )
    holds(
        event.get("urgency", "normal") in ("background", "normal", "critical"), f"§3.3.2: {told(event.get('urgency'))}"
    )
