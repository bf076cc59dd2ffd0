"""A listener's memory of events and text, by which it drops what comes again after a loss (R12). Knows no connection."""

from __future__ import annotations

import os.path
from typing import Any

from ._messages import text_in

MOST_IDS = 10_000
MOST_OUTPUTS = 256
MOST_CHARACTERS = 16_384
"""The last ones of an output, at least those of the longest event."""


class Received:
    def __init__(self) -> None:
        self._connection = 0
        self._ids: dict[str, int] = {}  # the connection on which each was heard last
        self._outputs: dict[tuple[str, str], _Text] = {}

    def reconnected(self) -> None:
        """Events and text may come again, also merged and cut in another way."""
        self._connection += 1

    def news(self, event: dict[str, Any]) -> dict[str, Any] | None:
        """The event to show, its text without what was heard; None if nothing of it is new. An open question comes on each connection."""
        kind, chunk, position = text_in(event, "type"), event.get("chunk"), event.get("position")
        # Not by its id: merged text has that of its place, where other text may stand after a crash.
        if kind.endswith("output.streaming") and isinstance(chunk, str) and isinstance(position, int):
            key = (text_in(event, "session_id"), text_in(event, "output_id"))
            text = self._outputs[key] = self._outputs.pop(key) if key in self._outputs else _Text()
            if len(self._outputs) > MOST_OUTPUTS:
                del self._outputs[next(iter(self._outputs))]
            heard = text.take(chunk, position, event.get("complete") is True)
            return None if heard is None else {**event, "chunk": chunk[heard:], "position": position + heard}
        event_id = text_in(event, "event_id")
        heard_on = self._ids.pop(event_id, None)
        self._ids[event_id] = self._connection
        if len(self._ids) > MOST_IDS:
            del self._ids[next(iter(self._ids))]
        if heard_on is None and kind.endswith("session.started"):
            # A session that begins under an id that was there before writes new text, however equal.
            begun = text_in(event, "session_id")
            self._outputs = {key: text for key, text in self._outputs.items() if key[0] != begun}
        is_asked_again = ".awaiting." in kind and heard_on != self._connection
        return event if heard_on is None or is_asked_again else None


class _Text:
    """One output, as far as it was heard: its end, and the text before it."""

    def __init__(self) -> None:
        self._end, self._tail, self._is_complete = 0, "", False

    def take(self, chunk: str, position: int, completes: bool) -> int | None:
        """How many characters were heard before; None if nothing is new, the completion neither."""
        end, begin = position + len(chunk), self._end - len(self._tail)
        known = position
        if position < self._end:  # text before the tail is known by its position alone
            at, to = max(position, begin), min(self._end, end)
            if at < to:
                at += len(os.path.commonprefix([self._tail[at - begin : to - begin], chunk[at - position : to - position]]))
            known = min(at, end)
        if known == end and (not completes or (self._is_complete and end == self._end)):
            return None
        # A crash has taken back what stood behind; across a gap nothing is compared.
        kept = "" if known > self._end else self._tail[: max(0, known - begin)]
        self._tail = (kept + chunk[known - position :])[-MOST_CHARACTERS:]
        self._end, self._is_complete = end, completes
        return known - position
