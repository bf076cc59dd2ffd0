"""LangChain and LangGraph: tools and text by one callback handler, and questions by the interrupts of a graph. It needs `langchain-core`."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler  # pyright: ignore[reportMissingImports]

from ._agent import Session, driven_together
from ._aio import AsyncSession, awaited
from ._session import Steps, ToolStatus
from .told_calls import ModelCall, ToldCalls, Words

__all__ = ["Heard", "ModelCall", "Words", "ainvoke_heard", "invoke_heard"]

YES = {"type": "approve"}
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
    consent, and about an interrupt of your own whose value is a text, and that takes one, for an answer. The graph goes on with the answers. An interrupt
    without a person's answer, or of another form, is left in the result, for your program to answer. Raises as the graph does.
    """
    left: set[str] = set()
    heard, told = _with_heard(config, session, words), ToldCalls(session, words)
    while True:
        output = graph.invoke(input, heard)
        asked = _asked(output, left)
        resume = _resume(asked, driven_together([_asking(session, told, one) for _, all in asked for one in all]), left)
        if resume is None:
            return output
        input = resume


async def ainvoke_heard(graph: Any, input: Any, config: Mapping[str, Any], session: AsyncSession, words: Words = Words()) -> Any:
    """As invoke_heard, in a program with asyncio."""
    left: set[str] = set()
    heard, told = _with_heard(config, session, words), ToldCalls(session, words)
    while True:
        output = await graph.ainvoke(input, heard)
        asked = _asked(output, left)
        resume = _resume(asked, await asyncio.gather(*(awaited(_asking(session, told, one)) for _, all in asked for one in all)), left)
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


@dataclass(frozen=True)
class _Review:
    """A call that the middleware asks about, and the decisions that it takes."""

    call: ModelCall
    takes: Collection[str]


def _asked(output: Any, left: set[str]) -> list[tuple[Any, list[str] | list[_Review]]]:
    """The interrupts that are new, each with what a person is asked."""
    interrupts = (output.get("__interrupt__") or ()) if isinstance(output, Mapping) else ()
    return [(one, [one.value] if _is_text(one) else _reviews(one)) for one in interrupts if one.id not in left]


def _is_text(interrupt: Any) -> bool:
    """Whether a text asks for a text. The graph raises an error for an answer that its schema does not take."""
    return isinstance(interrupt.value, str) and getattr(interrupt, "response_schema", None) in (None, {"type": "string"})


def _reviews(interrupt: Any) -> list[_Review]:
    """The calls of one interrupt together, or one call alone. None where nobody is asked: a person's yes is not taken, or the form is another."""
    value = interrupt.value
    try:
        requests = value.get("action_requests") or ([value] if value.get("type") == "tool_approval" else [])
        takes = {one.get("action_name"): one.get("allowed_decisions") for one in value.get("review_configs") or []}
        reviews = [
            _Review(
                ModelCall(str(one.get("tool_call_id") or ""), str(one.get("name")), one.get("args")),
                takes.get(one.get("name")) or _types_in(getattr(interrupt, "response_schema", None)),
            )
            for one in requests
        ]
        return reviews if all("approve" in one.takes for one in reviews) else []
    except (AttributeError, KeyError, TypeError):
        return []


def _types_in(schema: Any) -> Collection[str]:
    """The decisions that a schema of answers takes: several by their names, or one. Raises KeyError or TypeError for another schema."""
    if schema is None:
        return ("approve", "reject")
    return schema["discriminator"]["mapping"] if "discriminator" in schema else (schema["properties"]["type"]["const"],)


def _asking(session: Session | AsyncSession, told: ToldCalls, asked: str | _Review) -> Steps[Any]:
    """Asks a person. None without an answer, and without one that is taken."""
    if isinstance(asked, str):
        clarified = yield from session._clarifying(asked, host_dialog=True)
        return clarified.response if clarified.resolved_by == "reply" else None
    decision = yield from told.asking(asked.call)
    answer = {"accept": YES, "reject": NO}.get(decision or "")
    return answer if answer is not None and answer["type"] in asked.takes else None


def _resume(asked: list[tuple[Any, list[str] | list[_Review]]], answers: Iterable[Any], left: set[str]) -> Any:
    """The command with the answers, by the ids of their interrupts, whose calls go on together. None where nobody has answered: those come again."""
    from langgraph.types import Command  # pyright: ignore[reportMissingImports]

    resume, rest = {}, iter(answers)
    for interrupt, all in asked:
        given = list(itertools.islice(rest, len(all)))
        if not given or None in given:
            left.add(interrupt.id)
        else:
            resume[interrupt.id] = given[0] if isinstance(all[0], str) or "action_requests" not in interrupt.value else {"decisions": given}
    return Command(resume=resume) if resume else None
