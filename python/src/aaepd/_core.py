"""One connection of one agent, in threads of its own: a queue of calls, their answers, and the way back to a daemon that was lost."""

from __future__ import annotations

import atexit
import collections
import contextlib
import itertools
import json
import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Literal, Protocol

from ._daemons import LONGEST_WAIT_S, Link, lines_of, link_to_own, link_to_serve
from ._messages import Fault, brief, line_of, text_in
from ._program import REMEDY as NODE_REMEDY
from ._program import find_program

MOST_QUEUED = 1024
"""Calls that wait for the daemon; further text is dropped."""
LONGEST_QUEUE = 16_384
"""Calls that wait; after that the agent is silent."""
LONGEST_ABSENCE_S = 10
"""Of a lost daemon, for those who wait for its answer."""
PAUSE_S = 0.5
"""Between attempts to come back."""
LOOK_AGAIN_S = 10
"""A silent agent looks for a daemon again with its next session, this long after the last time."""
MOST_STARTS = 3
"""Daemons of one's own that end one after the other without a word."""

Status = Literal["connected", "away", "silent", "closed"]
Refusal = Literal["no_subscriber", "cancelled"]
ENDS = ["aaep:agent.session." + end for end in ("completed", "errored", "cancelled")]
AWAY = "The daemon has gone: the agent is silent until it is back."
UNREADABLE = "The daemon's answer cannot be read."
REMEDY = "Run `aaepd serve`, or name the program: AAEPD_PROGRAM=/path/to/aaepd."


class Unanswered(Exception):
    """A call gets no answer. `is_open`: the daemon may still have the question."""

    def __init__(self, because: Refusal | Literal["error"], sentence: str, is_open: bool = False) -> None:
        super().__init__(sentence)
        self.because: Refusal | Literal["error"] = because
        self.is_open = is_open


class Call:
    __slots__ = ("about", "answered", "line", "number")

    def __init__(self, number: int, line: bytes | None, about: dict[str, Any], answered: Future[dict[str, Any]] | None) -> None:
        self.number, self.line, self.about, self.answered = number, line, about, answered


class Conversation(Protocol):
    """A session, as the connection sees it."""

    session_id: str
    token: str
    first: Call | None
    is_over: bool

    def begin_again(self) -> None:
        """A daemon has lost it."""

    def forked(self) -> None:
        """This process is a child, and the session is the parent's."""

    def cancel(self, *, cancelled_by: Literal["producer"]) -> None:
        """The agent ends."""


class Core:
    """Thread-safe. Nothing here stops or slows its program, and no daemon's fault is raised in it."""

    def __init__(
        self,
        manifest: Mapping[str, Any],
        program: Sequence[str] | None,
        arguments: Sequence[str],
        on_error: Callable[[Fault], object],
    ) -> None:
        self.on_error = on_error
        self._manifest = line_of(0, "aaep.set_manifest", manifest)
        self._program = program
        self._arguments = ["stdio", "--producer-id", str(manifest["agent_id"]), *arguments]
        self._prepare()
        _cores.add(self)
        atexit.register(self.close)
        self._start()
        with self._news:
            self._news.wait_for(lambda: self._status != "away" or self._is_met, LONGEST_WAIT_S)

    def _prepare(self) -> None:
        self.lock = threading.RLock()  # of all that follows, and of the sessions
        self._news = threading.Condition(self.lock)
        self._numbers = itertools.count(1)
        self.calls: dict[int, Call] = {}  # those without an answer, in their order
        self._unsent: collections.deque[Call] = collections.deque()
        self.sessions: dict[str, Conversation] = {}  # those whose end has no answer
        self._link: Link | None = None
        self._life: threading.Thread | None = None
        self._is_met = False
        self._was_own = False  # the last one
        self._is_given_up = False  # nobody waits for the absent daemon any more
        self._status: Status = "away"
        self._looked_at = 0.0

    @property
    def status(self) -> Status:
        return self._status

    @property
    def is_full(self) -> bool:
        return len(self.calls) >= MOST_QUEUED

    @property
    def takes(self) -> bool:
        """Whether calls are of use. Read without the lock for each token."""
        return self._status == "connected" or self._status == "away"

    def look_again(self) -> None:
        """A silent agent looks for a daemon once more; after a fork every agent does."""
        with self.lock:
            is_due = self._status == "silent" and time.monotonic() - self._looked_at > LOOK_AGAIN_S
            if is_due:
                self._status = "away"
            if self._status == "away" and self._life is None:
                self._start()

    def _start(self) -> None:
        self._looked_at = time.monotonic()
        self._life = threading.Thread(target=self._live, name="aaepd", daemon=True)
        self._life.start()

    def send(
        self,
        method: str,
        params: dict[str, Any],
        answered: Future[dict[str, Any]] | None = None,
        grows: bool = False,
    ) -> Call | None:
        """Lets a call wait for its turn. Text grows until then. None where nothing is sent: `answered` has then its exception."""
        with self._news:
            if not self.takes or (self._is_given_up and answered is not None):
                if answered is not None:
                    answered.set_exception(Unanswered("no_subscriber", "The agent is silent."))
                return None
            number = next(self._numbers)
            try:
                line = None if grows else line_of(number, method, params)
            except Exception as error:  # what JSON cannot hold
                self.tell(Fault(f"This was not published: {error}", None, params))
                if answered is not None:
                    answered.set_exception(Unanswered("error", str(error)))
                return None
            call = Call(number, line, params, answered)
            self.calls[number] = call
            self._unsent.append(call)
            self._news.notify_all()
            if len(self.calls) > LONGEST_QUEUE:
                self._fall_silent("The daemon takes nothing: the agent is silent.")
            return call

    def ask(self, method: str, params: dict[str, Any]) -> Future[dict[str, Any]]:
        """Makes a call whose result somebody waits for."""
        answered: Future[dict[str, Any]] = Future()
        answered.set_running_or_notify_cancel()  # a task that is cancelled does not cancel it beside the answer
        self.send(method, params, answered)
        return answered

    def tell(self, fault: str) -> None:
        with contextlib.suppress(Exception):  # a mistake in on_error is no reason to stop
            self.on_error(fault if isinstance(fault, Fault) else Fault(fault))

    def close(self, within_s: float = LONGEST_WAIT_S) -> None:
        """Ends open sessions, waits until the daemon has everything, and ends the connection."""
        atexit.unregister(self.close)
        with self._news:
            for session in list(self.sessions.values()):
                session.cancel(cancelled_by="producer")
            self._news.wait_for(lambda: not self.calls or self._is_given_up or not self.takes, within_s)
            left, link, life = len(self.calls), self._link, self._life
            if self._status == "closed":
                return
            self._status = "closed"
            self._news.notify_all()
        self._give_up(f"The daemon has not taken the last {left} calls." if left else None, "cancelled")
        self.calls.clear()
        if link is not None:
            link.hang_up()
        if life is not None and life is not threading.current_thread():
            life.join(LONGEST_WAIT_S)  # may still tell why there is no daemon

    def after_fork(self) -> None:
        """In a child: the parent goes on with the connection and the sessions."""
        sessions, is_closed, link = list(self.sessions.values()), self._status == "closed", self._link
        if link is not None:
            link.let_go()
        self._prepare()
        if is_closed:
            self._status = "closed"
        for session in sessions:
            session.forked()

    def _live(self) -> None:
        try:
            self._come_back()
        except Exception as error:  # nobody waits for answers that do not come
            self._fall_silent(f"The agent is silent: {type(error).__name__}: {error}")
        with self.lock:
            self._life = None

    def _come_back(self) -> None:
        """Talks with a daemon, and comes back to one."""
        starts = 0
        while self.takes:
            link = self._reach()
            if link is None:
                break
            was_met = self._talk(link)
            starts = 0 if was_met or not link.is_own else starts + 1
            if link.is_own and not was_met and starts >= MOST_STARTS:
                words = link.last_words()  # a sentence of aaepd says what to do
                self._fall_silent(f"The daemon did not start: the agent is silent. {words if words.startswith('Error: ') else f'{words} {REMEDY}'.lstrip()}")
            if self.takes:
                time.sleep(PAUSE_S)

    def _reach(self) -> Link | None:
        """The next connection: to `aaepd serve` as long as it is there, or comes back within a while; else to a daemon of one's own."""
        lost_at = time.monotonic()
        is_refused = False
        while self.takes:
            try:
                link = link_to_serve()
                if link is not None:
                    return link
            except PermissionError as error:
                if not is_refused:
                    self.tell(f"`aaepd serve` is not asked: {error}")
                is_refused = True
            if not self._is_met or self._was_own:
                return self._begin_own()
            if time.monotonic() - lost_at > LONGEST_ABSENCE_S and not self._is_given_up:
                self._is_given_up = True
                self._give_up(AWAY, "cancelled")
            time.sleep(PAUSE_S)
        return None

    def _begin_own(self) -> Link | None:
        program = self._program or find_program(os.environ)
        if program is None:
            self._fall_silent(f"There is no daemon, so the agent is silent. {REMEDY} {NODE_REMEDY}")
            return None
        try:
            return link_to_own([*program, *self._arguments])
        except OSError as error:
            self._fall_silent(f"There is no daemon, so the agent is silent: {error}. {REMEDY}")
            return None

    def _talk(self, link: Link) -> bool:
        """Uses a connection until its end: takes the sessions over, and sends what has no answer yet. Returns whether the daemon has answered."""
        with self._news:
            if not self.takes:
                link.hang_up()
                link.close()
                return False
            self._link, self._was_own = link, link.is_own
            self._status = "away"
            self._unsent = collections.deque(self.calls.values())
            claims = [{"session_id": key, "resume_token": session.token} for key, session in self.sessions.items()]
        greeting = [self._manifest, *(line_of(claim["session_id"], "aaep.resume_session", claim) for claim in claims)]
        threading.Thread(target=self._write, args=(link, greeting), name="aaepd writes", daemon=True).start()
        try:
            for line in lines_of(link.lines):
                self._take(json.loads(line, parse_int=float))  # an integer of a million digits would take seconds
        except (OSError, ConnectionError):
            pass  # the connection has ended
        except (RecursionError, ValueError):
            if self.takes:
                self._fall_silent(f"The agent is silent: {UNREADABLE}")
        with self._news:
            was_met = self.status == "connected"
            self._link = None
            if was_met:
                self._status = "away"
            self._news.notify_all()
        link.hang_up()
        link.close()
        return was_met

    def _write(self, link: Link, greeting: list[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in greeting:
                link.write(line)
            with self._news:
                self._news.wait_for(lambda: self.status == "connected" or self._link is not link)
            if link.is_own:
                time.sleep(PAUSE_S)  # meanwhile listeners find a daemon that has just started
            while True:
                with self._news:
                    self._news.wait_for(lambda: self._unsent or self._link is not link)
                    if self._link is not link:
                        return
                    call = self._unsent.popleft()
                    call.line = call.line or line_of(call.number, "aaep.publish", call.about)
                if call.number in self.calls:
                    link.write(call.line)

    def _take(self, message: object) -> None:
        """Takes an answer of the daemon. One that cannot be read makes the agent silent."""
        if text_in(message, "method"):
            return  # a notification
        number, refusal, result = (message.get(name) if isinstance(message, dict) else None for name in ("id", "error", "result"))
        data = refusal.get("data") if isinstance(refusal, dict) else None
        code, sentence = text_in(data, "code"), ""
        if refusal is not None or not isinstance(result, dict):
            sentence = brief(text_in(refusal, "message")) or UNREADABLE
        if not isinstance(number, (float, str)):
            return self._fall_silent(f"The agent is silent: {sentence or UNREADABLE}")
        if code == "shutting_down" or (code == "storage_unavailable" and number not in self.calls):
            raise ConnectionError(sentence)  # the next connection repeats the call
        if number == 0 and sentence:
            return self._fall_silent(sentence)
        with self._news:
            if number == 0:
                self._is_met, self._is_given_up, self._status = True, False, "connected"
            call = self.calls.pop(int(number), None) if isinstance(number, float) else None
            if call is not None and call.about.get("type") in ENDS:
                self.sessions.pop(call.about["session_id"], None)
            if isinstance(number, str) and sentence:
                self._lose(number, sentence)
            self._news.notify_all()
        if call is None:
            return
        if sentence:
            self.tell(Fault(sentence, data, call.about))
        if call.answered is not None and not call.answered.done():
            if sentence:
                call.answered.set_exception(Unanswered("error", sentence))
            else:
                call.answered.set_result(result if isinstance(result, dict) else {})

    def _lose(self, session_id: str, sentence: str) -> None:
        """A daemon does not know a session any more. One whose start or end is repeated may not be there yet, or any more."""
        lost = self.sessions.get(session_id)
        if lost is None or lost.is_over or (lost.first is not None and lost.first.number in self.calls):
            return
        del self.sessions[session_id]
        for left in [left for left in self.calls.values() if left.about.get("session_id") == session_id]:
            del self.calls[left.number]
            if left.answered is not None and not left.answered.done():
                left.answered.set_exception(Unanswered("cancelled", "The session is lost."))
        self._unsent = collections.deque(call for call in self._unsent if call.number in self.calls)
        self.tell(f"The daemon has lost a session, which begins again: {sentence}")
        lost.begin_again()

    def _fall_silent(self, fault: str) -> None:
        """Nothing that was asked is answered any more. The next session looks for a daemon again."""
        with self._news:
            if not self.takes:
                return
            self._status = "silent"
            link = self._link
            self._link = None
            self.sessions.clear()
        self._give_up(fault, "cancelled" if self._is_met else "no_subscriber")
        self.calls.clear()
        self._is_met = False
        if link is not None:
            threading.Thread(target=link.hang_up, name="aaepd ends", daemon=True).start()

    def _give_up(self, fault: str | None, because: Refusal) -> None:
        """Tells a fault, also to all that wait for an answer."""
        with self._news:
            asked = [call for call in self.calls.values() if call.answered is not None]
            for call in asked:
                del self.calls[call.number]
            self._news.notify_all()
        if fault is not None:
            self.tell(fault)
        for call in asked:
            if call.answered is not None and not call.answered.done():
                call.answered.set_exception(Unanswered(because, fault or "The agent is closed."))


_cores: weakref.WeakSet[Core] = weakref.WeakSet()


def _after_fork() -> None:
    for core in list(_cores):
        core.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
