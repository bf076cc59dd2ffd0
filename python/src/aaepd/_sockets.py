"""Sockets of daemons, each looked at before it is trusted: who owns it, who could change it, and who listens."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator


def socket_path() -> str:
    """Where `aaepd serve` listens, if AAEPD_SOCKET does not say it."""
    folder = f"/tmp/aaep-{os.getuid()}"
    if sys.platform == "darwin":
        folder = os.path.expanduser("~/Library/Application Support/AAEP")
    elif os.environ.get("XDG_RUNTIME_DIR"):
        folder = os.path.join(os.environ["XDG_RUNTIME_DIR"], "aaep")
    return os.path.join(folder, "aaepd.sock")


def connect_to_serve() -> socket.socket | None:
    """Connects to the daemon of this user. None if there is none. Raises PermissionError for a socket that is not this user's alone."""
    if not hasattr(os, "getuid"):
        return None
    named = os.environ.get("AAEPD_SOCKET")
    try:
        return connect_own(named or socket_path(), is_usual=not named)
    except PermissionError:
        raise
    except (OSError, ValueError):
        return None


def connect_own(path: str, is_usual: bool = False) -> socket.socket:
    """Connects to a socket of this user's own, as `own_socket` says, at which a process of this user or of root listens."""
    with own_socket(path, is_usual) as address:
        return connect_peer(address, path)


@contextlib.contextmanager
def own_socket(path: str, is_usual: bool = False) -> Iterator[str]:
    """An address of a socket. The socket and its folder are this user's or root's, and nobody else can change them. A link to a folder that was named
    is followed first.

    Linux with /proc: the address stands for the file that was looked at, whatever stands at the path later. Elsewhere it is the path, and only the look
    of `connect_peer` at who listens covers a folder above that somebody else has replaced meanwhile. is_usual: the folder is this user's alone. Raises
    PermissionError if it is not so, and FileNotFoundError if there is no socket.
    """
    folder, name = os.path.split(path)
    if not is_usual:
        folder = os.path.realpath(folder)
    looking = os.O_NOFOLLOW | getattr(os, "O_PATH", os.O_RDONLY)
    mine, held = os.getuid(), None
    try:
        at = os.open(folder, looking | os.O_DIRECTORY)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise PermissionError(f"{folder} is a link, or no folder.") from error
        raise
    try:
        around = os.fstat(at)
        is_private = around.st_uid == mine and not around.st_mode & 0o077
        is_open = writable_for_others(around) and not around.st_mode & stat.S_ISVTX
        if not is_private and (is_usual or is_open or around.st_uid not in (mine, 0)):
            raise PermissionError(f"the folder {folder} is not yours alone: user {around.st_uid}, mode {stat.S_IMODE(around.st_mode):o}.")
        if hasattr(os, "O_PATH"):
            held = os.open(name, looking, dir_fd=at)
        found = os.stat(name, dir_fd=at, follow_symlinks=False) if held is None else os.fstat(held)
        if not stat.S_ISSOCK(found.st_mode):
            raise PermissionError(f"{path} is no socket.")
        if found.st_uid not in (mine, 0) or (found.st_uid == mine and not is_private and writable_for_others(found)):
            raise PermissionError(f"{path} is not yours alone: user {found.st_uid}, mode {stat.S_IMODE(found.st_mode):o}.")
        file = f"/proc/self/fd/{held}"
        yield file if held is not None and os.path.lexists(file) else path
    finally:
        os.close(at)
        if held is not None:
            os.close(held)


def writable_for_others(found: os.stat_result) -> int:
    """The user's own group, which has the user's number, has no other member. Group 0 has others on some systems."""
    is_own_group = 0 != os.getuid() == found.st_gid == os.getgid()
    return found.st_mode & (0o002 if is_own_group else 0o022)


def connect_peer(address: str, path: str) -> socket.socket:
    """Connects to an address of `own_socket`, and asks the kernel who listens. Raises PermissionError if it is neither this user nor root, and where the
    kernel does not say it."""
    # (SOL_SOCKET, SO_PEERCRED), otherwise (SOL_LOCAL, LOCAL_PEERCRED). The second number of both answers is the user's.
    asking = {"linux": (1, getattr(socket, "SO_PEERCRED", 17)), "darwin": (0, 1), "freebsd": (0, 1)}.get(sys.platform.rstrip("0123456789"))
    if asking is None:
        raise PermissionError(f"{sys.platform} does not say who listens at {path}.")
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(address)
        user = struct.unpack_from("2I", connection.getsockopt(asking[0], asking[1], 76))[1]
        if user not in (os.getuid(), 0):
            raise PermissionError(f"user {user} listens at {path}.")
        return connection
    except BaseException:
        connection.close()
        raise
