"""A session of an agent, as both faces of this package use it: what is published, and in what order."""

from __future__ import annotations

import contextvars
import secrets
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ._core import UNREADABLE, Call, Core, Unanswered
from ._messages import LONGEST_TEXT, brief, tool_name
from ._outcomes import ClarificationOutcome, ConfirmationOutcome, Declined, clarified, confirmed, unclarified, unconfirmed
from .types import ToolInvokedEvent

if TYPE_CHECKING:
    from typing_extensions import Self

Result = TypeVar("Result")
Risk = Literal["low", "medium", "high"]
ToolStatus = Literal["success", "error", "timeout", "cancelled"]
ResponseKind = Literal["freetext", "yes_no", "multiple_choice", "numeric"]
Steps = Generator["tuple[Future[dict[str, Any]], float]", "dict[str, Any]", Result]
"""What a question does, around each answer that it waits for, so many seconds at most. One face waits in its thread, the other in its loop."""

CONTEXTS = ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"]

LONGEST_ANSWER_S = 20
"""From the daemon, where no person is asked."""

TOOL_MEMBERS = ToolInvokedEvent.__required_keys__ | ToolInvokedEvent.__optional_keys__

_current: contextvars.ContextVar[BaseSession | None] = contextvars.ContextVar("aaepd_session", default=None)


def current_session() -> BaseSession | None:
    """The session whose `with` this code runs in; None outside. A thread needs a copy of the context (`contextvars.copy_context`)."""
    return _current.get()


class ToolCall:
    """A call of a tool that has begun. Somebody else runs it."""

    def __init__(self, session: BaseSession, members: dict[str, Any]) -> None:
        self._session = session
        self._members = members
        self._is_over = False

    def end(self, status: ToolStatus = "success", summary: object = None) -> None:
        """Ends the call, once. `summary` is a sentence for people about the result."""
        if self._is_over:
            return
        self._is_over = True
        told = brief(summary)
        if status == "cancelled":  # AAEP has no status for it: it is an error of that name (§4.3.2)
            status, told = "error", told or "Cancelled."
        name = "error_message" if status == "error" else "summary_normal"
        self._session._end_tool({**self._members, "status": status, **({name: told} if told else {})})


class BaseSession:
    """One task of an agent (AAEP §4.1). Calls may come from any thread, and are heard in their order. After its end nothing more is published."""

    def __init__(self, core: Core, description: object, started: Mapping[str, Any] | None = None) -> None:
        self._core = core
        self._started = {"summary_normal": brief(description) or "A task.", **(started or {})}
        self.session_id = self.token = ""
        self.first: Call | None = None
        self.is_over = False
        self.dropped = 0
        """Characters of text that were dropped so far, because the daemon took nothing."""
        self._tasks: list[contextvars.Token[BaseSession | None]] = []
        self._asking = self._underway = 0  # questions and tools that are open
        self._undone = 0  # irreversible tools that were not called
        self.told: object = None  # what adapters of frameworks know of its calls
        self._reset()

    def _reset(self) -> None:
        self.session_id = "sess_" + secrets.token_hex(16)
        self.token = secrets.token_hex(16)  # proves that the session is this one's, over the next connection too
        self._state = "idle"
        self._output_id: str | None = None
        self._growing: Call | None = None

    def begin_again(self) -> None:
        self._reset()
        self._begin()

    def forked(self) -> None:
        self.is_over = True

    def _begin(self) -> None:
        with self._core.lock:
            self._core.look_again()
            if self._core.takes:
                self._core.sessions[self.session_id] = self
            extensions = {"aaepd": {"resume_token": self.token}}
            self.first = self._publish("session.started", {"extensions": extensions, **self._started})
            self._change("thinking")

    def _enter(self) -> Self:
        self._tasks.append(_current.set(self))
        self._begin()
        return self

    def _exit(self, kind: type[BaseException] | None, error: BaseException | None) -> None:
        """Ends the session as completed, as errored if the task failed, and as cancelled if it was interrupted."""
        if self._tasks:
            try:
                _current.reset(self._tasks.pop())
            except ValueError:
                _current.set(None)  # another context: of a generator that was closed
        if kind is None:
            self.complete()
        elif issubclass(kind, Exception):
            self.fail(error)
        else:
            self.cancel()

    # What an agent tells.

    def text(self, chunk: str | None) -> None:
        """Appends a token to the session's text. It returns at once. While too much waits for the daemon, text is dropped."""
        if not chunk or self.is_over or not self._is_known():
            return
        chunk = str(chunk)
        growing = self._growing
        with self._core.lock:
            if growing is not None and growing.line is None and growing is self._growing:
                about = growing.about
                if len(about["chunk"]) + len(chunk) <= LONGEST_TEXT:
                    about["chunk"] += chunk
                    return
            self._add_text(chunk)

    def _add_text(self, chunk: str) -> None:
        if self._output_id is None:
            self._change("writing_output")
            self._output_id = "out_" + secrets.token_hex(16)
        for start in range(0, len(chunk), LONGEST_TEXT):
            piece = chunk[start : start + LONGEST_TEXT]
            if self._core.is_full:
                if self.dropped == 0:
                    self._core.tell("The daemon takes nothing: text is dropped.")
                self.dropped += len(piece)
                continue
            output = {"output_id": self._output_id, "chunk": piece, "complete": False}
            self._growing = self._publish("output.streaming", output, grows=True)

    def begin(
        self,
        name: str,
        *,
        summary: str | None = None,
        call_id: str | None = None,
        consent: str | None = None,
        irreversible: bool = False,
        risk_level: Risk | None = None,
        is_approved_by_host: bool = False,
        **members: Any,
    ) -> ToolCall:
        """Begins a call of a tool that somebody else runs. An irreversible one needs `consent`: the token of a confirmation that a reply accepted (R5c)."""
        ids = {} if call_id is not None else {"tool_call_id": "call_" + secrets.token_hex(16)}
        given = {"call_id": call_id, "consent": consent, "approved_by": "host" if is_approved_by_host else None}
        own = {name: value for name, value in given.items() if value is not None}
        extensions = {"extensions": {"aaepd": own}} if own else {}
        tool: dict[str, Any] = {"tool": tool_name(str(name)), **ids}
        told = {"summary_normal": brief(summary) or brief(name) or "A tool.", "risk_level": risk_level or ("high" if irreversible else "low")}
        with self._core.lock:
            self._underway += 1
            self._end_output()
            self._change("calling_tool")
            self.publish("tool.invoked", **tool, **told, **({"irreversible": True} if irreversible else {}), **extensions, **members)
        ending = {**tool, **({"extensions": {"aaepd": {"call_id": call_id}}} if call_id is not None else {})}
        return ToolCall(self, ending)

    def _end_tool(self, members: dict[str, Any]) -> None:
        with self._core.lock:
            self.publish("tool.completed", **members)
            self._underway = max(0, self._underway - 1)
            if self._underway == 0:
                self._change("thinking")

    def progress(self, percent: float | None = None, **members: Any) -> None:
        """Reports progress: percent from 0 to 100, or `step`, `total_steps` and `description` (AAEP §4.2.2)."""
        self.publish("progress.updated", progress={**({} if percent is None else {"percent": percent}), **members})

    def state(self, name: str, summary: str | None = None) -> None:
        """Changes the agent's state, as in "deciding" (AAEP §4.2.1). Thinking, calling tools, writing and waiting are reported without a call."""
        with self._core.lock:
            told = {} if summary is None else {"summary_normal": brief(summary)}
            self.publish("state.changed", from_state=self._state, to_state=name, **told)
            self._state = name

    def handoff(self, reason: str, target_kind: Literal["human", "specialist_agent", "escalation_queue"], **members: Any) -> None:
        """Hands the session over (AAEP §4.4.3)."""
        self._end_output()
        self.publish("handoff.requested", reason=brief(reason), target_kind=target_kind, **members)

    def publish(self, kind: str, **members: Any) -> None:
        """Publishes an event that has no call of its own, such as "state.changed"."""
        self._publish(kind, members)

    def complete(self, summary: object = None) -> None:
        """Ends the session. Without a summary people hear "Ended.", and how many irreversible tools were not called."""
        self._end("session.completed", summary)

    def cancel(self, summary: object = None, cancelled_by: Literal["user", "producer", "timeout", "system"] = "user") -> None:
        """Ends the session as cancelled (AAEP §4.1.4)."""
        self._end("session.cancelled", summary, cancelled_by=cancelled_by)

    def fail(self, error: object) -> None:
        """Ends the session as errored (AAEP §4.1.3)."""
        self._end("session.errored", error or type(error).__name__, error_category="unknown")

    # What it asks.

    def decided(self, reply_token: str, decision: Literal["accept", "reject"]) -> None:
        """Closes an open question that the person has answered in a dialog of the agent's own (R5a)."""
        self._core.send("aaep.cancel", {"reply_token": reply_token, "decided_by": "host", "decision": decision})

    def _confirming(
        self,
        action: str,
        consequence: str,
        *,
        reply_token: str | None = None,
        risk_level: Risk | None = None,
        irreversible: bool = False,
        timeout_seconds: float = 300,
        default_decision: Literal["accept", "reject"] = "reject",
        host_dialog: bool = False,
        call_id: str | None = None,
        **members: Any,
    ) -> Steps[ConfirmationOutcome]:
        asked = {
            # Whole: nobody decides about what was not heard. The daemon refuses one that is too long.
            "action": str(action),
            "consequence": str(consequence),
            "risk_level": risk_level or ("high" if irreversible else "medium"),
            "irreversible": irreversible,
            "default_decision": default_decision,
            **members,
        }
        token = reply_token or "rpl_" + secrets.token_hex(16)
        try:
            result = yield from self._asking_of("aaep.confirm", asked, token, timeout_seconds, host_dialog, call_id)
        except Unanswered as caught:
            return unconfirmed(caught, token)
        return confirmed(result, token)

    def _clarifying(
        self,
        question: str,
        *,
        reply_token: str | None = None,
        choices: Mapping[str, str] | Sequence[str] | None = None,
        accepted_response_kinds: list[ResponseKind] | None = None,
        default_response: str | None = None,
        timeout_seconds: float = 300,
        host_dialog: bool = False,
        call_id: str | None = None,
        **members: Any,
    ) -> Steps[ClarificationOutcome]:
        if isinstance(choices, str):
            raise TypeError("choices are labels by their values, or a list of labels")
        labels = choices if isinstance(choices, Mapping) else {label: label for label in choices or ()}
        offered = {} if choices is None else {"choices": [{"value": value, "label": label} for value, label in labels.items()]}
        kinds: list[ResponseKind] = accepted_response_kinds or (["freetext"] if choices is None else ["multiple_choice"])
        default = {} if default_response is None else {"default_response": default_response}
        asked = {"question": str(question), "accepted_response_kinds": kinds, **offered, **default, **members}
        token = reply_token or "rpl_" + secrets.token_hex(16)
        try:
            result = yield from self._asking_of("aaep.clarify", asked, token, timeout_seconds, host_dialog, call_id)
        except Unanswered as caught:
            return unclarified(caught, token, default_response)
        return clarified(result, token)

    def _asking_of(
        self, method: str, members: dict[str, Any], reply_token: str, timeout_seconds: float, host_dialog: bool, call_id: str | None
    ) -> Steps[dict[str, Any]]:
        if self.is_over:
            raise Unanswered("cancelled", "The session is over.")
        if not self._is_known():
            raise Unanswered("no_subscriber", "The agent is silent.")
        patience_s = LONGEST_ANSWER_S + timeout_seconds
        own = {**({"host_dialog": True} if host_dialog else {}), **({"call_id": call_id} if call_id is not None else {})}
        asked = with_context(
            {
                **members,
                **({"extensions": {"aaepd": own}} if own else {}),
                "event_id": "evt_" + secrets.token_hex(16),
                "reply_token": reply_token,
                "timeout_seconds": timeout_seconds,
                "session_id": self.session_id,
            }
        )
        is_open = False
        with self._core.lock:
            self._end_output()
            self._asking += 1
        try:
            return (yield self._core.ask(method, asked), patience_s)
        except BaseException as caught:
            # Nobody waits for the answer any more.
            is_open = not isinstance(caught, Unanswered) or caught.is_open
            raise
        finally:
            with self._core.lock:
                self._asking -= 1
                if is_open:
                    self._core.send("aaep.cancel", {"reply_token": reply_token})

    def _tooling(
        self,
        name: str,
        run: Callable[[], Any],
        summary: str | None,
        irreversible: bool,
        question: dict[str, Any],
        risk_level: Risk | None,
        members: dict[str, Any],
    ) -> Steps[Callable[[ToolStatus, object], None]]:
        """What happens before a tool runs. Returns what ends its call. Raises Declined."""
        question = {member: value for member, value in question.items() if value is not None}
        if question and not irreversible:
            raise TypeError(f"{', '.join(question)}: nobody is asked without irreversible=True.")
        unknown = [member for member in members if member not in TOOL_MEMBERS and not member.startswith("summary_")]
        if unknown:
            raise TypeError(f"A tool has no option {', '.join(unknown)}.")
        if not callable(run):
            raise TypeError("run must be a function, which is called later: pass delete, or lambda: delete(12), in place of delete(12).")
        if not irreversible:
            return self.begin(name, summary=summary, risk_level=risk_level, **members).end
        tool = {"tool": tool_name(str(name)), "tool_call_id": "call_" + secrets.token_hex(16)}
        action = brief(summary, None) or brief(name) or "A tool."
        with self._core.lock:
            self._undone += 1
        asked = {"action": action, "consequence": "It cannot be undone.", **question}
        context = {**(question.get("extra_context") or {}), **tool}
        outcome = yield from self._confirming(**{**asked, "irreversible": True, "extra_context": context})
        if not outcome.is_accepted:
            raise Declined(outcome)
        invoked = {**tool, "summary_normal": brief(action), "risk_level": risk_level or "high", "irreversible": True, **members}
        with self._core.lock:
            self._underway += 1
            self._change("calling_tool")
        event = self._event("tool.invoked", invoked)
        try:
            # The daemon takes the call only after an accepting reply.
            taken = (yield self._core.ask("aaep.publish", event), LONGEST_ANSWER_S).get("events")
            if not isinstance(taken, list) or [one.get("event_id") for one in taken if isinstance(one, dict)] != [event["event_id"]]:
                raise Unanswered("error", UNREADABLE)
        except BaseException as caught:
            self._end_tool({**tool, "status": "timeout"})
            if isinstance(caught, Unanswered):
                raise Declined(unconfirmed(caught, outcome.reply_token)) from caught
            raise
        with self._core.lock:
            self._undone -= 1
        return ToolCall(self, tool).end

    def _told(self, name: str, completed: str | Callable[[Any], str] | None, result: object) -> str:
        try:
            return brief(completed(result) if callable(completed) else completed)
        except Exception as error:  # the tool has run, whatever there is to say about it
            self._core.tell(f"completed of {name} failed: {type(error).__name__}: {brief(error)}")
            return ""

    # How it is published.

    def _publish(self, kind: str, members: dict[str, Any], grows: bool = False) -> Call | None:
        self._growing = None
        if self.is_over or not self._is_known():
            return None
        return self._core.send("aaep.publish", self._event(kind, members), grows=grows)

    def _is_known(self) -> bool:
        """Whether it has begun for the present daemon. A session that was open while the agent fell silent is not heard any more."""
        return self._core.takes and self._core.sessions.get(self.session_id) is self

    def _event(self, kind: str, members: dict[str, Any]) -> dict[str, Any]:
        spelled = kind if kind.startswith("aaep:") or "://" in kind else "aaep:agent." + kind
        return with_context({"event_id": "evt_" + secrets.token_hex(16), **members, "type": spelled, "session_id": self.session_id})

    def _change(self, state: str) -> None:
        """Tells another state of the agent. While a question is open, the state is the question's."""
        with self._core.lock:
            if self._state != state and self._asking == 0:
                self.publish("state.changed", from_state=self._state, to_state=state)
                self._state = state

    def _end_output(self) -> None:
        with self._core.lock:
            if self._output_id is not None:
                self.publish("output.streaming", output_id=self._output_id, chunk="", complete=True)
                self._output_id = None

    def _end(self, kind: str, summary: object, **members: Any) -> None:
        with self._core.lock:
            if not self.is_over:
                self._end_output()
                undone = "One action was" if self._undone == 1 else f"{self._undone} actions were"
                ended = f"Ended. {undone} not carried out." if self._undone else "Ended."
                self.publish(kind, summary_normal=brief(summary) or ended, **members)
                self.is_over = True


def with_context(event: dict[str, Any]) -> dict[str, Any]:
    """An event with members of the extension aaepd names its vocabulary (AAEP §7)."""
    return event if "extensions" not in event else {"@context": CONTEXTS, **event}
