"""§4.6, §5.11 and §6.10: a whole session, from its handshake to its close, as the chapters draw it."""

from checks import check, holds, same
from examples import CONFIRMATION, made_fresh
from listeners import kinds_of
from questions import asked, reply, resolution, resolved

BALANCE = {"tool": "fetch_balance", "tool_call_id": "call_1"}
TRANSFER = {"tool": "transfer_funds", "tool_call_id": "call_2"}
WORDS = ("500 dollars are in your savings now.", " There are 12,000 left.")
SHORT = {
    "session.started": "started",
    "session.completed": "completed",
    "tool.invoked": "invoked",
    "tool.completed": "returned",
    "awaiting.confirmation": "asks",
    "output.streaming": "text",
}


def until_question(session):
    """Events 1 to 7 of §4.6. Answers the question."""
    session.start(summary_terse="Begun.")
    session.state("idle", "thinking")
    session.emit("tool.invoked", **BALANCE, summary_normal="Looks up the balance.", risk_level="low")
    session.emit("tool.completed", **BALANCE, status="success", summary_normal="12,500 dollars.")
    session.state("thinking", "deciding")
    session.state("deciding", "thinking")
    return session.emit("awaiting.confirmation", **made_fresh(CONFIRMATION))["reply_token"]


def after_question(session):
    """Events 8 to 13 of §4.6."""
    session.emit("tool.invoked", **TRANSFER, irreversible=True, risk_level="high", summary_normal="Moves the money.")
    session.emit("tool.completed", **TRANSFER, status="success", summary_normal="Moved.")
    session.state("calling_tool", "writing_output")
    session.emit("output.streaming", chunk=WORDS[0], position=0, complete=False)
    session.emit("output.streaming", chunk=WORDS[1], position=len(WORDS[0]), complete=True)
    session.complete(summary_normal="The money has been moved.")


def summed(events):
    """What a listener heard, without what the daemon itself says of states and questions (R6, R31)."""
    agents = [one for one in events if one.get("extensions", {}).get("aaepd", {}).get("by") != "daemon"]
    return [SHORT.get(kind) or f"{one['from_state']}>{one['to_state']}" for kind, one in zip(kinds_of(agents), agents)]


BEFORE = ["started", "idle>thinking", "invoked", "returned", "thinking>deciding", "deciding>thinking", "asks"]
AFTER = ["invoked", "returned", "calling_tool>writing_output"]


def text_of(events):
    chunks = [one for one in events if one["type"].endswith("output.streaming")]
    for index, one in enumerate(chunks):
        same(one["position"], len("".join(each["chunk"] for each in chunks[:index])), "The position of a chunk")
        same(one["complete"], index == len(chunks) - 1, "Whether a chunk completes the output")
    return "".join(one["chunk"] for one in chunks)


def walk(listener, session):
    token = until_question(session)
    before = listener.events_until("awaiting.confirmation", reply_token=token)
    same(summed(before), BEFORE, "What was heard up to the question")
    reply(listener, token, "accept", decided_by="user:kemi")
    resolved(session, token, decision="accept", resolved_by="reply")
    after_question(session)
    after = listener.events_until("session.completed")
    same([one for one in summed(after) if one != "text"], [*AFTER, "completed"], "What was heard after the question")
    same(text_of(after), "".join(WORDS), "The text")
    order = [one["type"] for one in after]
    holds(
        order.index("aaep:agent.output.streaming") > order.index("aaep:agent.tool.completed"),
        "Text came before the call.",
    )


@check("§4.6", "the session of thirteen events, confirmed by its listener")
def complete_session(stage):
    walk(stage.listener(), stage.session(started=False))


@check("§4.6", "the same with the agent at the child's pipes and the listener at its socket", needs="stdio")
def agent_at_pipes(stage):
    walk(stage.second(), stage.agent_of_pipes().session())


@check("§5.11", "a subscription from its request to its close, at three events a second")
def complete_subscription(stage):
    listener, session = stage.stranger(), stage.session(started=False)
    wish = {
        "max_events_per_second": 3,
        "languages": ["en-US"],
        "supported_conformance_levels": [1, 2],
        "supports_confirmation_reply": True,
    }
    accepted = listener.request(wish)
    same(accepted["type"], "subscription.accepted", "The answer")
    for name, value in wish.items():
        same(accepted["honored_capabilities"][name], value, f"honored_capabilities.{name}")
    token = until_question(session)
    before = listener.events_until("awaiting.confirmation", reply_token=token)
    holds(summed(before)[0] == "started" and summed(before)[-1] == "asks", f"Heard: {summed(before)}")
    reply(listener, token, "accept")
    resolved(session, token, decision="accept")
    after_question(session)
    after = listener.events_until("session.completed")
    holds(
        [one for one in summed(after) if one in ("invoked", "returned")] == ["invoked", "returned"],
        f"Heard: {summed(after)}",
    )
    same(text_of(after), "".join(WORDS), "The text")
    listener.close()
    same(listener.rest(), [], "What came after the close")
    listener.id = None


@check("§6.10", "a confirmation from the question to the call that it allows")
def complete_confirmation(stage):
    listener, session = stage.listener(), stage.session()
    token = session.emit("awaiting.confirmation", **{**made_fresh(CONFIRMATION), "irreversible": True})["reply_token"]
    asked(listener, token)
    reply(listener, token, "accept", decided_by="user:kemi")
    resolved(session, token, decision="accept", decided_by="user:kemi")
    resolution(listener, session)
    session.state("awaiting_input", "calling_tool", summary_normal="You said yes; the money is being moved.")
    session.emit("tool.invoked", **TRANSFER, irreversible=True, summary_normal="Moves the money.")
    session.emit("tool.completed", **TRANSFER, status="success")
    after = listener.events_until("tool.completed", tool="transfer_funds")
    states = [one for one in after if one.get("to_state") == "calling_tool"]
    same(
        [one.get("summary_normal") for one in states],
        ["You said yes; the money is being moved."],
        "The change of state",
    )
    same(summed(after)[-2:], ["invoked", "returned"], "The last events")
