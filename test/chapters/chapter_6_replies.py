"""§6.3 and §6.5: replies that count, and those to which there is nothing but silence."""

from checks import check, holds, same, told
from envelope import at, fresh
from questions import answer, ask, ask_which, asked, reply, resolution, resolved


def silence(listener, what):
    """§6.3.4: whoever sent what does not count hears nothing of it, not even that it did not count."""
    heard = [one["type"] for one in listener.meanwhile()]
    holds(heard == [], f"After {what} came {told(heard)}.")


def quiet(stage):
    """A listener and a session of which it has heard everything so far."""
    listener, session = stage.listener(), stage.session()
    session.state("idle", "thinking")
    return listener, session


def put(listener, session, token):
    asked(listener, token)
    listener.meanwhile()
    return token


@check("§6.3.3", "the simple accept counts")
def accept(stage):
    listener, session = quiet(stage)
    token = put(listener, session, ask(session))
    reply(listener, token, "accept", decided_by="user:kemi")
    resolved(session, token, decision="accept", resolved_by="reply", decided_by="user:kemi")


@check("§6.3.3", "the rejection counts, and its reason reaches the agent")
def reject(stage):
    listener, session = quiet(stage)
    token = put(listener, session, ask(session))
    reason = "Less would do."
    reply(listener, token, "reject", decided_by="user:kemi", decision_rationale=reason, correlation_id="trace-1")
    resolved(session, token, decision="reject", resolved_by="reply", decision_rationale=reason)


@check("§6.3.2", "a changed action is a rejection, where the agent has not said that it can do that")
def modified(stage):
    listener, session = quiet(stage)
    token = put(listener, session, ask(session))
    reply(listener, token, "accept", modified_action={"amount": 300})
    resolved(session, token, decision="reject", resolved_by="reply")


@check(
    "§6.3.1", "a reply without one of its members, or with one of another form, does not count, and the next one does"
)
def malformed(stage):
    listener, session = quiet(stage)
    token = put(listener, session, ask(session))
    for name in ("reply_token", "decision", "subscription_id", "timestamp"):
        reply(listener, token, "accept", **{name: None})
        silence(listener, f"a reply without {name}")
    for spoilt in ({"timestamp": "soon"}, {"reply_token": 5}, {"decided_by": []}, {"modified_action": "less"}):
        reply(listener, token, "accept", **spoilt)
        silence(listener, f"a reply with {told(spoilt)}")
    reply(listener, token, "accept")
    resolved(session, token, decision="accept", resolved_by="reply")


@check("§6.3.4", "neither a strange token, nor another subscription's name, nor another decision counts")
def strange(stage):
    listener, session = quiet(stage)
    token = put(listener, session, ask(session))
    reply(listener, fresh("rpl_"), "accept")
    silence(listener, "a reply with a token that nobody gave")
    reply(listener, token, "accept", subscription_id=fresh("sub_"))
    silence(listener, "a reply under another subscription's name")
    for decision in ("maybe", "ACCEPT", True, ""):
        reply(listener, token, decision)
        silence(listener, f"a reply with the decision {told(decision)}")
    reply(listener, token, "reject")
    resolved(session, token, decision="reject", resolved_by="reply")


@check("§6.3.4", "a reply from after the deadline does not count, though it comes before (step 4)")
def late(stage):
    listener, session = quiet(stage)
    token = put(listener, session, ask(session, timeout_seconds=30))
    reply(listener, token, "accept", timestamp=at(3600))
    silence(listener, "a reply from after the deadline")
    reply(listener, token, "reject", timestamp=at(1))
    resolved(session, token, decision="reject", resolved_by="reply")


@check("§6.3.4", "a reply of the other kind does not count")
def other_kind(stage):
    listener, session = quiet(stage)
    confirmation = put(listener, session, ask(session))
    clarification = put(listener, session, ask_which(session, accepted_response_kinds=["freetext"]))
    answer(listener, confirmation, "accept")
    silence(listener, "a clarification's answer to a confirmation")
    reply(listener, clarification, "accept")
    silence(listener, "a confirmation's answer to a clarification")
    reply(listener, confirmation, "accept")
    resolved(session, confirmation, decision="accept")
    answer(listener, clarification, "This one.")
    resolved(session, clarification, response="This one.")


@check("§6.3.4", "a reply does not count over a subscription that was never put the question")
def not_put(stage):
    listener, session = quiet(stage)
    deaf = stage.second(supports_confirmation_reply=False)
    token = put(listener, session, ask(session))
    reply(deaf, token, "accept")
    holds(not any(one["type"] == "aaepd.error" for one in deaf.meanwhile()), "The reply was answered.")
    reply(listener, token, "reject")
    resolved(session, token, decision="reject", resolved_by="reply")


@check("§6.3.5", "of several replies the first counts, and no other changes it")
def once(stage):
    listener, session = quiet(stage)
    token = put(listener, session, ask(session))
    for decision in ("reject", "accept", "accept"):
        reply(listener, token, decision)
    resolved(session, token, decision="reject", resolved_by="reply")
    resolution(listener, session)
    silence(listener, "the one resolution of three replies")
    session.refuses("tool.invoked", "AAEP §4.3.1", tool="send", summary_normal="Sends.", irreversible=True)


KINDS = (
    ("freetext", "I want it in May.", [True, 5, {"month": 5}, ""]),
    ("yes_no", True, ["yes", 1, "true"]),
    ("multiple_choice", "67", ["68", 67, True]),
    ("numeric", 67, ["67", True]),
)


@check("§6.5.2", "each kind of answer has its type; another counts as no answer (§6.5.5)")
def kinds(stage):
    listener, session = quiet(stage)
    choices = [{"value": "65", "label": "At 65"}, {"value": "67", "label": "At 67"}]
    for kind, right, wrong in KINDS:
        extra = {"choices": choices} if kind == "multiple_choice" else {}
        wish = {"accepted_response_kinds": [kind], "question": f"Which, by {kind}?", **extra}
        token = put(listener, session, ask_which(session, **wish))
        for response in wrong:
            answer(listener, token, response)
            silence(listener, f"the answer {told(response)} to a question for {kind}")
        answer(listener, token, right)
        outcome = resolved(session, token, resolved_by="reply")
        same(outcome["response"], right, f"The answer to a question for {kind}")
        listener.meanwhile()


@check("§6.5.2", "where several kinds are accepted, any of them counts")
def any_kind(stage):
    listener, session = quiet(stage)
    choices = [{"value": "4", "label": "April"}, {"value": "5", "label": "May"}]
    for response in ("5", 7):
        wish = {"accepted_response_kinds": ["multiple_choice", "numeric"], "choices": choices}
        token = put(listener, session, ask_which(session, **wish))
        answer(listener, token, response)
        same(resolved(session, token)["response"], response, "The answer")


@check("§6.5.4", "the example counts, and its optional members are taken (§6.5.3)")
def example(stage):
    listener, session = quiet(stage)
    choices = [{"value": "65", "label": "At 65"}, {"value": "67", "label": "At 67"}]
    token = put(listener, session, ask_which(session, accepted_response_kinds=["multiple_choice"], choices=choices))
    answer(listener, token, "67", confidence=1.5)
    silence(listener, "an answer with a confidence of 1.5")
    answer(listener, token, "67", decided_by="user:kemi", confidence=0.9, correlation_id="trace-2")
    resolved(session, token, response="67", resolved_by="reply", decided_by="user:kemi", confidence=0.9)


@check("§6.3.4", "a reply that asks for an answer is told whether it counted, and nothing else (R19)", needs="rpc")
def asked_whether(stage):
    listener, session = quiet(stage)
    token = put(listener, session, ask(session))
    for says, counts in (("maybe", False), ("accept", True), ("accept", False)):
        message = {"type": "confirmation.reply", "reply_token": token, "decision": says}
        same(
            listener.result("aaep.reply", {**message, "subscription_id": listener.id, "timestamp": at(0)}),
            {"accepted": counts},
            "The result",
        )
    resolved(session, token, decision="accept", resolved_by="reply")


@check(
    "§6.6", "a listener that cannot reply is told what is asked, and a reply over another's subscription counts (R6)"
)
def forwarded(stage):
    forwarder, session = stage.listener(supports_confirmation_reply=False), stage.session()
    able = stage.second()
    token = ask(session, action="Delete the photos.", consequence="They are gone.")
    notice = forwarder.event("state.changed", to_state="awaiting_input")
    holds("Delete the photos." in notice.get("summary_normal", ""), f"The notice: {told(notice)}")
    holds("reply_token" not in notice, f"The notice has a token: {told(notice)}")
    asked(able, token)
    reply(able, token, "accept")
    resolved(session, token, decision="accept", resolved_by="reply")
