"""The face of this package for programs with asyncio. The connection is the same, in threads of its own."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ._agent import BaseAgent, manifest_of, to_standard_error
from ._core import Core, Unanswered
from ._daemons import LONGEST_WAIT_S
from ._messages import Fault
from ._outcomes import ClarificationOutcome, ConfirmationOutcome
from ._session import BaseSession, Risk, Steps

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import Clarification, Confirmation

Result = TypeVar("Result")


class AsyncAgent(BaseAgent):
    """As Agent: `async with AsyncAgent("librarian", name="Librarian") as agent:`. It looks for its daemon when it is entered."""

    def __init__(
        self,
        agent_id: str,
        name: str | None = None,
        *,
        version: str | None = None,
        program: Sequence[str] | None = None,
        arguments: Sequence[str] = (),
        on_error: Callable[[Fault], object] = to_standard_error,
    ) -> None:
        manifest = manifest_of(agent_id, name, version)
        self._open = lambda: Core(manifest, program, arguments, on_error)

    def session(self, description: str, **started: Any) -> AsyncSession:
        """A task: `async with agent.session("Looks for a book.") as s:`. Raises RuntimeError before the agent is entered."""
        if not hasattr(self, "_core"):
            raise RuntimeError("Enter the agent first: async with AsyncAgent(…) as agent.")
        return AsyncSession(self._core, description, started)

    async def close(self, within_s: float = LONGEST_WAIT_S) -> None:
        """Ends open sessions as cancelled, waits until the daemon has everything, and ends the connection. The exit of the program does the same."""
        await asyncio.to_thread(self._core.close, within_s)

    async def __aenter__(self) -> Self:
        self._core = await asyncio.to_thread(self._open)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()


class AsyncSession(BaseSession):
    """One task of an AsyncAgent. The cancellation of its task ends it as cancelled, and takes its questions back."""

    async def __aenter__(self) -> Self:
        return self._enter()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._exit(kind, error)

    async def say(self, chunks: AsyncIterable[str]) -> None:
        """Passes a stream of text on as one output."""
        async for chunk in chunks:
            self.text(chunk)
        self._end_output()

    async def tool(
        self,
        name: str,
        run: Callable[[], Result | Awaitable[Result]],
        *,
        summary: str | None = None,
        completed: str | Callable[[Result], str] | None = None,
        irreversible: bool = False,
        action: str | None = None,
        consequence: str | None = None,
        timeout_seconds: float | None = None,
        extra_context: Mapping[str, Any] | None = None,
        risk_level: Risk | None = None,
        **members: Any,
    ) -> Result:
        """As Session.tool. run may be a coroutine function."""
        question = {"action": action, "consequence": consequence, "timeout_seconds": timeout_seconds, "extra_context": extra_context}
        end = await awaited(self._tooling(name, run, summary, irreversible, question, risk_level, members))
        try:
            made = run()
            result: Result = await made if inspect.isawaitable(made) else made  # pyright: ignore[reportAssignmentType]
        except BaseException as error:
            end("error" if isinstance(error, Exception) else "cancelled", error)
            raise
        end("success", self._told(name, completed, result))
        return result

    async def confirm(self, action: str, consequence: str, **question: Unpack[Confirmation]) -> ConfirmationOutcome:
        """As Session.confirm."""
        return await awaited(self._confirming(action, consequence, **question))

    async def clarify(self, question: str, **options: Unpack[Clarification]) -> ClarificationOutcome:
        """As Session.clarify."""
        return await awaited(self._clarifying(question, **options))


async def awaited(steps: Steps[Result]) -> Result:
    """Waits in this loop for each answer. The cancellation of the task takes the question back."""
    try:
        waited = next(steps)
        while True:
            answered, patience_s = waited
            try:
                answer = await asyncio.wait_for(asyncio.wrap_future(answered), patience_s)
            except asyncio.TimeoutError:
                waited = steps.throw(Unanswered("error", "The daemon does not answer.", is_open=True))
            except BaseException as caught:
                waited = steps.throw(caught)
            else:
                waited = steps.send(answer)
    except StopIteration as ended:
        result: Result = ended.value
        return result
    finally:
        steps.close()
