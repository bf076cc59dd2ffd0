"""One call of HTTP/2 (RFC 9113), over a connection of its own: frames, flow control both ways, and nothing that one call can do without."""

import struct
import threading

from wire import hpack
from wire.links import PATIENCE_SECONDS, connect

DATA, HEADERS, RESET, SETTINGS, PING, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 8, 9
END_STREAM, ACK, END_HEADERS, PADDED, PRIORITY = 1, 1, 4, 8, 32
HEADER_TABLE_SIZE, ENABLE_PUSH, INITIAL_WINDOW_SIZE = 1, 2, 4
STREAM = 1
LARGEST_FRAME = 16_384


class Call:
    """`on_data` gets the bytes of the answer as they come, `on_end` the trailers once: those of an ending without any are {}."""

    def __init__(self, path, headers, on_data, on_end):
        self.on_data, self.on_end = on_data, on_end
        self.windows = {0: 65_535, STREAM: 65_535}
        self.first_window = 65_535
        self.room = threading.Condition()
        self.writing = threading.Lock()
        self.has_ended = False
        self.block, self.ends_with_block = b"", False
        self.connection, self.hang_up = connect(path)
        self.stream = self.connection.makefile("rb")
        self.connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.frame(SETTINGS, 0, 0, struct.pack(">HIHI", HEADER_TABLE_SIZE, 0, ENABLE_PUSH, 0))
        self.frame(HEADERS, END_HEADERS, STREAM, hpack.encode(headers))
        threading.Thread(target=self.read, daemon=True).start()

    def frame(self, kind, flags, stream, payload):
        head = struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream)
        with self.writing:
            self.connection.sendall(head + payload)

    def send(self, data, is_last=False):
        """Waits for the peer's windows; an end of the connection ends the waiting."""
        while True:
            with self.room:
                if not self.room.wait_for(self.may_send, PATIENCE_SECONDS):
                    raise OSError("the peer gives no room to send")
                if self.has_ended:
                    raise OSError("the call has ended")
                size = min(len(data), LARGEST_FRAME, *self.windows.values())
                for stream in self.windows:
                    self.windows[stream] -= size
            part, data = data[:size], data[size:]
            self.frame(DATA, END_STREAM if is_last and data == b"" else 0, STREAM, part)
            if data == b"":
                return

    def may_send(self):
        return self.has_ended or min(self.windows.values()) > 0

    def read(self):
        try:
            while True:
                head = self.stream.read(9)
                if len(head) < 9:
                    return
                length = struct.unpack(">I", b"\0" + head[:3])[0]
                self.take(head[3], head[4], struct.unpack(">I", head[5:])[0] & 0x7FFFFFFF, self.stream.read(length))
        except OSError:
            # It was hung up.
            pass
        finally:
            self.end({})

    def take(self, kind, flags, stream, payload):
        if kind == DATA:
            if payload != b"":
                for one in (0, STREAM):
                    self.frame(WINDOW, 0, one, struct.pack(">I", len(payload)))
            self.on_data(unpadded(payload, flags))
            if flags & END_STREAM:
                self.end({})
        elif kind in (HEADERS, CONTINUATION):
            if kind == HEADERS:
                self.block, self.ends_with_block = b"", bool(flags & END_STREAM)
                payload = unpadded(payload, flags)[5 if flags & PRIORITY else 0 :]
            self.block += payload
            if flags & END_HEADERS and self.ends_with_block:
                self.end(hpack.decode(self.block))
        elif kind == SETTINGS and not flags & ACK:
            self.settle(payload)
            self.frame(SETTINGS, ACK, 0, b"")
        elif kind == PING and not flags & ACK:
            self.frame(PING, ACK, 0, payload)
        elif kind == WINDOW:
            with self.room:
                self.windows[stream] += struct.unpack(">I", payload)[0]
                self.room.notify_all()
        elif kind == RESET:
            self.end({})

    def settle(self, payload):
        for at in range(0, len(payload), 6):
            name, value = struct.unpack(">HI", payload[at : at + 6])
            if name == INITIAL_WINDOW_SIZE:
                with self.room:
                    self.windows[STREAM] += value - self.first_window
                    self.first_window = value
                    self.room.notify_all()

    def end(self, trailers):
        with self.room:
            was_over, self.has_ended = self.has_ended, True
            self.room.notify_all()
        if not was_over:
            self.on_end(trailers)


def unpadded(payload, flags):
    return payload[1 : len(payload) - payload[0]] if flags & PADDED else payload
