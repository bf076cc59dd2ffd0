"""AaepService of B.5.1 over gRPC: AAEP's JSON in field 1 of a message, its type in field 2."""

import json
import struct
from urllib.parse import unquote

from wire.http2 import Call
from wire.links import Inbox

SERVICE = "aaep.v1.AaepService"


def varint(value):
    data = b""
    while value > 127:
        data, value = data + bytes([value & 127 | 128]), value >> 7
    return data + bytes([value])


def field(number, data):
    """A field of bytes or text."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def read_varint(data, at):
    value, shift = 0, 0
    while True:
        value, more = value | (data[at] & 127) << shift, data[at] & 128
        at, shift = at + 1, shift + 7
        if not more:
            return value, at


def fields(data):
    """Each field by its number; all of this service are bytes or text."""
    found, at = {}, 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 != 2:
            raise ValueError(f"field {tag >> 3} is neither bytes nor text")
        length, at = read_varint(data, at)
        found[tag >> 3], at = data[at : at + length], at + length
    return found


def prefixed(data):
    """A message of gRPC: not compressed, its length, its bytes."""
    return struct.pack(">BI", 0, len(data)) + data


class GrpcLink:
    """One call of the service. What comes is AAEP's messages, then `{"type": "(status)"}` with the status of the call, then None."""

    def __init__(self, path, method):
        self.inbox, self.data = Inbox(), b""
        headers = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", f"/{SERVICE}/{method}"),
            (":authority", "localhost"),
            ("te", "trailers"),
            ("content-type", "application/grpc"),
        ]
        self.call = Call(path, headers, self.take, self.ended)
        self.hang_up = self.call.hang_up

    def take(self, data):
        self.data += data
        while len(self.data) >= 5:
            is_compressed, length = struct.unpack(">BI", self.data[:5])
            if is_compressed or len(self.data) < 5 + length:
                return
            message, self.data = self.data[5 : 5 + length], self.data[5 + length :]
            self.inbox.put(self.read(fields(message)))

    def read(self, message):
        document = json.loads(message[1].decode("utf-8"))
        named = message.get(2, b"").decode("utf-8")
        if named not in ("", document.get("type")):
            return {"type": "(broken)", "why": f"message_type is {named} and the message's type {document.get('type')}"}
        return document

    def ended(self, trailers):
        words = unquote(trailers.get("grpc-message", ""))
        self.inbox.put({"type": "(status)", "status": trailers.get("grpc-status"), "words": words})
        self.inbox.put(None)

    def send(self, message):
        data = json.dumps(message, ensure_ascii=False).encode("utf-8")
        self.call.send(prefixed(field(1, data) + field(2, message["type"].encode("utf-8"))))


def manifest(path):
    """GetManifest."""
    link = GrpcLink(path, "GetManifest")
    link.call.send(prefixed(b""), is_last=True)
    document = link.inbox.take()
    link.hang_up()
    return document
