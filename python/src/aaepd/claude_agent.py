"""The Claude Agent SDK: tools by hooks, text by messages, and questions by `can_use_tool`. It needs `claude-agent-sdk`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from dataclasses import replace
from typing import Any

from claude_agent_sdk import (  # pyright: ignore[reportMissingImports]
    AssistantMessage,
    ClaudeAgentOptions,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    StreamEvent,
    TextBlock,
    ToolResultBlock,
    UserMessage,
)

from ._aio import AsyncSession
from .told_calls import ModelCall, ToldCalls, Words

__all__ = ["Heard", "ModelCall", "Words"]

UNASKED_S = 0.3
"""A hook tells a call before the SDK asks about it. Without a question in this time it runs."""


class Heard:
    """Makes queries heard in a session: `heard.messages(query(prompt="…", options=heard.options(options)))`, and `client.receive_response()` likewise. A
    person is asked about calls that the SDK asks about, and is asked the questions of `AskUserQuestion`. The session ends when you end it.
    """

    def __init__(self, session: AsyncSession, words: Words = Words()) -> None:
        self._session = session
        self._calls = ToldCalls(session, words)
        self._waiting: dict[str, tuple[ModelCall, str | None]] = {}
        self._is_streamed = False

    def options(self, options: ClaudeAgentOptions | None = None) -> ClaudeAgentOptions:
        """`ClaudeAgentOptions` with what is heard added. Without a person's answer your own `can_use_tool` decides; without one a call is denied, as the
        SDK does it. Raises ValueError for `permission_prompt_tool_name`, beside which the SDK takes no `can_use_tool`.
        """
        its = ClaudeAgentOptions() if options is None else options
        if its.permission_prompt_tool_name:
            raise ValueError("permission_prompt_tool_name: leave it out, and decide in can_use_tool where no person has answered.")
        hooks: dict[Any, list[HookMatcher]] = {**(its.hooks or {})}
        for event, hook in (("PreToolUse", self._begins), ("PostToolUse", self._ends), ("PostToolUseFailure", self._ends)):
            hooks[event] = [*hooks.get(event, []), HookMatcher(hooks=[hook])]

        async def can_use_tool(name: str, given: dict[str, Any], context: Any) -> Any:
            call_id = str(context.tool_use_id)
            call, subagent = self._waiting.pop(call_id, (ModelCall(call_id, name, given), None))
            is_question = name == "AskUserQuestion"
            result = await (self._answered(given) if is_question else self._decided(call))
            if result is None and its.can_use_tool is not None:
                result = await its.can_use_tool(name, given, context)
            if result is None:
                result = PermissionResultDeny(message="Nobody has decided.")
            if isinstance(result, PermissionResultAllow) and not is_question:
                self._calls.begin(call, subagent)
            return result

        return replace(its, hooks=hooks, can_use_tool=can_use_tool, include_partial_messages=True)

    async def messages(self, messages: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Passes messages on, and tells the text in them. That of an agent inside of a tool is not told."""
        async for message in messages:
            if isinstance(message, UserMessage) and isinstance(message.content, list):
                for block in message.content:
                    if isinstance(block, ToolResultBlock):  # without a hook before it the call was denied
                        self._waiting.pop(block.tool_use_id, None)
                        self._calls.end(block.tool_use_id, "error")
            elif getattr(message, "parent_tool_use_id", None) is None:
                self._hear_text(message)
            yield message

    def _hear_text(self, message: Any) -> None:
        if isinstance(message, StreamEvent):
            delta = message.event.get("delta") or {}
            if delta.get("type") == "text_delta":
                self._is_streamed = True
                self._session.text(delta.get("text"))
        elif isinstance(message, AssistantMessage):
            texts = [block.text for block in message.content if isinstance(block, TextBlock)]
            if texts and not self._is_streamed:  # of the program itself, as about a limit
                self._session.text("\n".join(texts))
            self._is_streamed = self._is_streamed and not texts

    async def _begins(self, hook: Any, tool_use_id: str | None, context: Any) -> Any:
        subagent = str(hook.get("agent_type") or "agent") if "agent_id" in hook else None
        call = ModelCall(hook["tool_use_id"], hook["tool_name"], hook["tool_input"])
        self._waiting[call.id] = (call, subagent)
        asyncio.get_running_loop().call_later(UNASKED_S, self._begin_until, call.id)
        return {}

    def _begin_until(self, call_id: str) -> None:
        """Begins a call that waits, after those that came before it."""
        while call_id in self._waiting:
            self._calls.begin(*self._waiting.pop(next(iter(self._waiting))))

    async def _ends(self, hook: Any, tool_use_id: str | None, context: Any) -> Any:
        self._begin_until(hook["tool_use_id"])
        is_failed = hook["hook_event_name"] == "PostToolUseFailure"
        self._calls.end(hook["tool_use_id"], "success" if not is_failed else "cancelled" if hook.get("is_interrupt") else "error")
        return {}

    async def _decided(self, call: ModelCall) -> Any:
        decision = await self._calls.ask_async(call)
        if decision is None:
            return None
        return PermissionResultAllow() if decision == "accept" else PermissionResultDeny(message="The person said no.")

    async def _answered(self, given: dict[str, Any]) -> Any:
        """What a person answers to each question. None where one stays open, or takes several answers."""
        questions = given.get("questions") or []
        if any(one.get("multiSelect") for one in questions):
            return None
        answers = {}
        for one in questions:
            choices = {option["label"]: f"{option['label']}: {option.get('description', '')}" for option in one["options"]}
            clarified = await self._session.clarify(one["question"], choices=choices, accepted_response_kinds=["multiple_choice", "freetext"], host_dialog=True)
            if clarified.resolved_by != "reply":
                return None
            answers[one["question"]] = clarified.response
        return PermissionResultAllow(updated_input={**given, "answers": answers})
