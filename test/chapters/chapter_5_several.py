"""§5.9: several subscriptions, each on its own terms, over whatever transports."""

from checks import check, holds, same
from questions import ask, asked, reply, resolution, resolved


@check("§5.9", "the same event in two shapes, and neither listener is held up by the other")
def shapes(stage):
    terse = stage.listener(preferred_verbosity="terse", event_filters={"exclude": ["aaep:agent.progress.updated"]})
    detailed = stage.second(preferred_verbosity="detailed")
    session = stage.session(started=False)
    words = {
        "summary_terse": "Begun.",
        "summary_normal": "It has begun.",
        "summary_detailed": "It has begun, with a look.",
    }
    started = session.start(**words)
    session.emit("progress.updated", progress={"percent": 50})
    session.complete()
    for listener, name, count in ((terse, "terse", 2), (detailed, "detailed", 3)):
        heard = listener.events_until("session.completed")
        same(len(heard), count, f"The number of events for {name}")
        same(heard[0]["event_id"], started["event_id"], "The id of the first event")
        same(heard[0].get("summary_" + name), words["summary_" + name], f"The summary for {name}")


def first_reply(stage, *, second_answers):
    listener, other, session = stage.listener(), stage.second(), stage.session()
    token = ask(session)
    for one in (listener, other):
        asked(one, token)
    first, last = (other, listener) if second_answers else (listener, other)
    reply(first, token, "accept", decided_by="user:first")
    resolved(session, token, decision="accept", decided_by="user:first", resolved_by="reply")
    # Both are told how it ended, and the one that was late is told nothing else.
    reply(last, token, "reject", decided_by="user:last")
    for one in (listener, other):
        resolution(one, session)
    told = [one["type"] for one in last.meanwhile()]
    holds("subscription.rejected" not in told and "aaepd.error" not in told, f"A late reply is answered: {told}")
    session.emit("tool.invoked", tool="send", summary_normal="Sends.", irreversible=True)


@check("§5.9", "the first valid reply counts, and all others are told how the question ended (§6.7)")
def first_counts(stage):
    first_reply(stage, second_answers=False)


@check("§5.9", "so it is where the other listener is first, over another transport (B.7.3)")
def other_counts(stage):
    first_reply(stage, second_answers=True)


@check(
    "§5.9",
    "several on one connection of JSON-RPC: from the second on, each event says whose it is (R23, B.6.2)",
    needs="rpc",
)
def on_one_connection(stage):
    listener, session = stage.listener(), stage.session(started=False)
    session.start()
    listener.event("session.started")
    first = listener.id
    second = listener.beside({"event_filters": {"include": ["aaep:agent.session.*"]}})
    session.emit("progress.updated", progress={"percent": 50})
    session.complete()
    heard = [(owner, one["type"]) for owner, one in listener.owned(3)]
    progress, completed = "aaep:agent.progress.updated", "aaep:agent.session.completed"
    same(sorted(heard), sorted([(first, progress), (first, completed), (second, completed)]), "Whose the events are")
    for one in (first, second):
        listener.close(subscription_id=one)
    listener.id = None
    same(listener.rest(), [], "What came after both were closed")
