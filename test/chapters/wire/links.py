"""What carries messages: a socket or a child's pipes, with a thread that reads, so that every wait has an end."""

import json
import queue
import socket
import subprocess
import threading

from checks import Differs

# How long anything may take that is to come at all. A hang is told by it; nothing is measured.
PATIENCE_SECONDS = 20


class Inbox:
    """Messages in the order they came in, and None once where they end."""

    def __init__(self):
        self.queue = queue.Queue()

    def put(self, message):
        self.queue.put(message)

    def take(self):
        try:
            return self.queue.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise Differs(f"Nothing more came within {PATIENCE_SECONDS} seconds.") from None


class ByteLink:
    """One JSON message in each frame, both ways, over two streams of bytes."""

    def __init__(self, framing, reader, writer, hang_up):
        self.framing, self.reader, self.writer, self.hang_up = framing, reader, writer, hang_up
        self.inbox = Inbox()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            for data in iter(lambda: self.framing.unwrap(self.reader), None):
                self.inbox.put(json.loads(data.decode("utf-8")))
        except (OSError, EOFError, ValueError) as broken:
            self.inbox.put({"type": "(broken)", "why": str(broken)})
        finally:
            self.inbox.put(None)

    def send(self, message):
        self.writer.write(self.framing.wrap(json.dumps(message, ensure_ascii=False).encode("utf-8")))
        self.writer.flush()


def connect(path):
    """B.4.3. Answers the connection, and how to hang up."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(path)

    def hang_up():
        # Shut down first: the reading thread still holds the socket, and the daemon is to see the end now.
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()

    return connection, hang_up


def socket_link(path, framing):
    connection, hang_up = connect(path)
    return ByteLink(framing, connection.makefile("rb"), connection.makefile("wb"), hang_up)


def child_link(command, framing):
    """B.6.4: the daemon is this program's child. Hanging up is the end of its standard input, and waits until it has ended."""
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def hang_up():
        child.stdin.close()
        child.wait(timeout=PATIENCE_SECONDS)

    link = ByteLink(framing, child.stdout, child.stdin, hang_up)
    link.child = child
    return link
