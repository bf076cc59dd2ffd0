"""§5.7 and §5.8: terms that change, and subscriptions that end."""

from checks import check, holds, same, told, within
from questions import ask, asked, reply, resolved


@check("§5.7.1", "the example changes what it names, and the rest stays")
def example(stage):
    listener = stage.stranger()
    first = listener.request(
        {
            "max_events_per_second": 3,
            "languages": ["en-US"],
            "preferred_verbosity": "terse",
            "supports_confirmation_reply": True,
            "event_filters": {"include": ["aaep:agent.*"], "exclude": ["aaep:agent.progress.updated"]},
        }
    )
    answer = listener.renegotiate({"max_events_per_second": 1, "cognitive_load": "low"})
    within(answer, {"type": "subscription.accepted", "subscription_id": first["subscription_id"]}, "The answer")
    changed = {"max_events_per_second": 1, "cognitive_load": "low"}
    within(answer["honored_capabilities"], changed, "honored_capabilities")
    kept = ("languages", "preferred_verbosity", "supports_confirmation_reply", "event_filters")
    for name in kept:
        same(answer["honored_capabilities"][name], first["honored_capabilities"][name], f"honored_capabilities.{name}")


@check("§5.7.2", "new terms hold for every event after their acceptance")
def terms_hold(stage):
    listener, session = stage.listener(preferred_verbosity="terse"), stage.session()
    words = {"summary_terse": "Short.", "summary_normal": "Normal words.", "summary_detailed": "Many more words."}
    for verbosity, percent in (("terse", 1), ("detailed", 2), ("normal", 3)):
        listener.renegotiate({"preferred_verbosity": verbosity})
        session.emit("tool.invoked", tool=f"look_{percent}", **words)
        heard = listener.event("tool.invoked", tool=f"look_{percent}")
        same(heard.get("summary_" + verbosity), words["summary_" + verbosity], f"The summary for {verbosity}")
    listener.renegotiate({"event_filters": {"exclude": ["aaep:agent.state.changed"]}})
    listener.meanwhile()
    session.state("calling_tool", "thinking")
    session.emit("progress.updated", progress={"percent": 4})
    heard = listener.events_until("progress.updated")
    same([one["type"] for one in heard], ["aaep:agent.progress.updated"], "What came")


@check("§5.7", "what cannot be read or had is answered, and the terms stay (R32)")
def refused(stage):
    listener = stage.listener(max_events_per_second=3)
    for capabilities in ({"max_events_per_second": 0}, {"coalesce_boundaries": ["token"]}, {"languages": 5}):
        same(listener.renegotiate(capabilities)["type"], "aaepd.error", f"The answer to {told(capabilities)}")
    same(listener.renegotiate({}, subscription_id="sub_another")["type"], "aaepd.error", "The answer about another's")
    honored = listener.renegotiate({})["honored_capabilities"]
    within(honored, {"max_events_per_second": 3, "supports_confirmation_reply": True}, "honored_capabilities")


@check("§5.7", "members of a later version are no reason to refuse a change, a reply or a close (§12.6.1)")
def later_members(stage):
    listener, session = stage.listener(), stage.session()
    later = {"member_of_a_later_version": {"of": ["any", "form"]}}
    answer = listener.renegotiate({"max_events_per_second": 50}, **later)
    same(answer["type"], "subscription.accepted", "The answer")
    token = ask(session)
    asked(listener, token)
    reply(listener, token, "accept", **later)
    resolved(session, token, decision="accept", resolved_by="reply")
    listener.events_until("state.changed", from_state="awaiting_input")
    listener.close(**later)
    same(listener.rest(), [], "What came after the close")
    listener.id = None


@check("§5.7", "a word that nobody knows yet changes nothing, and a note says so (R32)")
def unknown_words(stage):
    listener = stage.listener(preferred_verbosity="terse")
    answer = listener.renegotiate({"preferred_verbosity": "poetic", "coalesce_boundaries": ["token", "sentence"]})
    honored = answer["honored_capabilities"]
    within(honored, {"preferred_verbosity": "terse", "coalesce_boundaries": ["sentence"]}, "honored_capabilities")
    holds("poetic" in answer.get("negotiation_notes", ""), f"The notes: {told(answer.get('negotiation_notes'))}")


@check(
    "§5.2",
    "a further request on a connection takes the subscription's place, a rejected one does not (R33)",
    needs="plain",
)
def another_request(stage):
    listener, session = stage.listener(), stage.session()
    first = listener.id
    same(listener.request({}, aaep_version="2.0.0")["type"], "subscription.rejected", "The answer to another version")
    session.emit("progress.updated", progress={"percent": 1})
    listener.event("progress.updated")
    answer = listener.request({"event_filters": {"exclude": ["aaep:agent.progress.updated"]}})
    holds(answer["subscription_id"] != first, "The new subscription has the id of the old one.")


@check("§5.8.1", "the example closes the subscription, and nothing follows it")
def close(stage):
    listener, session = stage.listener(), stage.session()
    listener.event("session.started")
    listener.close(reason_message="Reading Lamp is closing.")
    same(listener.rest(), [], "What came after the close")
    listener.id = None
    session.complete()


@check("§5.8.1", "a close closes whatever else is wrong with it, as long as it is clear (R33)")
def clear_close(stage):
    for spoilt in ({"reason_code": 5}, {"reason_message": None}, {"extensions": "none"}):
        listener = stage.listener()
        listener.close(**spoilt)
        same(listener.rest(), [], f"What came after a close with {told(spoilt)}")
        listener.id = None
        stage.dismiss(listener)


@check("§5.8.2", "the default of a question applies when the last listener that could answer it closes")
def default_at_close(stage):
    listener, session = stage.listener(), stage.session()
    token = ask(session)
    asked(listener, token)
    listener.leave()
    resolved(session, token, decision="reject", resolved_by="subscription_ended")
    # Others are served as before.
    later = stage.listener()
    session.complete()
    later.event("session.completed")


@check("§5.8", "the same where it vanishes without a word", needs="drops")
def default_at_drop(stage):
    listener, session = stage.listener(), stage.session()
    token = ask(session, default_decision="accept", risk_level="low")
    asked(listener, token)
    listener.vanish()
    resolved(session, token, decision="accept", resolved_by="subscription_ended")


@check("§5.8.2", "a question stays open while another listener can answer it")
def still_open(stage):
    listener, other, session = stage.listener(), stage.second(), stage.session()
    token = ask(session)
    asked(listener, token)
    asked(other, token)
    listener.leave()
    reply(other, token, "accept")
    resolved(session, token, decision="accept", resolved_by="reply")
