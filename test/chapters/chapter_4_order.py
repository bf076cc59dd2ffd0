"""§4.2.1, §4.3 and §4.5: the order of a session's events. What breaks it is refused, nobody hears of it, and the session goes on."""

from checks import check, holds, same
from questions import ask, reply

SENT = {"tool": "send", "summary_normal": "Sends it."}


@check("§4.1.1", "nothing of a session comes before its start")
def start_is_first(stage):
    listener, session = stage.listener(), stage.session(started=False)
    session.refuses("state.changed", "AAEP §4.5.1", from_state="idle", to_state="thinking")
    session.refuses("session.completed", "AAEP §4.5.1", summary_normal="Done.")
    started = session.start()
    same(listener.next()["event_id"], started["event_id"], "The first event that was heard")


@check("§4.1.1", "a session starts once")
def starts_once(stage):
    listener, session = stage.listener(), stage.session()
    session.refuses("session.started", "AAEP §4.5.1", summary_normal="Once more.")
    session.complete()
    same(len(listener.events_until("session.completed")), 2, "The number of events")


@check("§4.5.1", "a session has one end, and nothing follows it")
def ends_once(stage):
    listener, agent = stage.listener(), stage.agent()
    ends = {
        "session.completed": {"summary_normal": "Done."},
        "session.errored": {"error_category": "unknown", "summary_normal": "It broke."},
        "session.cancelled": {"cancelled_by": "user", "summary_normal": "Stopped."},
    }
    for end, words in ends.items():
        session = agent.session()
        session.start()
        session.emit(end, **words)
        for other, others_words in ends.items():
            session.refuses(other, "AAEP §4.5.1", **others_words)
        session.refuses("progress.updated", "AAEP §4.5.1", progress={"percent": 1})
        session.refuses("session.started", "AAEP §4.5.1", summary_normal="Again.")
    last = agent.session()
    last.start()
    heard = listener.events_until("session.started", session_id=last.id)
    same(len(heard), 7, "The number of events of three sessions and the start of a fourth")


@check("§4.2.1", "the first change of state leaves idle")
def leaves_idle(stage):
    session = stage.session()
    session.refuses("state.changed", "", from_state="thinking", to_state="deciding")
    session.state("idle", "thinking")


@check("§4.2.1", "each change leaves the state that was entered, or that another event implies")
def states_follow(stage):
    listener, session = stage.listener(), stage.session()
    session.state("idle", "thinking")
    session.refuses("state.changed", "", from_state="idle", to_state="deciding")
    session.state("thinking", "deciding")
    session.emit("tool.invoked", **SENT)
    session.emit("tool.completed", tool="send", status="success")
    session.state("calling_tool", "writing_output")
    session.complete()
    heard = listener.events_until("session.completed")
    states = [(one["from_state"], one["to_state"]) for one in heard if "to_state" in one]
    same(states, [("idle", "thinking"), ("thinking", "deciding"), ("calling_tool", "writing_output")], "The states")


@check("§4.2.1", "states of any name go through")
def own_states(stage):
    listener, session = stage.listener(), stage.session()
    session.state("idle", "counting_beans")
    session.state("counting_beans", "resting")
    listener.event("state.changed", from_state="counting_beans", to_state="resting")


@check("§4.3.1", "what is irreversible is refused without an accepted confirmation")
def irreversible(stage):
    listener, session = stage.listener(), stage.session()
    session.refuses("tool.invoked", "AAEP §4.3.1", **SENT, irreversible=True)
    token = ask(session)
    session.refuses("tool.invoked", "AAEP §4.3.1", **SENT, irreversible=True)
    listener.event("awaiting.confirmation", reply_token=token)
    reply(listener, token, "accept")
    same(session.agent.outcome(token)["decision"], "accept", "The outcome")
    session.emit("tool.invoked", **SENT, irreversible=True)
    listener.event("tool.invoked", irreversible=True)


@check("§4.3.1", "a tool_call_id is used once in its session")
def call_ids(stage):
    session = stage.session()
    session.emit("tool.invoked", **SENT, tool_call_id="call_1")
    session.refuses("tool.invoked", "AAEP §4.3.1", **SENT, tool_call_id="call_1")
    session.emit("tool.completed", tool="send", tool_call_id="call_1", status="success")
    session.refuses("tool.invoked", "AAEP §4.3.1", **SENT, tool_call_id="call_1")


@check("§4.5.2", "a tool completes after it was invoked, by its id or by its name")
def pairs(stage):
    session = stage.session()
    session.refuses("tool.completed", "AAEP §4.5.2", tool="send", status="success")
    session.emit("tool.invoked", **SENT)
    session.refuses("tool.completed", "AAEP §4.5.2", tool="receive", status="success")
    session.emit("tool.completed", tool="send", status="success")
    session.refuses("tool.completed", "AAEP §4.5.2", tool="send", status="success")
    for call in ("call_1", "call_2"):
        session.emit("tool.invoked", **SENT, tool_call_id=call)
    for call in ("call_2", "call_1"):
        session.emit("tool.completed", tool="send", tool_call_id=call, status="success")


@check("§4.3.2", "a tool that is open at an error is told as given up")
def given_up(stage):
    listener, session = stage.listener(), stage.session()
    session.emit("tool.invoked", **SENT)
    session.refuses("session.completed", "", summary_normal="Done.")
    session.emit("session.errored", error_category="permanent", summary_normal="It broke.")
    heard = listener.events_until("session.errored")
    same(heard[-2]["type"], "aaep:agent.tool.completed", "The event before the error")
    same(heard[-2]["status"], "timeout", "Its status")


@check("§4.5.3", "after a rejection the agent goes on without the call, and says so")
def rejected(stage):
    listener, session = stage.listener(), stage.session()
    session.state("idle", "thinking")
    token = ask(session)
    listener.event("awaiting.confirmation", reply_token=token)
    reply(listener, token, "reject")
    same(session.agent.outcome(token)["decision"], "reject", "The outcome")
    session.refuses("tool.invoked", "AAEP §4.3.1", **SENT, irreversible=True)
    session.state("awaiting_input", "deciding", summary_normal="It is not sent.")
    heard = [one for one in listener.events_until("state.changed", to_state="deciding")]
    holds(not any(one["type"].endswith("tool.invoked") for one in heard), "A call was heard that had been rejected.")


@check("§4.5.4", "an output is complete once, outputs count for themselves, and positions follow each other")
def outputs(stage):
    listener, session = stage.listener(coalesce_boundaries=["none"]), stage.session()
    chunks = (("out_a", "One. ", 0), ("out_b", "Uno. ", 0), ("out_a", "Two. ", 5), ("out_b", "Dos. ", 5))
    for output, text, position in chunks:
        session.emit("output.streaming", chunk=text, position=position, complete=False, output_id=output)
    session.refuses("output.streaming", "AAEP §4.3.3", chunk="Gap.", position=11, complete=True, output_id="out_a")
    session.refuses("session.completed", "", summary_normal="Done.")
    for output in ("out_a", "out_b"):
        session.emit("output.streaming", chunk="", position=10, complete=True, output_id=output)
        session.refuses("output.streaming", "AAEP §4.5.4", chunk="More.", position=10, complete=False, output_id=output)
    session.complete()
    heard = [one for one in listener.events_until("session.completed") if "chunk" in one]
    for output, text in (("out_a", "One. Two. "), ("out_b", "Uno. Dos. ")):
        mine = [one for one in heard if one["output_id"] == output]
        same("".join(one["chunk"] for one in mine), text, f"The text of {output}")
        same([one["complete"] for one in mine].count(True), 1, f"How often {output} is complete")
