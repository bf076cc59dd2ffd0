"""§5.6: what a rate does to events, and what it does not do to text and to critical ones."""

from checks import check, holds, same
from questions import ask


@check("§5.6.1", "over its rate a listener gets the newest progress alone, and critical events at once")
def over_budget(stage):
    listener, session = stage.listener(max_events_per_second=4), stage.session()
    # At once, so that none of them has time to leave before the next one.
    session.agent.publish(
        *[session.make("progress.updated", progress={"percent": percent}) for percent in (10, 20, 30, 40)]
    )
    token = ask(session)
    before = listener.events_until("awaiting.confirmation", reply_token=token)
    session.emit("session.cancelled", cancelled_by="user", summary_normal="Enough.")
    heard = before + listener.events_until("session.cancelled")
    percents = [one["progress"]["percent"] for one in heard if "progress" in one]
    holds(len(percents) < 4, f"All progress came, at four events a second: {percents}")
    same(percents, sorted(percents), "The progress")


@check("§5.6.3", "over its rate a listener gets sentences together, and no text is lost")
def merged(stage):
    listener = stage.listener(max_events_per_second=4, coalesce_boundaries=["sentence", "completion"])
    session = stage.session()
    sentences = [f"Account {number} is settled. " for number in range(12)]
    chunks, position = [], 0
    for sentence in sentences:
        chunks.append(session.make("output.streaming", chunk=sentence, position=position, complete=False))
        position += len(sentence)
    chunks.append(session.make("output.streaming", chunk="", position=position, complete=True))
    session.agent.publish(*chunks)
    session.complete()
    heard = [one for one in listener.events_until("session.completed") if "chunk" in one]
    holds(
        len(heard) < len(sentences),
        f"{len(heard)} events came for {len(sentences)} sentences, at four events a second.",
    )
    same("".join(one["chunk"] for one in heard), "".join(sentences), "The text")
    for one in heard[:-1]:
        holds(one["chunk"].rstrip().endswith("."), f"A chunk ends in mid-sentence: {one['chunk']}")


@check("§5.6.1", "without a rate nothing waits and nothing is merged")
def unlimited(stage):
    listener, session = stage.listener(), stage.session()
    for percent in range(1, 21):
        session.emit("progress.updated", progress={"percent": percent})
    session.complete()
    heard = [one["progress"]["percent"] for one in listener.events_until("session.completed") if "progress" in one]
    same(heard, list(range(1, 21)), "The progress")
