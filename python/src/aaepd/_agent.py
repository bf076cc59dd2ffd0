"""The face of this package for programs with threads."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ._core import Core, Status, Unanswered
from ._daemons import LONGEST_WAIT_S
from ._messages import Fault
from ._outcomes import ClarificationOutcome, ConfirmationOutcome
from ._session import BaseSession, Risk, Steps

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import Clarification, Confirmation

Result = TypeVar("Result")


def to_standard_error(fault: Fault) -> None:
    print(fault, file=sys.stderr)


def manifest_of(agent_id: str, name: str | None, version: str | None) -> dict[str, Any]:
    if not agent_id:
        raise ValueError("Give the agent an id.")
    told = {} if version is None else {"agent_version": version}
    manifest = {"@context": "https://aaep-protocol.org/context/v1", "type": "aaep:producer.manifest"}
    return {**manifest, "agent_id": agent_id, "agent_name": name or agent_id, **told}


class BaseAgent:
    """What both faces share: a connection."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @property
    def status(self) -> Status:
        """"connected"; "away": the daemon is looked for, and events wait; "silent": there is none, and the next session looks again; "closed"."""
        return self._core.status


class Agent(BaseAgent):
    """An agent that people can follow. It connects to the daemon of `aaepd serve`, otherwise starts one for itself alone, otherwise is silent.

    agent_id is a stable name without a version; name is for people. program is the command aaepd (default: AAEPD_PROGRAM, `aaepd` on the PATH, or that
    of this package), and arguments are further options of `aaepd stdio`. on_error receives a Fault for each thing that goes wrong, in any thread, and
    returns soon; by default each is a line on standard error. Opening waits 2 seconds for a daemon at most.
    """

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
        super().__init__(Core(manifest_of(agent_id, name, version), program, arguments, on_error))

    def session(self, description: str, **started: Any) -> Session:
        """A task: `with agent.session("Looks for a book.") as s:`. Further members of its first event may follow, such as `request_text`."""
        return Session(self._core, description, started)

    def close(self, within_s: float = LONGEST_WAIT_S) -> None:
        """Ends open sessions as cancelled, waits until the daemon has everything, and ends the connection. The exit of the program does the same."""
        self._core.close(within_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Session(BaseSession):
    """One task of an Agent. `with` begins it, and ends it: as errored by an exception, as cancelled by KeyboardInterrupt."""

    def __enter__(self) -> Self:
        return self._enter()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._exit(kind, error)

    def say(self, chunks: Iterable[str]) -> None:
        """Passes a stream of text on as one output."""
        for chunk in chunks:
            self.text(chunk)
        self._end_output()

    def tool(
        self,
        name: str,
        run: Callable[[], Result],
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
        """Runs a tool, and returns its result, or raises its error. completed is a sentence about the result, or a function that makes one.

        If the call is irreversible, run is called only after a person has accepted, and Declined is raised otherwise. The question may have an action
        (default: summary), a consequence, timeout_seconds (300), and extra_context: facts for the person who decides. Raises TypeError for a question
        without irreversible, and for a run that cannot be called: a slip of the hand must not run a tool unasked.
        """
        question = {"action": action, "consequence": consequence, "timeout_seconds": timeout_seconds, "extra_context": extra_context}
        end = driven(self._tooling(name, run, summary, irreversible, question, risk_level, members))
        try:
            result = run()
        except BaseException as error:
            end("error" if isinstance(error, Exception) else "cancelled", error)
            raise
        end("success", self._told(name, completed, result))
        return result

    def confirm(self, action: str, consequence: str, **question: Unpack[Confirmation]) -> ConfirmationOutcome:
        """Asks for consent, and waits for the outcome. Only "accept" permits the action. Without a daemon: "reject" by "no_subscriber" at once."""
        return driven(self._confirming(action, consequence, **question))

    def clarify(self, question: str, **options: Unpack[Clarification]) -> ClarificationOutcome:
        """Asks for information. `choices` are labels by their values, or a list of labels. Without a daemon: `default_response` by "no_subscriber"."""
        return driven(self._clarifying(question, **options))


def driven(steps: Steps[Result]) -> Result:
    return driven_together([steps])[0]


def driven_together(questions: Sequence[Steps[Result]]) -> list[Result]:
    """Asks all at once, and waits in this thread for all answers. An interrupt takes back what has none."""
    results: dict[int, Result] = {}
    waiting: dict[int, tuple[Future[dict[str, Any]], float]] = {}

    def go_on(place: int, step: Callable[..., Any], *given: object) -> None:
        try:
            waiting[place] = step(*given)
        except StopIteration as ended:
            results[place] = ended.value

    try:
        for place, steps in enumerate(questions):
            go_on(place, next, steps)
        while waiting:
            place, (answered, patience_s) = waiting.popitem()
            steps = questions[place]
            try:
                answer = answered.result(patience_s)
            except Late:
                go_on(place, steps.throw, Unanswered("error", "The daemon does not answer.", is_open=True))
            except BaseException as caught:
                go_on(place, steps.throw, caught)
            else:
                go_on(place, steps.send, answer)
        return [results[place] for place in range(len(questions))]
    finally:
        for steps in questions:
            with contextlib.suppress(RuntimeError):
                steps.close()
