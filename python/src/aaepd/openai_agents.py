"""The OpenAI Agents SDK: tools by the hooks of a run, text by its stream, and questions by its interruptions. It needs `openai-agents`."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from agents import RunHooks, Runner  # pyright: ignore[reportMissingImports]

from ._aio import AsyncSession
from .told_calls import ModelCall, ToldCalls, Words

__all__ = ["HeardHooks", "ModelCall", "Words", "run_heard"]

# The SDK hands on only a text for the model. This is the beginning of its own text for a tool that raises.
FAILED = re.compile(r"An error occurred while running the tool\b")


class HeardHooks(RunHooks):  # type: ignore[type-arg, unused-ignore]  # of any context
    """Tells the tools of a run in a session. `run_heard` makes its own. Give them to an agent inside of a tool, with its name:
    `agent.as_tool("stock", "…", hooks=HeardHooks(session, subagent="stock"))`.
    """

    def __init__(self, session: AsyncSession, words: Words = Words(), *, subagent: str | None = None) -> None:
        self._session = session
        self._calls = ToldCalls(session, words)
        self._subagent = subagent

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        call_id, name = getattr(context, "tool_call_id", ""), getattr(tool, "name", "tool")
        self._calls.begin(ModelCall(str(call_id), str(name), parsed(getattr(context, "tool_arguments", "{}"))), self._subagent)

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: object) -> None:
        self._calls.end(str(getattr(context, "tool_call_id", "")), "error" if FAILED.match(str(result)) else "success")

    async def on_handoff(self, context: Any, from_agent: Any, to_agent: Any) -> None:
        self._session.state("thinking", f"Hands over to {to_agent.name}.")


async def run_heard(agent: Any, input: Any, session: AsyncSession, words: Words = Words(), **run: Any) -> Any:
    """Runs an agent by `Runner.run_streamed`, heard in a session, and asks a person about its interruptions, which are calls with `needs_approval`. The
    run goes on with the answers. Returns its result when the stream is over: calls that nobody decided are in its `interruptions`, and `approve`,
    `reject` and another `run_heard` with its state go on. Raises as the run does. The session ends when you end it. `run`: further options of the run.
    """
    hooks, calls = HeardHooks(session, words), ToldCalls(session, words)
    while True:
        result = Runner.run_streamed(agent, input, hooks=hooks, **run)
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
                session.text(event.data.delta)
        state = result.to_state() if result.interruptions else None
        decided = await asyncio.gather(*(_decide(calls, state, one) for one in result.interruptions))
        if not any(decided):  # what nobody decided is left over when the decided calls have run
            return result
        input = state


async def _decide(calls: ToldCalls, state: Any, one: Any) -> bool:
    """Whether a person has decided about the call."""
    raw = one.raw_item
    call_id = raw.get("call_id") if isinstance(raw, dict) else getattr(raw, "call_id", None)
    call = ModelCall(str(call_id or ""), str(one.name or "tool"), parsed(one.arguments or "{}"))
    decision = await calls.ask_async(call)
    if decision == "accept":
        state.approve(one)
    if decision == "reject":
        state.reject(one)
    return decision is not None


def parsed(text: Any) -> Any:
    """The arguments that a model has written, or their text where it is no JSON."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text
