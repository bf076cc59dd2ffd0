"""A daemon for the tests, `aaepd serve`, the program of TESTED_PROGRAM, in folders of its own; and a listener."""

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from aaepd import subscribe

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


class Heard:
    """A listener in a thread: what it heard, and its answers."""

    def __init__(self, decision="accept", answers=True):
        """decision: of every question for consent, or a function of its event; None answers nothing. answers: whether it can."""
        self.events = []
        self.faults = []
        self.outcomes = {}
        can_answer = {"supports_confirmation_reply": True, "supports_clarification_reply": True}
        self.subscription = subscribe(can_answer if answers else {}, on_error=self.faults.append)

        def listen():
            for event in self.subscription:
                self.events.append(event)
                if event["type"].endswith("awaiting.confirmation"):
                    decided = decision(event) if callable(decision) else decision
                    if decided is not None:
                        self.subscription.confirm(event["reply_token"], decided)
                if event["type"].endswith("awaiting.clarification"):
                    self.subscription.clarify(event["reply_token"], "blue")
                own = event.get("extensions", {}).get("aaepd", {})
                if "decision" in own:
                    self.outcomes.setdefault(own["question"], []).append(own["decision"])

        self.thread = threading.Thread(target=listen)
        self.thread.start()
        eventually(lambda: self.subscription._subscription_id)

    def types(self):
        return [event["type"].removeprefix("aaep:agent.") for event in list(self.events)]

    def text(self):
        return "".join(event["chunk"] for event in list(self.events) if "chunk" in event)

    def asked(self, count):
        """The questions, once there are so many."""

        def found():
            questions = [event for event in list(self.events) if ".awaiting." in event["type"]]
            return questions if len(questions) >= count else None

        return eventually(found)

    def ends(self):
        return eventually(lambda: [event for event in list(self.events) if "session." in event["type"] and "started" not in event["type"]])

    def close(self):
        self.subscription.close()
        self.thread.join(PATIENCE_S)


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

    def hear(self, *given, **options):
        heard = Heard(*given, **options)
        self.addCleanup(heard.close)
        return heard
