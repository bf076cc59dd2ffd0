"""How questions end, and how their text is made of what the author gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ._core import UNREADABLE, Unanswered
from ._messages import text_in

ResolvedBy = Literal["reply", "timeout", "no_subscriber", "subscription_ended", "host", "cancelled", "error"]
"""Only "reply" is a person's decision by a listener. "host": the agent reported a dialog of its own. "error": the daemon refused the question."""

RESOLUTIONS: tuple[ResolvedBy, ...] = ("reply", "timeout", "no_subscriber", "subscription_ended", "host", "cancelled")


@dataclass(frozen=True)
class ConfirmationOutcome:
    """How a question for consent ended (AAEP §6). Only "accept" permits the action, and only an "accept" by "reply" permits an irreversible one (R5)."""

    decision: Literal["accept", "reject"] | None
    resolved_by: ResolvedBy
    reply_token: str
    """Proves the consent to `begin(…, consent=…)`."""
    decided_by: str | None = None
    """Identity of the decider, if the reply named it."""
    decision_rationale: str | None = None
    modified_action: Mapping[str, Any] | None = None
    fault: str | None = None
    """Why nobody was asked."""

    @property
    def is_accepted(self) -> bool:
        """A person has said yes."""
        return self.decision == "accept" and self.resolved_by == "reply"


@dataclass(frozen=True)
class ClarificationOutcome:
    """How a question for information ended (AAEP §6)."""

    response: str | bool | float | None
    """The answer, or the question's default; None if there is neither."""
    resolved_by: ResolvedBy
    reply_token: str
    decided_by: str | None = None
    confidence: float | None = None
    fault: str | None = None


WHY_NOT: Mapping[str, str] = {
    "reply": "a person has declined",
    "timeout": "nobody has answered in time",
    "no_subscriber": "nobody could be asked",
    "subscription_ended": "the listener has left before it answered",
    "host": "it was decided in the agent's own window, and does not go ahead here",
    "cancelled": "the question was taken back",
    "error": "the daemon has refused the question",
}


class Declined(Exception):
    """An irreversible tool was not called. `outcome.resolved_by` is "reply" if a person declined."""

    def __init__(self, outcome: ConfirmationOutcome) -> None:
        super().__init__(f"The tool is not called: {WHY_NOT[outcome.resolved_by]}. {outcome.fault or ''}".rstrip())
        self.outcome = outcome

    @property
    def resolved_by(self) -> ResolvedBy:
        return self.outcome.resolved_by


def confirmed(result: Mapping[str, Any], reply_token: str) -> ConfirmationOutcome:
    """Reads an outcome. What cannot be read permits nothing."""
    decision = result.get("decision")
    resolved_by = resolution(result)
    if result.get("reply_token") != reply_token or resolved_by is None or decision not in ("accept", "reject", None):
        return ConfirmationOutcome(None, "error", reply_token, fault=UNREADABLE)
    modified = result.get("modified_action")
    return ConfirmationOutcome(
        decision,
        resolved_by,
        reply_token,
        text_in(result, "decided_by") or None,
        text_in(result, "decision_rationale") or None,
        modified if isinstance(modified, dict) else None,
    )


def clarified(result: Mapping[str, Any], reply_token: str) -> ClarificationOutcome:
    response, confidence = result.get("response"), result.get("confidence")
    resolved_by = resolution(result)
    if result.get("reply_token") != reply_token or resolved_by is None:
        return ClarificationOutcome(None, "error", reply_token, fault=UNREADABLE)
    return ClarificationOutcome(
        response if isinstance(response, (str, bool, float)) else None,
        resolved_by,
        reply_token,
        text_in(result, "decided_by") or None,
        confidence if isinstance(confidence, float) else None,
    )


def resolution(result: Mapping[str, Any]) -> ResolvedBy | None:
    return next((one for one in RESOLUTIONS if one == result.get("resolved_by")), None)


def unconfirmed(caught: Unanswered, reply_token: str) -> ConfirmationOutcome:
    decision: Literal["reject"] | None = "reject" if caught.because == "no_subscriber" else None
    return ConfirmationOutcome(decision, caught.because, reply_token, fault=str(caught))


def unclarified(caught: Unanswered, reply_token: str, default: str | None) -> ClarificationOutcome:
    response = default if caught.because == "no_subscriber" else None
    return ClarificationOutcome(response, caught.because, reply_token, fault=str(caught))
