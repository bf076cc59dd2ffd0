"""§4.4: events that wait for a person."""

from checks import check, holds, same
from envelope import fresh
from examples import CLARIFICATION, CONFIRMATION, made_fresh
from questions import answer, ask, asked, reply, resolved


@check("§4.4.1", "silence may not start what is irreversible and of high risk")
def default_of_high_risk(stage):
    session = stage.session()
    wish = {**CONFIRMATION, "reply_token": fresh("rpl_"), "default_decision": "accept"}
    session.refuses("awaiting.confirmation", "AAEP §6.4.1", **{**wish, "reversibility": "irreversible"})


@check("§4.4.1", "the token reaches the listener as it was made, and comes back")
def token_is_opaque(stage):
    listener, session = stage.listener(), stage.session()
    for token in ("rpl_" + "Z" * 64, fresh("rpl_"), "rpl_0" + fresh("")[:30]):
        ask(session, reply_token=token, action=f"Send {token[-5:]}.")
        same(asked(listener, token)["reply_token"], token, "The token")
        reply(listener, token, "accept")
        resolved(session, token, decision="accept", resolved_by="reply")


@check("§4.4.1", "the example is answered, and the agent is told")
def confirmation(stage):
    listener, session = stage.listener(), stage.session()
    sent = session.emit("awaiting.confirmation", **made_fresh(CONFIRMATION))
    asked(listener, sent["reply_token"])
    reply(listener, sent["reply_token"], "accept", decided_by="user:kemi")
    resolved(session, sent["reply_token"], decision="accept", decided_by="user:kemi")


@check("§4.4.1", "a decision that allowed_replies does not name does not count")
def allowed(stage):
    listener, session = stage.listener(), stage.session()
    token = ask(session, allowed_replies=["reject"])
    asked(listener, token)
    reply(listener, token, "accept")
    listener.meanwhile()
    reply(listener, token, "reject")
    resolved(session, token, decision="reject", resolved_by="reply")


@check("§4.4.2", "the example is answered by one of its choices")
def clarification(stage):
    listener, session = stage.listener(), stage.session()
    sent = session.emit("awaiting.clarification", **made_fresh(CLARIFICATION))
    heard = asked(listener, sent["reply_token"])
    holds([one["value"] for one in heard["choices"]] == ["4", "5", "6", "9"], "The choices came in another order.")
    answer(listener, sent["reply_token"], "6")
    resolved(session, sent["reply_token"], response="6", resolved_by="reply")
