"""The options of questions. Types only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._session import ResponseKind, Risk


class _Question(TypedDict, total=False):
    reply_token: str
    """Names the question to `decided`. Default: a new one."""
    timeout_seconds: float
    """Seconds that a person has for the answer, 1 to 86,400. Default 300."""
    host_dialog: bool
    """The host asks in a window of its own too. Only a reply decides here then (R5b). Default false."""
    call_id: str
    """The id that the host has for the call about which it asks: 1 to 256 characters (R5c)."""
    extra_context: Mapping[str, Any]
    """Facts for the person who decides."""


class Confirmation(_Question, total=False):
    risk_level: Risk
    irreversible: bool
    default_decision: Literal["accept", "reject"]
    reversibility: Literal["reversible", "reversible_with_effort", "irreversible"]


class Clarification(_Question, total=False):
    choices: Mapping[str, str] | Sequence[str]
    """Labels by their values, or labels that are the values."""
    accepted_response_kinds: list[ResponseKind]
    default_response: str
    context: str
