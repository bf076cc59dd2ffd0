"""A channel to the daemon, and what it says when a call fails. A part of grpc_agent.py and grpc_subscriber.py, which say how to run them."""

import contextlib
import pathlib

import grpc
from grpc_status import rpc_status

from aaep.v1.handshake_pb2 import AaepdError
from aaep_agent import connect_own

GONE = "There is no daemon there, or it has gone"

OPTIONS = [
    # A stream that is tried again would keep all that it sent in memory, and repeat it.
    ("grpc.enable_retries", 0),
    # A connection that has died is noticed, also while nothing is said. The daemon allows a ping every 10 seconds.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    # It is on this machine: no proxy of the environment may see it.
    ("grpc.enable_http_proxy", 0),
]


@contextlib.asynccontextmanager
async def connect(address, token_file):
    """The channel, and the metadata for each call. An address is unix:/path/to.sock or 127.0.0.1:PORT; only the latter needs a token.

    A channel to a socket is one to the daemon that listens there now: after UNAVAILABLE, connect again.
    """
    options = list(OPTIONS)
    metadata = []
    if token_file is not None:
        metadata.append(("authorization", "Bearer " + pathlib.Path(token_file).read_text("utf-8").strip()))
    if address.startswith("unix:"):
        # Else the path would be sent as the host's name, percent-encoded, which not every server takes.
        options.append(("grpc.default_authority", "localhost"))
        try:
            # The channel cannot be asked who listens. Nobody else can put another socket there later.
            connect_own(address[len("unix:") :]).close()
        except (FileNotFoundError, ConnectionRefusedError) as error:
            raise OSError(f"{GONE}: {error}") from error
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        yield channel, metadata


def add_arguments(parser):
    """The two options that every example has."""
    parser.add_argument("--address", required=True, help="unix:/path/to.sock, or 127.0.0.1:PORT")
    parser.add_argument("--token-file", help="for 127.0.0.1: the file with the daemon's token")


def sentence_of(error):
    """What the daemon says of a call that failed."""
    status = rpc_status.from_call(error)
    for detail in status.details if status is not None else []:
        fault = AaepdError()
        if detail.Unpack(fault):
            return fault_sentence(fault)
    if error.code() == grpc.StatusCode.UNAVAILABLE:
        return f"{GONE}: {error.details()}"
    return f"{error.code().name}: {error.details()}"


def fault_sentence(fault):
    """An AaepdError in words."""
    if fault.code == "shutting_down":
        return "The daemon is shutting down. Connect again when it is back."
    where = f" at {fault.pointer}" if fault.pointer else ""
    rule = f", {fault.rule}" if fault.rule else ""
    return f"{fault.message} ({fault.code}{where}{rule})"
