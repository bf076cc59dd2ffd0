"""A daemon for the tests: `aaepd serve`, the program of TESTED_PROGRAM, in folders of its own."""

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import tempfile
import time
import unittest

PROGRAM = shlex.split(os.environ["TESTED_PROGRAM"])
PATIENCE_S = 30


def eventually(holds):
    """Waits until something is true, and returns it."""
    over = time.monotonic() + PATIENCE_S
    while time.monotonic() < over:
        if found := holds():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come true")


class WithDaemon(unittest.TestCase):
    options: list[str] = []

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        names = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME")
        self.environment = {name: os.path.join(self.folder, name.lower()) for name in names}
        for path in self.environment.values():
            os.mkdir(path, 0o700)
        before = {name: os.environ.get(name) for name in self.environment}
        os.environ.update(self.environment)
        self.addCleanup(lambda: [os.environ.pop(name) if value is None else os.environ.update({name: value}) for name, value in before.items()])
        self.serve()
        self.addCleanup(self.kill)

    def enterContext(self, context):  # of unittest since 3.11
        self.stack = getattr(self, "stack", None) or contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        return self.stack.enter_context(context)

    def serve(self):
        self.daemon = subprocess.Popen([*PROGRAM, "serve", *self.options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        line = self.daemon.stdout.readline()
        if b"endpoints" not in line:
            raise AssertionError(f"the daemon did not start: {line!r}")
        self.path = os.path.join(self.environment["XDG_RUNTIME_DIR"], "aaep", "aaepd.sock")

    def kill(self):
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()
        self.daemon.stdout.close()

    def can_connect(self):
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as connection:
            return connection.connect_ex(self.path) == 0
