"""Pydantic AI: text, tools and approvals by one capability. It needs `pydantic-ai-slim`."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import ApprovalRequired, CallDeferred, DeferredToolResults, ToolDenied  # pyright: ignore[reportMissingImports]
from pydantic_ai.capabilities import AbstractCapability  # pyright: ignore[reportMissingImports]

from ._aio import AsyncSession
from .told_calls import ModelCall, ToldCalls, Words

__all__ = ["Heard", "ModelCall", "Words"]

PUT_OFF: tuple[Any, ...] = (ApprovalRequired, CallDeferred)
"""What a tool raises that runs later."""


class Heard(AbstractCapability):  # type: ignore[type-arg, unused-ignore]  # of any dependencies
    """Makes a run heard in a session: `await agent.run("…", capabilities=[Heard(session)])`. A person is asked about calls that need approval; those
    that nobody decided are left to your program. An agent inside of a tool is heard without its text, with `subagent`: its name. The session ends
    when you end it.
    """

    def __init__(self, session: AsyncSession, words: Words = Words(), *, subagent: str | None = None) -> None:
        self._session = session
        self._calls = ToldCalls(session, words)
        self._subagent = subagent

    async def on_event(self, ctx: Any, *, event: Any) -> None:
        if self._subagent is not None:
            return
        kind = event.event_kind
        part: Any = event.part if kind == "part_start" else event.delta if kind == "part_delta" else None
        if getattr(part, "part_kind", None) == "text":
            self._session.text(part.content)
        elif getattr(part, "part_delta_kind", None) == "text":
            self._session.text(part.content_delta)

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        self._calls.begin(ModelCall(call.tool_call_id, call.tool_name, args), self._subagent)
        try:
            result = await handler(args)
        except PUT_OFF:
            self._calls.put_off(call.tool_call_id)
            raise
        except asyncio.CancelledError:
            raise  # the session ends the call
        except BaseException:
            self._calls.end(call.tool_call_id, "error")
            raise
        self._calls.end(call.tool_call_id, "success")
        return result

    async def handle_deferred_tool_calls(self, ctx: Any, *, requests: Any) -> Any:
        calls = [ModelCall(its.tool_call_id, its.tool_name, its.args_as_dict()) for its in requests.approvals]
        decided = await asyncio.gather(*map(self._calls.ask_async, calls))
        approvals: dict[str, Any] = {
            call.id: True if decision == "accept" else ToolDenied("The person said no.")  # pyright: ignore[reportCallIssue]
            for call, decision in zip(calls, decided, strict=True)
            if decision is not None
        }
        return DeferredToolResults(approvals=approvals) if approvals else None  # pyright: ignore[reportCallIssue]
