"""A listener: the events of this user's daemon, on its own terms."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import queue
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal

from ._daemons import lines_of
from ._messages import Fault, text_in
from ._received import Received
from ._sockets import connect_own, connect_to_serve

if TYPE_CHECKING:
    from typing_extensions import Self

    from .types import AaepEvent, Capabilities

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 10.0
MOST_READ = 64
"""Events that wait here for their reader. Beyond that the daemon waits, and coalesces (R18)."""


class Rejected(Exception):
    """The daemon did not accept the terms. `code` is AAEP's, as in "authentication_required"."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence or code)
        self.code = code


def subscribe(
    terms: Capabilities | None = None,
    *,
    subscriber_id: str = "python",
    socket_path: str | None = None,
    on_error: Callable[[Fault], object] | None = None,
) -> Subscription:
    """Listens to this user's daemon: `for event in subscribe(): …`, or `async for`. It waits for a daemon that is not there yet, and comes back after
    a loss, to where it was. Terms are AAEP's capabilities (§5.3). Leave the loop and call close, or use `with`. Raises Rejected in the loop, and TypeError
    at once for terms that JSON cannot hold.
    """
    json.dumps(terms)
    return Subscription(dict(terms or {}), subscriber_id, socket_path, on_error)


class Subscription:
    """The events of a daemon, and replies to its questions."""

    def __init__(
        self, terms: dict[str, Any], subscriber_id: str, socket_path: str | None, on_error: Callable[[Fault], object] | None
    ) -> None:
        self._terms, self._subscriber_id, self._socket_path, self._on_error = terms, subscriber_id, socket_path, on_error
        self._read: queue.Queue[Any] = queue.Queue(MOST_READ)
        self._lock = threading.Lock()
        self._connection: socket.socket | None = None
        self._subscription_id: str | None = None
        self._cursor: str | None = None
        self._notes = ""
        self._received = Received()
        self._wakes: set[Callable[[], object]] = set()  # of loops that wait for the next event
        self._over = threading.Event()
        self._life = threading.Thread(target=self._live, name="aaepd listens", daemon=True)
        self._life.start()

    def __iter__(self) -> Iterator[AaepEvent]:
        while (event := self._event_in(self._read.get())) is not None:
            yield event

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AaepEvent:
        # No thread waits: it would take an event from a task that is cancelled.
        arrived = asyncio.Event()
        wake = functools.partial(asyncio.get_running_loop().call_soon_threadsafe, arrived.set)
        self._wakes.add(wake)
        try:
            await asyncio.sleep(0)  # other tasks have their turn
            while True:
                with contextlib.suppress(queue.Empty):
                    event: AaepEvent | None = self._event_in(self._read.get_nowait())
                    break
                await arrived.wait()
                arrived.clear()
        finally:
            self._wakes.discard(wake)
        if event is None:
            raise StopAsyncIteration
        return event

    def confirm(self, reply_token: str, decision: Literal["accept", "reject"], **members: Any) -> bool:
        """Answers a question for consent. False if there is no connection at the moment."""
        return self._reply({"type": "confirmation.reply", "reply_token": reply_token, "decision": decision, **members})

    def clarify(self, reply_token: str, response: str | bool | float, **members: Any) -> bool:
        """Answers a question for information. False if there is no connection at the moment."""
        return self._reply({"type": "clarification.reply", "reply_token": reply_token, "response": response, **members})

    def close(self) -> None:
        """Ends the subscription, and the loop over it."""
        if self._over.is_set():
            return
        self._over.set()
        self._send({"type": "subscription.close", "subscription_id": self._subscription_id})
        connection = self._connection
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(queue.Empty):
            while True:
                self._read.get_nowait()
        with contextlib.suppress(queue.Full):
            self._read.put_nowait(None)
        self._wake()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _reply(self, reply: dict[str, Any]) -> bool:
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        return self._subscription_id is not None and self._send({**reply, "subscription_id": self._subscription_id, "timestamp": now})

    def _send(self, message: Mapping[str, Any]) -> bool:
        connection = self._connection
        if connection is None:
            return False
        try:
            with self._lock:
                connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            return False
        return True

    def _live(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._over.is_set():
            try:
                connection = connect_own(self._socket_path) if self._socket_path else connect_to_serve()
            except (OSError, ValueError) as error:
                connection = None
                self._tell(f"The daemon is not asked: {error}")
            was_accepted = False
            if connection is not None:
                self._connection = connection
                try:
                    self._listen(connection)
                except Rejected as rejected:
                    self._put(rejected)
                    break
                except Exception as error:  # what nobody can read too: the loop over the events goes on
                    self._tell(f"The connection is lost: {error}")
                finally:
                    was_accepted = self._subscription_id is not None
                    self._connection = self._subscription_id = None
                    connection.close()
            pause_s = FIRST_PAUSE_S if was_accepted else min(2 * pause_s, LONGEST_PAUSE_S)
            self._over.wait(pause_s)
        self._put(None)

    def _listen(self, connection: socket.socket) -> None:
        own = {"checkpoints": True, **self._terms.get("aaepd", {})}
        place = {} if self._cursor is None else {"extensions": {"aaepd": {"resume_after": self._cursor}}}
        terms = {"aaep_version": "1.0.0", "subscriber_id": self._subscriber_id, "capabilities": {**self._terms, "aaepd": own}}
        self._send({"type": "subscription.request", **terms, **place})
        for line in lines_of(connection.makefile("rb")):
            message = json.loads(line)
            kind = text_in(message, "type")
            if "event_id" in message and kind.startswith("aaep:"):
                news = self._received.news(message)
                if news is not None:
                    self._put(news)
            elif kind == "subscription.accepted":
                self._received.reconnected()
                self._subscription_id = text_in(message, "subscription_id")
                self._note(message.get("honored_capabilities", {}).get("aaepd"))
                notes = text_in(message, "negotiation_notes")
                if notes and notes != self._notes:
                    self._tell(f"The daemon does not serve all terms: {notes}")
                self._notes = notes
            elif kind == "subscription.rejected":
                raise Rejected(text_in(message, "reason_code"), text_in(message, "reason_message"))
            elif kind == "subscription.close":
                self._note((message.get("extensions") or {}).get("aaepd"))
                return self._tell(text_in(message, "reason_message") or "The daemon has ended the subscription.")
            elif kind == "aaepd.checkpoint":
                self._note(message)
            elif kind == "aaepd.error":
                self._tell(text_in(message, "message"))

    def _note(self, own: object) -> None:
        """Keeps the place to come back to (R17)."""
        self._cursor = text_in(own, "cursor") or self._cursor

    def _put(self, one: object) -> None:
        while True:
            try:
                self._read.put(one, timeout=0.5)
                return self._wake()
            except queue.Full:
                if self._over.is_set():
                    return

    def _wake(self) -> None:
        for wake in list(self._wakes):
            with contextlib.suppress(RuntimeError):  # the loop is over
                wake()

    def _event_in(self, one: Any) -> Any:
        """What was read: an event, or None at the end, which every loop finds again. Raises what ended it."""
        if one is None:
            with contextlib.suppress(queue.Full):
                self._read.put_nowait(None)
            self._wake()
        if isinstance(one, BaseException):
            raise one
        return one

    def _tell(self, sentence: str) -> None:
        if self._on_error is not None:
            with contextlib.suppress(Exception):  # a mistake in on_error is no reason to stop
                self._on_error(Fault(sentence))
