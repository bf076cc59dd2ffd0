"""LangChain and LangGraph: tools and text by one callback handler, and questions by the interrupts of a graph. It needs `langchain-core`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler  # pyright: ignore[reportMissingImports]

from ._aio import AsyncSession
from ._agent import Session
from ._session import ToolStatus
from .told_calls import ModelCall, ToldCalls, Words

__all__ = ["Heard", "ModelCall", "Words", "ainvoke_heard", "invoke_heard"]

NO = {"type": "reject", "message": "The person said no."}


class Heard(BaseCallbackHandler):
    """Makes a run heard in a session: `agent.invoke(input, {"callbacks": [Heard(session)]})`. Agents inside of tools are heard too, by the name of the
    tool, and without their text. The session ends when you end it.
    """

    run_inline = True  # otherwise calls overtake one another in threads

    def __init__(self, session: Session | AsyncSession, words: Words = Words()) -> None:
        self._session = session
        self._calls = ToldCalls(session, words)
        self._around: dict[UUID, UUID | None] = {}
        self._tools: dict[UUID, ModelCall] = {}
        self._streams: set[UUID] = set()

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any) -> None:
        self._around[run_id] = parent_run_id

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        self._around.pop(run_id, None)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        self._around.pop(run_id, None)

    def on_llm_new_token(self, token: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any) -> None:
        text = token if isinstance(token, str) else "".join(_texts_in(token))
        if text:
            self._streams.add(run_id)
            self._text(text, parent_run_id)

    def on_llm_end(self, response: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any) -> None:
        if run_id in self._streams:
            self._streams.discard(run_id)
        elif response.generations and response.generations[0]:
            self._text(response.generations[0][0].text, parent_run_id)

    def on_tool_start(
        self,
        serialized: Any,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        inputs: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        name = (serialized or {}).get("name") or more.get("name") or "tool"
        subagent = self._tool_around(parent_run_id)
        self._around[run_id] = parent_run_id
        call = ModelCall(str(more.get("tool_call_id") or run_id), str(name), inputs if inputs is not None else input_str)
        self._tools[run_id] = call
        self._calls.begin(call, subagent)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, "error" if getattr(output, "status", None) == "error" else "success")

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        # A tool that interrupts the graph runs again when the graph goes on.
        is_interrupt = type(error).__name__ == "GraphInterrupt"
        is_cancelled = isinstance(error, (asyncio.CancelledError, KeyboardInterrupt))
        self._end(run_id, None if is_interrupt else "cancelled" if is_cancelled else "error")

    def _end(self, run_id: UUID, status: ToolStatus | None) -> None:
        call = self._tools.pop(run_id, None)
        self._around.pop(run_id, None)
        if call is not None and status is not None:
            self._calls.end(call.id, status)

    def _text(self, token: Any, parent_run_id: UUID | None) -> None:
        if isinstance(token, str) and self._tool_around(parent_run_id) is None:
            self._session.text(token)

    def _tool_around(self, run_id: UUID | None) -> str | None:
        while run_id is not None:
            if run_id in self._tools:
                return self._tools[run_id].name
            run_id = self._around.get(run_id)
        return None


def invoke_heard(graph: Any, input: Any, config: Mapping[str, Any], session: Session, words: Words = Words()) -> Any:
    """Runs a graph with a checkpointer, heard in a session, and asks a person what its interrupts ask: about the calls of `HumanInTheLoopMiddleware` for
    consent, and about an interrupt of your own whose value is a text for an answer. The graph goes on with the answers. An interrupt without a person's
    answer, or of another form, is left in the result, for your program to answer. Raises as the graph does.
    """
    left: set[str] = set()
    heard = _with_heard(config, session, words)
    while True:
        output = graph.invoke(input, heard)
        interrupts = [one for one in _interrupts(output) if one.id not in left]
        if len(interrupts) == 1:  # in this thread, which an interrupt of the program ends
            answers = [_answer(interrupts[0].value, session, words)]
        else:
            with ThreadPoolExecutor(max(1, len(interrupts))) as asking:
                answers = list(asking.map(lambda one: _answer(one.value, session, words), interrupts))
        resume = _resume(interrupts, answers, left)
        if resume is None:
            return output
        input = resume


async def ainvoke_heard(graph: Any, input: Any, config: Mapping[str, Any], session: AsyncSession, words: Words = Words()) -> Any:
    """As invoke_heard, in a program with asyncio."""
    left: set[str] = set()
    heard = _with_heard(config, session, words)
    while True:
        output = await graph.ainvoke(input, heard)
        interrupts = [one for one in _interrupts(output) if one.id not in left]
        answers = await asyncio.gather(*(_async_answer(one.value, session, words) for one in interrupts))
        resume = _resume(interrupts, answers, left)
        if resume is None:
            return output
        input = resume


def _with_heard(config: Mapping[str, Any], session: Session | AsyncSession, words: Words) -> dict[str, Any]:
    given = config.get("callbacks") or []
    if isinstance(given, (list, tuple)):
        return {**config, "callbacks": [*given, Heard(session, words)]}
    manager = given.copy()
    manager.add_handler(Heard(session, words))
    return {**config, "callbacks": manager}


def _texts_in(blocks: Any) -> list[str]:
    """The texts of a model whose content is blocks."""
    return [str(one.get("text", "")) for one in blocks if isinstance(one, dict) and one.get("type") == "text"] if isinstance(blocks, list) else []


def _interrupts(output: Any) -> list[Any]:
    return list(output.get("__interrupt__") or []) if isinstance(output, Mapping) else []


def _resume(interrupts: list[Any], answers: list[Any], left: set[str]) -> Any:
    """The command with the answers, by the ids of their interrupts. None where nobody has answered: those come again."""
    from langgraph.types import Command  # pyright: ignore[reportMissingImports]

    resume = {one.id: answer for one, answer in zip(interrupts, answers, strict=True) if answer is not None}
    left.update(one.id for one, answer in zip(interrupts, answers, strict=True) if answer is None)
    return Command(resume=resume) if resume else None


def _calls_in(value: Any) -> list[ModelCall]:
    """The calls that the middleware asks about, of one interrupt together or of one call alone."""
    if not isinstance(value, Mapping):
        return []
    requests = value.get("action_requests") or ([value] if value.get("type") == "tool_approval" else [])
    return [ModelCall(str(one.get("tool_call_id") or ""), str(one.get("name")), one.get("args")) for one in requests]


def _decision(value: Mapping[str, Any], decisions: list[Any]) -> Any:
    """All calls of an interrupt go on together."""
    if None in decisions:
        return None
    told = [{"type": "approve"} if decision == "accept" else NO for decision in decisions]
    return {"decisions": told} if "action_requests" in value else told[0]


def _answer(value: Any, session: Session, words: Words) -> Any:
    if isinstance(value, str):
        clarified = session.clarify(value, host_dialog=True)
        return clarified.response if clarified.resolved_by == "reply" else None
    calls, told = _calls_in(value), ToldCalls(session, words)
    if not calls:
        return None
    if len(calls) == 1:
        return _decision(value, [told.ask(calls[0])])
    with ThreadPoolExecutor(len(calls)) as asking:
        return _decision(value, list(asking.map(told.ask, calls)))


async def _async_answer(value: Any, session: AsyncSession, words: Words) -> Any:
    if isinstance(value, str):
        clarified = await session.clarify(value, host_dialog=True)
        return clarified.response if clarified.resolved_by == "reply" else None
    calls, told = _calls_in(value), ToldCalls(session, words)
    if not calls:
        return None

    return _decision(value, await asyncio.gather(*map(told.ask_async, calls)))
