"""§6.4, §6.7 and §6.8: how questions end without a reply, and how everybody is told."""

from checks import check, holds, same, told
from questions import answer, ask, ask_which, asked, reply, resolution, resolved


@check(
    "§6.4",
    "without a reply the default applies when the time is over; after an accepting one the agent goes ahead (§4.5.3)",
)
def timeouts(stage):
    listener, session = stage.listener(), stage.session()
    rejected = ask(session, timeout_seconds=1)
    accepted = ask(session, timeout_seconds=1, action="Show it.", default_decision="accept", risk_level="low")
    chosen = ask_which(session, timeout_seconds=1, default_response="this one")
    none = ask_which(session, timeout_seconds=1, question="And where?")
    for token in (rejected, accepted, chosen, none):
        asked(listener, token)
    resolved(session, rejected, decision="reject", resolved_by="timeout")
    resolved(session, accepted, decision="accept", resolved_by="timeout")
    resolved(session, chosen, response="this one", resolved_by="timeout")
    holds("response" not in resolved(session, none, resolved_by="timeout"), "A question without default was answered.")
    for token in (rejected, chosen):
        reply(listener, token, "accept")
        answer(listener, token, "that one")
    session.emit("tool.invoked", tool="show", summary_normal="Shows it.")
    session.emit("tool.completed", tool="show", status="success")
    # A default is nobody's consent to what cannot be undone.
    session.refuses("tool.invoked", "AAEP §4.3.1", tool="show", summary_normal="Shows it.", irreversible=True)
    session.complete()
    after = listener.events_until("session.completed")
    resolutions = [one for one in after if one.get("from_state") == "awaiting_input"]
    same(len(resolutions), 4, "The number of resolutions")
    same([one["type"] for one in listener.meanwhile()], [], "What came after late replies")


@check("§6.7.2", "the resolution leaves awaiting_input and says in words how it ended")
def words(stage):
    listener, session = stage.listener(), stage.session()
    session.state("idle", "thinking")
    for decision, word in (("accept", "accept"), ("reject", "reject")):
        token = ask(session, action=f"Send it, {decision}.")
        asked(listener, token)
        reply(listener, token, decision)
        resolved(session, token, decision=decision)
        notice = resolution(listener, session)
        same(notice["to_state"], "thinking", "The state after the question (R6)")
        summary = notice.get("summary_normal", "")
        holds(word in summary.lower(), f"The resolution of {decision} says {told(summary)}.")
        holds("aaepd" in notice.get("extensions", {}), f"The resolution does not name its question: {told(notice)}")


@check("§6.8", "a change of state back to thinking or deciding cancels what is open, and its token is dead")
def cancelled_by_state(stage):
    for back in ("thinking", "deciding"):
        listener, session = stage.listener(), stage.session()
        token = ask(session)
        asked(listener, token)
        session.state("awaiting_input", back, summary_normal="It is not needed any more.")
        resolved(session, token, resolved_by="cancelled")
        # What comes before this has come, and is out of the way.
        session.emit("progress.updated", progress={"percent": 1})
        heard = listener.events_until("progress.updated")
        holds(any(one.get("to_state") == back for one in heard), f"Nobody was told of the way back to {back}.")
        reply(listener, token, "accept")
        same([one["type"] for one in listener.meanwhile()], [], "What came after a reply to what was cancelled")
        session.refuses("tool.invoked", "AAEP §4.3.1", tool="send", summary_normal="Sends.", irreversible=True)
        stage.dismiss(listener)


@check("§6.8", "the end of a session cancels all that is open in it")
def cancelled_by_end(stage):
    listener, session = stage.listener(), stage.session()
    tokens = [ask(session), ask_which(session)]
    for token in tokens:
        asked(listener, token)
    session.emit("session.cancelled", cancelled_by="user", summary_normal="Enough.")
    for token in tokens:
        resolved(session, token, resolved_by="cancelled")
    listener.events_until("session.cancelled")
    reply(listener, tokens[0], "accept")
    same([one["type"] for one in listener.meanwhile()], [], "What came after a reply to what was cancelled")


@check("§6.7", "a listener that comes while a question is open is put it, and can answer it (R6)")
def latecomer(stage):
    first, session = stage.listener(), stage.session()
    token = ask(session)
    asked(first, token)
    late = stage.second()
    asked(late, token)
    reply(late, token, "accept")
    resolved(session, token, decision="accept", resolved_by="reply")
    resolution(first, session)


@check(
    "§6.4.3",
    "of more than a minute half and the last tenth are told as progress, then the default applies",
    needs="quick",
)
def reminders(stage):
    listener, session = stage.listener(), stage.session()
    token = ask(session, timeout_seconds=61)
    asked(listener, token)
    for percent, seconds in ((50, 31), (90, 6)):
        reminder = listener.event("progress.updated")
        same(reminder["progress"], {"percent": percent}, "The progress")
        same(reminder["session_id"], session.id, "The session of a reminder")
        summary = reminder["summary_normal"]
        holds(str(seconds) in summary, f"The reminder does not tell that {seconds} seconds remain: {told(summary)}")
    resolved(session, token, decision="reject", resolved_by="timeout")
    resolution(listener, session)
