"""Questions and their answers, in their shortest form (AAEP §6.3, §6.5)."""

from checks import same, within
from envelope import fresh, now

CONFIRMATION = {
    "action": "Send it.",
    "consequence": "It is sent.",
    "timeout_seconds": 300,
    "default_decision": "reject",
}
CLARIFICATION = {"question": "Which one?", "timeout_seconds": 300}


def ask(session, **members):
    """Publishes a confirmation, and answers its token."""
    event = session.emit("awaiting.confirmation", **{**CONFIRMATION, "reply_token": fresh("rpl_"), **members})
    return event["reply_token"]


def ask_which(session, **members):
    event = session.emit("awaiting.clarification", **{**CLARIFICATION, "reply_token": fresh("rpl_"), **members})
    return event["reply_token"]


def asked(listener, token):
    """The question as a listener gets it."""
    return listener.hear(lambda one: one.get("reply_token") == token, "the question came")


def reply(listener, to, says, **members):
    """A confirmation.reply of the listener's to a token. Members replace what stands there; one that is None is left out."""
    say(listener, {"type": "confirmation.reply", "reply_token": to, "decision": says, **members})


def answer(listener, to, says, **members):
    """A clarification.reply, in the same way."""
    say(listener, {"type": "clarification.reply", "reply_token": to, "response": says, **members})


def say(listener, message):
    whole = {"subscription_id": listener.id, "timestamp": now(), **message}
    listener.say({key: value for key, value in whole.items() if value is not None})


def resolved(session, token, **expected):
    """What the agent is told of the outcome."""
    outcome = session.agent.outcome(token)
    within(outcome, expected, "The outcome")
    return outcome


def resolution(listener, session, **expected):
    """§6.7.2: everybody who got the question is told how it ended."""
    notice = listener.hear(
        lambda one: one.get("session_id") == session.id and one.get("from_state") == "awaiting_input",
        "the resolution came",
    )
    same(notice["type"], "aaep:agent.state.changed", "The resolution")
    within(notice, expected, "The resolution")
    return notice
