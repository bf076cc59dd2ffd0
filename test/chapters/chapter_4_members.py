"""§4.1 to §4.4: each kind of event arrives with the members that it was sent with, and is refused without those that it requires."""

from checks import check, holds, same, told
from envelope import enveloped
from examples import KINDS, made_fresh
from listeners import PREFIX

# The daemon says what it sent of an event's texts (§3.3.1, §11), and of what urgency an event is that does not say.
ADDED = {"verbosity", "localization_hints", "urgency"}


def staged(stage, kind, boundaries=("sentence", "completion")):
    """A listener, and a session in which an event of this kind may come next."""
    listener = stage.listener(coalesce_boundaries=list(boundaries))
    session = stage.session(started=kind.name != "session.started")
    kind.before(session)
    return listener, session


def arrives(listener, sent):
    """As it was sent: of several summaries the one for normal verbosity (§5.9), everything else unchanged."""
    name = sent["type"][len(PREFIX) :]
    heard = listener.event(name, event_id=sent["event_id"])
    for key, value in sent.items():
        if not key.startswith("summary_") or key == "summary_normal":
            same(heard.get(key), value, f"{name}.{key}")
    strange = set(heard) - set(sent) - ADDED
    holds(not strange, f"{name} came with {sorted(strange)}, which nobody sent: {told(heard)}")
    return heard


def example_check(kind):
    @check(kind.paragraph, f"the example of {kind.name} arrives as it was sent")
    def _(stage):
        listener, session = staged(stage, kind)
        arrives(listener, session.emit(kind.name, **made_fresh(kind.example)))

    return _


def whole_check(kind):
    @check(kind.paragraph, f"{kind.name} arrives with every member of its table")
    def _(stage):
        listener, session = staged(stage, kind)
        arrives(listener, session.emit(kind.name, **made_fresh({**kind.example, **kind.more})))

    return _


def required_check(kind):
    @check(kind.paragraph, f"{kind.name} is refused without what it requires, and taken with no more than that")
    def _(stage):
        # An output without hint is held until it is known where its sentence ends, but for those who take it as it comes.
        listener, session = staged(stage, kind, boundaries=["none"])
        least = {key: value for key, value in made_fresh(kind.example).items() if key in kind.required}
        # What stands for the session or the output is no member that could be left out here.
        if "output_id" in kind.example:
            least["output_id"] = kind.example["output_id"]
        if "tool_call_id" in kind.example and kind.name == "tool.completed":
            least["tool_call_id"] = kind.example["tool_call_id"]
        for missing in kind.required:
            session.refuses(kind.name, "AAEP §4", **{key: value for key, value in least.items() if key != missing})
        sent = session.emit(kind.name, **least)
        heard = listener.event(kind.name, event_id=sent["event_id"])
        if kind.example["urgency"] == "critical":
            same(heard.get("urgency"), "critical", f"{kind.name}.urgency")

    return _


def spoilt_check(kind):
    @check(
        kind.paragraph, f"{kind.name} is refused with {', '.join(kind.spoilt)} of another form, and the session goes on"
    )
    def _(stage):
        listener, session = staged(stage, kind)
        example = made_fresh(kind.example)
        for key, value in kind.spoilt.items():
            session.refuses(kind.name, "", **{**example, key: value})
        arrives(listener, session.emit(kind.name, **example))

    return _


for one in KINDS:
    example_check(one)
    whole_check(one)
    required_check(one)
    spoilt_check(one)


@check("§4.1.3", "all four categories of errors are taken")
def categories(stage):
    listener, agent = stage.listener(), stage.agent()
    for category in ("transient", "permanent", "requires_user", "unknown"):
        session = agent.session()
        session.start()
        arrives(listener, session.emit("session.errored", error_category=category, summary_normal="It broke."))


@check("§4.1.4", "a session is cancelled by the user, the producer, a timeout, or the system")
def cancellers(stage):
    listener, agent = stage.listener(), stage.agent()
    for canceller in ("user", "producer", "timeout", "system"):
        session = agent.session()
        session.start()
        arrives(listener, session.emit("session.cancelled", cancelled_by=canceller, summary_normal="It was stopped."))


@check("§4.2.2", "progress needs one of its members, whichever")
def progresses(stage):
    listener, session = stage.listener(), stage.session()
    for progress in ({"percent": 0}, {"percent": 100}, {"step": 1}, {"total_steps": 5}, {"description": "Sorting"}):
        arrives(listener, session.emit("progress.updated", progress=progress))
    for progress in ({"percent": 101}, {"percent": -1}, {"percent": "half"}, {"step": 1.5}):
        session.refuses("progress.updated", "AAEP §4.2.2", progress=progress)


@check("§4.3.2", "a tool succeeds, fails, or is given up")
def statuses(stage):
    listener, session = stage.listener(), stage.session()
    for status in ("success", "error", "timeout"):
        session.emit("tool.invoked", tool="lookup", summary_normal="Looks.")
        arrives(listener, session.emit("tool.completed", tool="lookup", status=status))


@check("§4.3.3", "every boundary of the table is a hint, and the defaults of an output are those of the session")
def hints(stage):
    listener, session = stage.listener(coalesce_boundaries=["none"]), stage.session()
    text = ""
    for hint in ("none", "word", "sentence", "paragraph"):
        sent = session.emit(
            "output.streaming", chunk="All is well. ", position=len(text), complete=False, coalesce_hint=hint
        )
        text += sent["chunk"]
        holds("output_id" not in arrives(listener, sent), "An output that has no output_id came with one.")
    arrives(
        listener,
        session.emit("output.streaming", chunk="", position=len(text), complete=True, coalesce_hint="completion"),
    )


@check("§4.4.3", "a handover goes to a person, a specialist or a queue, and the session may end after it")
def handovers(stage):
    listener, agent = stage.listener(), stage.agent()
    for target in ("human", "specialist_agent", "escalation_queue"):
        session = agent.session()
        session.start()
        arrives(listener, session.emit("handoff.requested", reason="It is beyond me.", target_kind=target))
        arrives(listener, session.emit("session.completed", summary_normal="Handed over."))


@check(
    "ch. 4", "an event whose envelope lacks something that the daemon cannot know, or that says it wrongly, is refused"
)
def envelopes(stage):
    session = stage.session()
    for spoilt in (
        {"event_id": "8a3f"},
        {"session_id": "2c91"},
        {"timestamp": "May 24, 2026 14:22:11"},
        {"producer": {"agent_name": "Nameless"}},
        {"@context": "https://example.org/context/v1"},
        {"type": "aaep:agent.purple.flamingo"},
        {"urgency": "urgent"},
        {"custom_field": "stray"},
        {"aaep_version": "2.0.0"},
    ):
        session.refuses("state.changed", "AAEP §3", from_state="idle", to_state="thinking", **spoilt)
    session.state("idle", "thinking")


@check("ch. 4", "an event has its whole envelope where its agent leaves out what the daemon can fill in (R2)")
def completed(stage):
    listener, session = stage.listener(), stage.session()
    whole = enveloped(session.id, "state.changed", {"from_state": "idle", "to_state": "thinking"})
    least = {key: whole[key] for key in ("type", "session_id", "producer", "from_state", "to_state")}
    session.agent.call("aaep.publish", least)
    # What every event has is checked for each that is heard.
    listener.event("state.changed", session_id=session.id)
