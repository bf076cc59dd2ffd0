"""The calls of a framework's tools in a session: what is announced, and what a person is asked. All adapters share it, and one of your own can."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ._agent import Session, driven
from ._aio import AsyncSession, awaited
from ._session import BaseSession, Steps, ToolCall, ToolStatus

__all__ = ["ModelCall", "ToldCalls", "Words"]

Decision = Literal["accept", "reject"]

LONGEST_ID = 256
"""Characters of an id (R5c)."""
LONGEST_CONSEQUENCE = 16_000
"""Characters of a question's arguments: AAEP takes 16,384."""
LONGEST_WORDS = 200
"""Characters of an announcement."""
MCP = re.compile(r"mcp__(.+?)__(.+)", re.DOTALL)
"""The name that hosts give to a tool of an MCP server."""
UNSEEN = re.compile("[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


@dataclass(frozen=True)
class ModelCall:
    """A call of a tool, as the model has made it. `id`: the framework's own; "" where it tells none."""

    id: str
    name: str
    input: object


@dataclass(frozen=True)
class Words:
    """What an author says of calls. `announcement`: a sentence such as "Reads the shelf."; default: the tool's name. `question`: members of the question
    about a call in place of the usual ones: an action of "Use NAME", each argument as the consequence, the risk "medium", and 300 seconds. Neither may raise.
    """

    announcement: Callable[[ModelCall], str | None] | None = None
    question: Callable[[ModelCall], Mapping[str, Any]] | None = None


@dataclass
class _Memory:
    """The calls of a session. Most frameworks go on after an approval with another run."""

    calls: dict[str, ToolCall] = field(default_factory=dict[str, ToolCall])
    known: set[str] = field(default_factory=set[str])
    """The ids of calls that have begun, also of those that begin again. Each is told once (R5c)."""
    left: set[str] = field(default_factory=set[str])
    """Calls about which nobody decided here. If they begin nevertheless, the host has allowed them (R5a)."""


def _memory_of(session: BaseSession) -> _Memory:
    if not isinstance(session.told, _Memory):
        session.told = _Memory()
    return session.told


class ToldCalls:
    """Tells calls in a session, and asks about them. Several of one session know the same calls."""

    def __init__(self, session: Session | AsyncSession, words: Words = Words()) -> None:
        self._session = session
        self._words = words
        self._memory = _memory_of(session)

    def begin(self, call: ModelCall, subagent: str | None = None) -> None:
        """Begins a call, once: frameworks repeat a call when a run goes on. `subagent`: the agent inside the agent that has made it, whose name is heard
        before it.
        """
        calls, left = self._memory.calls, self._memory.left
        if call.id in calls:
            return
        announced = self._words.announcement
        told = unhidden((announced(call) if announced is not None else None) or spoken_name(call.name))
        summary = (told if subagent is None else f"{subagent}: {told}")[:LONGEST_WORDS]
        is_approved = call.id in left
        left.discard(call.id)
        begun = self._session.begin(call.name, summary=summary, call_id=self._new_id(call), is_approved_by_host=is_approved)
        if call.id:
            calls[call.id] = begun
            self._memory.known.add(call.id)

    def end(self, call_id: str, status: ToolStatus) -> None:
        """Ends a call, once, if it has begun."""
        begun = self._memory.calls.get(call_id)
        if begun is not None:
            begun.end(status)

    def put_off(self, call_id: str) -> None:
        """Ends a call that begins again, after an approval perhaps."""
        begun = self._memory.calls.pop(call_id, None)
        if begun is not None:
            begun.end("cancelled")

    def ask(self, call: ModelCall) -> Decision | None:
        """Asks a person about a call, in a `Session`. Only a person's reply decides. None: nobody decided, or the whole question is longer than AAEP
        takes, and the decision is the host's.
        """
        return driven(self.asking(call))

    async def ask_async(self, call: ModelCall) -> Decision | None:
        """As ask, in an `AsyncSession`."""
        return await awaited(self.asking(call))

    def asking(self, call: ModelCall) -> Steps[Decision | None]:
        """The steps of ask, for `driven_together`."""
        question = self._question(call)
        outcome = None if question is None else (yield from self._session._confirming(**question))
        if outcome is not None and outcome.resolved_by == "reply":
            return outcome.decision
        if call.id:
            self._memory.left.add(call.id)
        return None

    def _question(self, call: ModelCall) -> dict[str, Any] | None:
        try:
            words = input_words(call.input)
        except ValueError:
            return None
        asking: dict[str, Any] = {
            "action": f"Use {unhidden(spoken_name(call.name))}",
            "consequence": unhidden(words),
            "risk_level": "medium",
            "host_dialog": True,
            "call_id": self._new_id(call),
            **(self._words.question(call) if self._words.question is not None else {}),
        }
        return None if len(asking["consequence"]) > LONGEST_CONSEQUENCE else asking

    def _new_id(self, call: ModelCall) -> str | None:
        return call.id if 0 < len(call.id) <= LONGEST_ID and call.id not in self._memory.known else None


def spoken_name(tool: str) -> str:
    """ "shop: burn" for `mcp__shop__burn`."""
    return MCP.sub(r"\1: \2", tool)


def unhidden(text: str) -> str:
    """The text with the number of each character that is not seen, or that reorders others."""
    return UNSEEN.sub(lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def input_words(given: object) -> str:
    members = given if isinstance(given, Mapping) else ({} if given is None else {"input": given})
    return "\n".join(argument_parts(members)) or "It has no arguments."


def argument_parts(given: Mapping[str, Any], depth: int = 0) -> list[str]:
    """Each argument as its name and its value in words, in the order of the host."""
    return [f"{name_in_words(str(name))}: {value_in_words(value, depth + 1)}" for name, value in given.items()]


def name_in_words(name: str) -> str:
    spaced = re.sub("[_-]", " ", name)
    return re.sub(r"([a-z\d])([A-Z])", r"\1 \2", spaced).strip().lower()


def value_in_words(value: object, depth: int) -> str:
    if depth > 64:  # nobody decides about what is not told
        raise ValueError("The arguments are nested too deeply.")
    if isinstance(value, (list, tuple)):
        return ", ".join(value_in_words(one, depth + 1) for one in value)
    if isinstance(value, Mapping):
        return "; ".join(argument_parts(value, depth))
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)
