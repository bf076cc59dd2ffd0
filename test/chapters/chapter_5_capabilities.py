"""§5.3: what each capability does to the events that arrive."""

from checks import check, holds, same, told, within
from envelope import CONTEXT
from listeners import kinds_of
from questions import ask, ask_which, asked, resolved

SUMMARIES = {
    "summary_terse": "Begun.",
    "summary_normal": "Your bank has begun.",
    "summary_detailed": "Your bank has begun, and looks.",
}
TOKENS = ("All ", "is ", "well. ", "Nothing ", "is ", "owed. ", "Good ", "night")


def speak(session, tokens=TOKENS):
    """An output in tokens, as a model makes it: no hints."""
    position = 0
    for token in tokens:
        session.emit("output.streaming", chunk=token, position=position, complete=False)
        position += len(token)
    session.emit("output.streaming", chunk="", position=position, complete=True)
    return "".join(tokens)


def chunks_of(listener, session, text):
    """The output as it was heard, whole and in order."""
    session.complete()
    heard = [one for one in listener.events_until("session.completed", session_id=session.id) if "chunk" in one]
    position = 0
    for one in heard:
        same(one["position"], position, "The position of a chunk")
        position += len(one["chunk"])
    same("".join(one["chunk"] for one in heard), text, "The text")
    same([one["complete"] for one in heard], [False] * (len(heard) - 1) + [True], "What completes the output")
    return heard


@check("§5.3.1.2", "the preferred verbosity chooses the summary")
def verbosity(stage):
    for wish in ("terse", "normal", "detailed"):
        listener = stage.listener(preferred_verbosity=wish)
        session = stage.session(started=False)
        session.start(**SUMMARIES)
        heard = listener.event("session.started", session_id=session.id)
        same(heard.get("summary_" + wish), SUMMARIES["summary_" + wish], f"The summary for {wish}")
        same(heard.get("verbosity", "normal"), wish, "verbosity")
        session.complete()
        stage.dismiss(listener)


@check("§5.3.1.3", "the first language that an event has is given under the plain names (§11)")
def languages(stage):
    listener, session = stage.listener(languages=["yo", "es", "en"]), stage.session(started=False)
    session.start(
        summary_normal="Your bank has begun.",
        summary_normal_es="Tu banco ha empezado.",
        summary_normal_de="Deine Bank hat begonnen.",
        localization_hints={"primary_language": "en-US", "available_languages": ["en-US", "es", "de"]},
    )
    heard = listener.event("session.started")
    same(heard["summary_normal"], "Tu banco ha empezado.", "summary_normal")
    same(heard["localization_hints"]["primary_language"], "es", "primary_language")


def unanswerable(capability, put):
    """A question that the listener cannot be asked: it is not sent, its default applies at once, and the listener hears of it (R6)."""

    def run(stage):
        listener, session = stage.listener(**{capability: False}), stage.session()
        token = put(session)
        outcome = resolved(session, token, resolved_by="no_subscriber")
        session.complete()
        heard = listener.events_until("session.completed")
        holds(
            not any("reply_token" in one for one in heard), f"A question came that could not be answered: {told(heard)}"
        )
        holds(
            any(one.get("to_state") == "awaiting_input" for one in heard), "Nobody was told that something was asked."
        )
        return outcome

    return run


@check("§5.3.1.4", "false: no confirmation is sent, and its default applies at once")
def no_confirmation(stage):
    run = unanswerable("supports_confirmation_reply", ask)
    same(run(stage)["decision"], "reject", "The default")


@check("§5.3.1.5", "false: no clarification is sent, and its default applies at once")
def no_clarification(stage):
    run = unanswerable("supports_clarification_reply", lambda session: ask_which(session, default_response="this"))
    same(run(stage)["response"], "this", "The default")


@check("§5.3.1.4", "each kind of question asks for its own capability")
def one_of_both(stage):
    listener, session = stage.listener(supports_clarification_reply=False), stage.session()
    token = ask(session)
    same(resolved(session, ask_which(session))["resolved_by"], "no_subscriber", "Who answered the clarification")
    asked(listener, token)


@check("§5.3.1.6", "none: each token as it comes")
def token_by_token(stage):
    listener, session = stage.listener(coalesce_boundaries=["none"]), stage.session()
    heard = chunks_of(listener, session, speak(session))
    same([one["chunk"] for one in heard], [*TOKENS, ""], "The chunks")


@check("§5.3.1.6", "sentence and completion: a sentence at a time, and the hint says so (§5.6.3)")
def sentences(stage):
    listener, session = stage.listener(coalesce_boundaries=["sentence", "completion"]), stage.session()
    heard = chunks_of(listener, session, speak(session))
    same([one["chunk"].strip() for one in heard], ["All is well.", "Nothing is owed.", "Good night"], "The chunks")
    same([one["coalesce_hint"] for one in heard], ["sentence", "sentence", "completion"], "The hints")


@check("§5.3.1.6", "completion alone: the whole output at once")
def at_completion(stage):
    listener, session = stage.listener(coalesce_boundaries=["completion"]), stage.session()
    heard = chunks_of(listener, session, speak(session))
    same([one["coalesce_hint"] for one in heard], ["completion"], "The hints")


@check("§5.3.1.6", "paragraph and word: hints are of the set that was asked for")
def other_boundaries(stage):
    tokens = ("One ", "two.\n\n", "Three ", "four.")
    # R10: a hint is the strongest boundary that the text ends on.
    at_least = {"word": ("word", "sentence", "paragraph", "completion"), "paragraph": ("paragraph", "completion")}
    for boundary, expected in (("paragraph", ["One two.", "Three four."]), ("word", ["One", "two.", "Three", "four."])):
        listener = stage.listener(coalesce_boundaries=[boundary, "completion"])
        session = stage.session()
        heard = [one for one in chunks_of(listener, session, speak(session, tokens)) if one["chunk"] != ""]
        same([one["chunk"].strip() for one in heard], expected, f"The chunks by {boundary}")
        for one in heard:
            holds(one["coalesce_hint"] in at_least[boundary], f"A hint is {told(one['coalesce_hint'])}.")
        stage.dismiss(listener)


@check(
    "§5.3.1.7", "filters take whole families or single types, and exclusion goes first; critical events pass (§5.5.4)"
)
def filters(stage):
    cases = (
        ({"include": ["aaep:agent.session.*"]}, ["session.started", "session.errored"]),
        (
            {"include": ["aaep:agent.tool.*"], "exclude": ["aaep:agent.tool.completed"]},
            ["tool.invoked", "session.errored"],
        ),
        ({"exclude": ["aaep:agent.*"]}, ["session.errored"]),
        ({"include": []}, ["session.errored"]),
        ({"include": ["aaep:agent.state.changed"]}, ["state.changed", "session.errored"]),
    )
    for wish, expected in cases:
        listener, session = stage.listener(event_filters=wish), stage.session()
        session.state("idle", "thinking")
        session.emit("tool.invoked", tool="look", summary_normal="Looks.")
        session.emit("tool.completed", tool="look", status="success")
        session.emit("session.errored", error_category="unknown", summary_normal="It broke.")
        heard = kinds_of(listener.events_until("session.errored"))
        same(heard, expected, f"What came with {told(wish)}")
        stage.dismiss(listener)


@check(
    "§5.5.4", "every kind of critical event passes a filter that takes nothing, and so does whatever is marked critical"
)
def critical(stage):
    listener, session = stage.listener(event_filters={"include": [], "exclude": ["aaep:*"]}), stage.session()
    asked(listener, ask(session))
    asked(listener, ask_which(session))
    session.emit("handoff.requested", reason="It is beyond me.", target_kind="human")
    listener.event("handoff.requested")
    session.emit("tool.invoked", tool="call", summary_normal="Calls.", urgency="critical")
    listener.event("tool.invoked", urgency="critical")
    session.emit("session.errored", error_category="unknown", summary_normal="It broke.")
    listener.event("session.errored")


@check("§5.3.1.8", "levels are honored among those that were asked for")
def levels(stage):
    listener = stage.stranger()
    for wish in ([1], [1, 2], [1, 2, 3], [2, 3]):
        honored = listener.request({"supported_conformance_levels": wish, "supports_confirmation_reply": True})
        same(honored["honored_capabilities"]["supported_conformance_levels"], wish, "supported_conformance_levels")


@check("§5.3.1.9", "data of an extension arrives as its agent sent it, for those that know it and those that do not")
def extensions(stage):
    vocabulary = "https://example.org/haptic/context/v1"
    data = {"haptic": {"pattern": "pulse", "strength": 0.5}}
    for known in ([vocabulary], []):
        listener, session = stage.listener(supported_extensions=known), stage.session()
        context = [CONTEXT, vocabulary]
        session.emit(
            "state.changed", **{"@context": context, "extensions": data}, from_state="idle", to_state="thinking"
        )
        within(
            listener.event("state.changed", session_id=session.id),
            {"@context": context, "extensions": data},
            "The event",
        )
        stage.dismiss(listener)


@check("§5.3.1.7", "types of an extension come to those that include them")
def extension_types(stage):
    vocabulary = "https://example.org/fedlearn/context/v1"
    for include, expected in ((["fedlearn:*"], 1), (["aaep:agent.*"], 0)):
        listener, session = stage.listener(event_filters={"include": include}), stage.session()
        context = [CONTEXT, vocabulary]
        own = {"@context": context, "type": "fedlearn:model.updated", "round_number": 47, "summary_normal": "Round 47."}
        sent = session.emit("", **own)
        session.emit("session.errored", error_category="unknown", summary_normal="It broke.")
        heard = [one for one in listener.events_until("session.errored") if one["event_id"] == sent["event_id"]]
        same(len(heard), expected, f"How often it came with {told(include)}")
        for one in heard:
            within(one, {"type": "fedlearn:model.updated", "round_number": 47}, "The event")
        stage.dismiss(listener)


@check("§5.3.1.10", "low cognitive load: fewer events (R15: none of the background, text aside)")
def low_load(stage):
    listener, session = stage.listener(cognitive_load="low"), stage.session()
    session.state("idle", "thinking", urgency="background")
    session.emit("progress.updated", progress={"percent": 10})
    session.emit("tool.invoked", tool="look", summary_normal="Looks.")
    session.emit("tool.completed", tool="look", status="success")
    session.complete()
    heard = kinds_of(listener.events_until("session.completed"))
    same(heard, ["session.started", "tool.invoked", "tool.completed", "session.completed"], "What came")


@check("§5.3.1.11", "a pace between 50 and 1000 words a minute is honored")
def pace(stage):
    listener = stage.stranger()
    for wish in (50, 1000):
        same(listener.request({"pace_wpm": wish})["honored_capabilities"]["pace_wpm"], wish, "pace_wpm")


@check("§5.3.2", "what an extension declares stays inert, however large, and rejects nothing")
def inert(stage):
    haptic = {"patterns_supported": ["pulse", "directional", "intensity_scale"], "body_locations": ["wrist", "ankle"]}
    listener = stage.stranger()
    # More than a window of HTTP/2 at once.
    large = {"legend": "ink " * 40_000}
    for own in (haptic, large):
        answer = listener.request({"max_events_per_second": 5, "preferred_verbosity": "normal", "haptic": own})
        within(answer, {"type": "subscription.accepted"}, "The answer")
        same(answer["honored_capabilities"].get("haptic"), None, "honored_capabilities.haptic")


@check("§8.3", "a long output arrives whole")
def long_output(stage):
    listener, session = stage.listener(coalesce_boundaries=["none"]), stage.session()
    text = speak(session, ["All is well. " * 1200] * 20)
    heard = chunks_of(listener, session, text)
    holds(len(text) > 300_000 and len(heard) > 1, "The output was not long.")
