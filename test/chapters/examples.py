"""The examples of chapter 4, member for member, in words of our own: what each kind of event holds, and what must be there before it."""

from collections import namedtuple

from envelope import fresh

# `example`: the members that the chapter's example has. `more`: the optional ones of its table that the example lacks. `spoilt`: values that the
# table forbids. `before`: what a started session needs first.
Kind = namedtuple("Kind", "paragraph name example more required spoilt before")


def nothing(session):
    """The start is enough."""


def invoked(session):
    session.emit(
        "tool.invoked", tool="fetch_balance", tool_call_id="call_7a2b9c4e", summary_normal="Asks for the balance."
    )


def filler(length):
    """Whole sentences of exactly this length."""
    words = "Rates stay as they are. "
    text = words * (length // len(words) + 1)
    return text[: length - 2] + ". "


TEXT_BEFORE = 348
SENTENCE = "Set aside 1,200 a month, and the account that saves taxes is full by May."


def spoken(session):
    session.emit(
        "output.streaming",
        chunk=filler(TEXT_BEFORE),
        position=0,
        complete=False,
        coalesce_hint="sentence",
        output_id="out_3a8c2",
    )


def spoken_further(session):
    spoken(session)
    session.emit(
        "output.streaming",
        chunk=filler(587 - TEXT_BEFORE),
        position=TEXT_BEFORE,
        complete=False,
        coalesce_hint="sentence",
        output_id="out_3a8c2",
    )


KINDS = (
    Kind(
        paragraph="§4.1.1",
        name="session.started",
        example={
            "urgency": "normal",
            "summary_terse": "Begun.",
            "summary_normal": "Your bank has begun with your order.",
            "summary_detailed": "Your bank has begun with your order. It looks at the balance, asks you, and then moves the money.",
            "expected_duration_ms": 30_000,
            "requested_by": "user:kemi",
            "request_text": "Move 500 to my savings.",
            "tools_available": ["fetch_balance", "transfer_funds"],
        },
        more={},
        required=("summary_normal",),
        spoilt={"expected_duration_ms": "soon", "tools_available": "all"},
        before=nothing,
    ),
    Kind(
        paragraph="§4.1.2",
        name="session.completed",
        example={
            "urgency": "normal",
            "summary_terse": "Done.",
            "summary_normal": "The money has been moved.",
            "summary_detailed": "The money has been moved in 27 seconds, after one question to you.",
            "duration_ms": 27_579,
            "tool_invocations_count": 4,
            "output_summary": "A receipt in five lines.",
        },
        more={"result_uri": "https://bank.example/receipts/1"},
        required=("summary_normal",),
        spoilt={"duration_ms": -1, "tool_invocations_count": "four"},
        before=nothing,
    ),
    Kind(
        paragraph="§4.1.3",
        name="session.errored",
        example={
            "urgency": "critical",
            "error_category": "transient",
            "error_code": "TOOL_TIMEOUT",
            "summary_terse": "No answer.",
            "summary_normal": "The bank's books did not answer. Try it again.",
            "summary_detailed": "fetch_balance waited ten seconds for the bank's books. That mostly passes.",
            "recoverable": True,
            "remediation_hint": "Ask once more in a minute.",
        },
        more={"error_uri": "https://bank.example/help/books"},
        required=("error_category", "summary_normal"),
        spoilt={"error_category": "sad", "urgency": "normal", "recoverable": "yes"},
        before=nothing,
    ),
    Kind(
        paragraph="§4.1.4",
        name="session.cancelled",
        example={
            "urgency": "normal",
            "cancelled_by": "user",
            "cancellation_reason": "user_pressed_escape",
            "summary_terse": "Stopped.",
            "summary_normal": "Stopped, as you wished.",
            "partial_result": "The balance was looked up, and nothing was moved.",
        },
        more={"summary_detailed": "Stopped, as you wished. Nothing was moved."},
        required=("cancelled_by", "summary_normal"),
        spoilt={"cancelled_by": "nobody"},
        before=nothing,
    ),
    Kind(
        paragraph="§4.2.1",
        name="state.changed",
        example={
            "urgency": "background",
            "from_state": "idle",
            "to_state": "thinking",
            "summary_terse": "Thinking.",
            "summary_normal": "Reads your order.",
            "expected_duration_ms": 4000,
        },
        more={"summary_detailed": "Reads your order, and looks for what is missing in it."},
        required=("from_state", "to_state"),
        spoilt={"to_state": 5},
        before=nothing,
    ),
    Kind(
        paragraph="§4.2.2",
        name="progress.updated",
        example={
            "urgency": "background",
            "progress": {"percent": 60, "step": 3, "total_steps": 5, "description": "Adding up"},
            "summary_terse": "60 percent.",
            "summary_normal": "Adding up, 60 percent.",
            "eta_ms": 12_000,
        },
        more={},
        required=("progress",),
        spoilt={"progress": {}, "eta_ms": "later"},
        before=nothing,
    ),
    Kind(
        paragraph="§4.3.1",
        name="tool.invoked",
        example={
            "urgency": "normal",
            "tool": "fetch_balance",
            "tool_call_id": "call_7a2b9c4e",
            "description": "Looks an account up in the bank's books",
            "args_summary": "account: checking",
            "summary_terse": "Looking.",
            "summary_normal": "Looks up what is in your account.",
            "expected_duration_ms": 2000,
            "risk_level": "low",
            "irreversible": False,
        },
        more={"summary_detailed": "Looks up what is in your checking account."},
        required=("tool", "summary_normal"),
        spoilt={"risk_level": "huge", "irreversible": "no"},
        before=nothing,
    ),
    Kind(
        paragraph="§4.3.2",
        name="tool.completed",
        example={
            "urgency": "normal",
            "tool": "fetch_balance",
            "tool_call_id": "call_7a2b9c4e",
            "status": "success",
            "duration_ms": 1885,
            "summary_terse": "Looked up.",
            "summary_normal": "There are 12,500 dollars in it.",
            "summary_detailed": "There are 12,500 dollars in your checking account at this minute.",
        },
        more={"error_message": "none"},
        required=("tool", "status"),
        spoilt={"status": "maybe", "tool": "another_tool"},
        before=invoked,
    ),
    Kind(
        paragraph="§4.3.3",
        name="output.streaming",
        example={
            "urgency": "normal",
            "chunk": SENTENCE,
            "position": TEXT_BEFORE,
            "complete": False,
            "coalesce_hint": "sentence",
            "output_id": "out_3a8c2",
            "content_type": "text/plain",
        },
        more={"language": "en-US"},
        # R2: a position may be left out.
        required=("chunk", "complete"),
        spoilt={"position": 5, "coalesce_hint": "line", "complete": "no"},
        before=spoken,
    ),
    Kind(
        paragraph="§4.3.3 (final chunk)",
        name="output.streaming",
        example={
            "urgency": "normal",
            "chunk": "Tell me what I should change.",
            "position": 587,
            "complete": True,
            "coalesce_hint": "completion",
            "output_id": "out_3a8c2",
            "content_type": "text/plain",
        },
        more={"language": "en-US"},
        required=("chunk", "complete"),
        spoilt={"content_type": 5},
        before=spoken_further,
    ),
    Kind(
        paragraph="§4.4.1",
        name="awaiting.confirmation",
        example={
            "urgency": "critical",
            "action": "Move 500 dollars from checking to savings.",
            "consequence": "It happens at once. Only the bank can undo it, in some days.",
            "reply_token": "rpl_",
            "timeout_seconds": 300,
            "default_decision": "reject",
            "summary_terse": "Move it?",
            "summary_normal": "May 500 dollars be moved to your savings? It is hard to undo.",
            "risk_level": "high",
            "reversibility": "reversible_with_effort",
        },
        more={
            "summary_detailed": "May 500 dollars be moved from checking, which has 12,500, to your savings? It is hard to undo.",
            "allowed_replies": ["accept", "reject"],
            "extra_context": {"accounts": ["checking", "savings"]},
        },
        required=("action", "consequence", "reply_token", "timeout_seconds", "default_decision"),
        spoilt={
            "default_decision": "perhaps",
            "timeout_seconds": 0,
            "risk_level": "huge",
            "reversibility": "no",
            "urgency": "normal",
        },
        before=nothing,
    ),
    Kind(
        paragraph="§4.4.2",
        name="awaiting.clarification",
        example={
            "urgency": "critical",
            "question": "In which month shall it begin?",
            "reply_token": "rpl_",
            "timeout_seconds": 300,
            "accepted_response_kinds": ["multiple_choice", "numeric"],
            "choices": [
                {"value": "4", "label": "April"},
                {"value": "5", "label": "May (usual)"},
                {"value": "6", "label": "June (half year)"},
                {"value": "9", "label": "September (latest)"},
            ],
            "context": "The rate depends on it.",
            "default_response": "5",
            "summary_normal": "In which month shall it begin?",
        },
        more={"summary_terse": "Which month?"},
        required=("question", "reply_token", "timeout_seconds"),
        spoilt={"accepted_response_kinds": ["song"], "timeout_seconds": "long", "urgency": "background"},
        before=nothing,
    ),
    Kind(
        paragraph="§4.4.3",
        name="handoff.requested",
        example={
            "urgency": "critical",
            "reason": "Money abroad is for a clerk to decide.",
            "target_kind": "human",
            "target_uri": "queue://bank/clerks",
            "urgency_for_handoff": "medium",
            "packaged_context": {
                "user_request_summary": "Wants to send money abroad.",
                "tools_invoked": ["fetch_balance"],
                "outstanding_question": "Which papers are needed.",
            },
            "summary_terse": "A clerk takes over.",
            "summary_normal": "A clerk has to look at this, and gets all that you told me.",
        },
        more={},
        required=("reason", "target_kind"),
        spoilt={"target_kind": "robot", "urgency_for_handoff": "huge", "urgency": "normal"},
        before=nothing,
    ),
)

CONFIRMATION = next(one.example for one in KINDS if one.name == "awaiting.confirmation")
CLARIFICATION = next(one.example for one in KINDS if one.name == "awaiting.clarification")


def made_fresh(members):
    """With a token of its own, where it is a question."""
    return {**members, "reply_token": fresh("rpl_")} if "reply_token" in members else members
