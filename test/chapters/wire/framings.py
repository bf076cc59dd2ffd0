"""Where a message ends on a stream of bytes (AAEP §8.2.2, B.4.4, B.6.1). Each framing wraps the bytes of one message and reads the next one."""

import struct
from collections import namedtuple

# `unwrap` answers None at the end of the stream.
Framing = namedtuple("Framing", "name wrap unwrap")


def whole(stream, length):
    data = stream.read(length)
    if len(data) < length:
        raise EOFError(f"the stream ended {length - len(data)} bytes before the end of a message")
    return data


def read_prefixed(stream):
    head = stream.read(4)
    return None if head == b"" else whole(stream, struct.unpack(">I", head)[0])


def read_line(stream):
    line = stream.readline()
    if line == b"":
        return None
    if not line.endswith(b"\n"):
        raise EOFError("the stream ended in the middle of a line")
    return line[:-1]


def read_headed(stream):
    length = None
    while True:
        line = stream.readline()
        if line == b"":
            return None
        name, _, value = line.strip().partition(b":")
        if name == b"" and length is not None:
            return whole(stream, length)
        if name.lower() == b"content-length":
            length = int(value)


LENGTH_PREFIX = Framing("length prefix", lambda data: struct.pack(">I", len(data)) + data, read_prefixed)
LINES = Framing("lines", lambda data: data + b"\n", read_line)
HEADERS = Framing("headers", lambda data: b"Content-Length: %d\r\n\r\n" % len(data) + data, read_headed)
