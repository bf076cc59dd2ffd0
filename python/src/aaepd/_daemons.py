"""Connections to a daemon: that of `aaepd serve`, otherwise one of this agent's own."""

from __future__ import annotations

import collections
import contextlib
import io
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, cast

from ._sockets import connect_to_serve

LONGEST_LINE = 4_194_304
"""Bytes of one answer; after that the agent is silent."""
LONGEST_WAIT_S = 2
"""For the daemon at the beginning and at the end."""


@dataclass(frozen=True)
class Link:
    """A connection: what writes to it, its lines, what ends it and then closes its files, what closes the files that a forked child has of it, and the
    last words of a daemon of one's own."""

    write: Callable[[bytes], object]
    lines: IO[bytes]
    hang_up: Callable[[], object]
    close: Callable[[], object]
    let_go: Callable[[], object]
    last_words: Callable[[], str]
    is_own: bool


def link_to_serve() -> Link | None:
    """None if no daemon runs. Raises PermissionError for a socket that is not this user's alone."""
    connection = connect_to_serve()
    if connection is None:
        return None

    def hang_up() -> None:
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    lines = connection.makefile("rb")

    def close() -> None:
        lines.close()
        connection.close()

    def let_go() -> None:
        os.close(connection.detach())  # the lock of `lines` may be held by a thread that the child has not

    return Link(connection.sendall, lines, hang_up, close, let_go, lambda: "", is_own=False)


def link_to_own(command: Sequence[str]) -> Link:
    """Starts a daemon. Raises OSError if it cannot be started."""
    # In a session of its own, so that an interrupt at the terminal reaches the agent alone. Windows finds a .cmd only by its path.
    daemon = subprocess.Popen(
        [shutil.which(command[0]) or command[0], *command[1:]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        bufsize=0,
    )
    assert daemon.stdin is not None and daemon.stderr is not None  # they are pipes
    given, told = daemon.stdin, daemon.stderr
    answers = cast(io.RawIOBase, daemon.stdout)
    last: collections.deque[bytes] = collections.deque(maxlen=5)

    def read() -> None:
        with open(told.fileno(), "rb", closefd=False) as lines:
            last.extend(iter(lambda: lines.readline(1000), b""))

    reading = threading.Thread(target=read, daemon=True)
    reading.start()

    def write(line: bytes) -> None:
        # An unbuffered pipe takes what fits.
        left = memoryview(line)
        while left:
            left = left[given.write(left) :]

    def hang_up() -> None:
        with contextlib.suppress(OSError):
            given.close()  # the end of its input is the daemon's orderly end
        try:
            daemon.wait(2 * LONGEST_WAIT_S)
        except subprocess.TimeoutExpired:
            daemon.kill()

    def last_words() -> str:
        reading.join(LONGEST_WAIT_S)
        return b" ".join(line.strip() for line in last).decode(errors="replace")

    def close() -> None:
        reading.join(LONGEST_WAIT_S)
        let_go()

    def let_go() -> None:
        for file in (given, answers, told):
            file.close()

    return Link(write, io.BufferedReader(answers), hang_up, close, let_go, last_words, is_own=True)


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """The whole lines of a file. Raises ValueError if one is longer than LONGEST_LINE."""
    for line in iter(lambda: file.readline(LONGEST_LINE), b""):
        if line.endswith(b"\n"):
            yield line
        elif len(line) == LONGEST_LINE:
            raise ValueError(f"a line has more than {LONGEST_LINE} bytes")
