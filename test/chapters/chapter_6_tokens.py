"""§6.1, §6.2 and §6.4.1: what an agent may ask, and when."""

from checks import check, same
from envelope import fresh
from questions import CLARIFICATION, CONFIRMATION, answer, ask, ask_which, asked, reply, resolved

PERMITTED = (
    # irreversible, risk, whether its default may be to accept
    (True, "high", False),
    (True, "medium", False),
    (True, "low", True),
    (False, "high", True),
    (False, "medium", True),
    (False, "low", True),
)


@check("§6.2.1", "a token is rpl_ and one to sixty-four letters or digits")
def form(stage):
    session = stage.session()
    for token in ("rpl_", "rpl_" + "a" * 65, "rpl_a-b", "tok_abc", "RPL_abc", ""):
        session.refuses("awaiting.confirmation", "AAEP §", **CONFIRMATION, reply_token=token)
        session.refuses("awaiting.clarification", "AAEP §", **CLARIFICATION, reply_token=token)
    for token in ("rpl_" + fresh("")[0:1] + "x", "rpl_" + fresh("") * 2):
        ask(session, reply_token=token, action=f"Send {token}.")


@check("§6.2.2", "no token is used twice, not even when its question is over")
def unique(stage):
    listener, session = stage.listener(), stage.session()
    token = ask(session)
    session.refuses("awaiting.clarification", "AAEP §6.2", **CLARIFICATION, reply_token=token)
    asked(listener, token)
    reply(listener, token, "reject")
    resolved(session, token, decision="reject")
    session.refuses(
        "awaiting.confirmation", "AAEP §6.2", **{**CONFIRMATION, "action": "Send another."}, reply_token=token
    )


@check("§6.1", "the same is not asked again while it is open, and may be asked when it is over")
def not_twice(stage):
    listener, session = stage.listener(), stage.session()
    token = ask(session)
    session.refuses("awaiting.confirmation", "AAEP §6.1", **CONFIRMATION, reply_token=fresh("rpl_"))
    asked(listener, token)
    reply(listener, token, "reject")
    resolved(session, token, decision="reject")
    ask(session)


@check("§6.1", "work that does not depend on the answer goes on meanwhile")
def goes_on(stage):
    listener, session = stage.listener(), stage.session()
    token = ask(session)
    session.emit("progress.updated", progress={"percent": 10})
    session.emit("tool.invoked", tool="look", summary_normal="Looks.")
    session.emit("tool.completed", tool="look", status="success")
    heard = listener.events_until("tool.completed")
    same([one["reply_token"] for one in heard if "reply_token" in one], [token], "The questions")


@check("§6.1", "a clarification blocks nothing but itself, and several questions are answered in any order")
def several(stage):
    listener, session = stage.listener(), stage.session()
    first, second = ask(session), ask_which(session)
    for token in (first, second):
        asked(listener, token)
    answer(listener, second, "That one.")
    resolved(session, second, response="That one.")
    reply(listener, first, "accept")
    resolved(session, first, decision="accept")


@check("§6.4.1", "the table of defaults: where silence may consent, and where it may not")
def defaults(stage):
    for irreversible, risk, may_accept in PERMITTED:
        session = stage.session()
        wish = {"irreversible": irreversible, "risk_level": risk, "default_decision": "accept"}
        if may_accept:
            ask(session, **wish)
        else:
            session.refuses(
                "awaiting.confirmation", "AAEP §6.4.1", **{**CONFIRMATION, **wish}, reply_token=fresh("rpl_")
            )
        other = stage.session()
        ask(other, **{**wish, "default_decision": "reject"})
