"""Makes a Python program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.

Copy this file into a project. It needs Python 3.8, the standard library alone, and the program aaepd on the machine.
`python3 examples/python/banking_agent.py` runs an agent that uses it.

Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
"""

import contextlib
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import threading
import uuid
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late

LONGEST_TEXT = 4000  # characters of one event
LONGEST_QUEUE = 16_384  # calls that wait for the daemon
LONGEST_ANSWER_S = 20  # from the daemon, where no person is asked
LONGEST_CLOSE_S = 2
GONE = "The daemon did not start, or has gone: the agent is silent."


class Declined(Exception):
    """An irreversible tool was not called. resolved_by is "reply" if a person declined, otherwise "timeout", "no_subscriber" and so on."""

    def __init__(self, resolved_by):
        super().__init__(f"nobody accepted the call: {resolved_by}")
        self.resolved_by = resolved_by


class Agent:
    """Connects to the daemon of `aaepd serve`, otherwise starts one for this agent alone, otherwise is silent.

    If the connection is lost, the agent is silent too. Make another one then. agent_id is a stable name without a version, and name is for people.
    program is aaepd, and arguments are further options of `aaepd stdio`. on_error receives sentences about what goes wrong, in any thread, and returns soon.
    """

    def __init__(self, agent_id, name=None, *, program=("npx", "--no", "--", "aaepd"), arguments=(), on_error=lambda sentence: None):
        self.on_error = on_error
        self.lock = threading.RLock()  # of all that follows, and of the sessions
        self.queue = queue.Queue(LONGEST_QUEUE)
        self.asked = {}
        self.ids = 0
        self.is_over = False
        self.hanging_up = threading.Thread(target=lambda: self.hang_up(), daemon=True)
        self.hang_up = lambda: None
        try:
            write, lines = self._connect([*program, "stdio", "--producer-id", agent_id, *arguments])
        except OSError as error:
            self._end(f"There is no daemon, so the agent is silent: {error}")
            return
        threading.Thread(target=self._write, args=(write,), daemon=True).start()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        manifest = {"@context": "https://aaep-protocol.org/context/v1", "type": "aaep:producer.manifest"}
        met = self._ask("aaep.set_manifest", {**manifest, "agent_id": agent_id, "agent_name": name or agent_id}, LONGEST_ANSWER_S)
        if "fault" in met:
            self._end(met["fault"])

    def session(self, description):
        """A task that people can follow: `with agent.session("Looks for a book.") as s:`."""
        return Session(self, description)

    def close(self):
        """Waits until the daemon has everything, and ends the connection. It takes a few seconds at most."""
        self._ask("aaep.ping", {}, LONGEST_CLOSE_S)
        self._end(None)
        self.hanging_up.join(3 * LONGEST_CLOSE_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _send(self, method, params, answered=None):
        """Lets a call wait for its turn. Without a future for its answer it is a notification."""
        with self.lock:
            call = {"jsonrpc": "2.0", "method": method, "params": params}
            if self.is_over:
                if answered is not None:
                    answered.set_result({"resolved_by": "no_subscriber", "fault": "The agent is silent."})
                return
            if answered is not None:
                self.ids += 1
                call["id"] = self.ids
                self.asked[self.ids] = answered
            try:
                self.queue.put_nowait(call)
            except queue.Full:
                self._end("The daemon takes nothing: the agent is silent.")

    def _ask(self, method, params, patience_s):
        """Sends a request, and waits for its answer: the result, or a fault."""
        answered = Future()
        self._send(method, params, answered)
        try:
            return answered.result(patience_s)
        except Late:
            return {"resolved_by": "timeout", "fault": "The daemon does not answer."}

    def _write(self, write):
        try:
            while (call := self.queue.get()) is not None and not self.is_over:
                write(json.dumps(call, default=str).encode() + b"\n")
        except Exception as error:  # what JSON cannot hold, too
            self._end(f"The agent is silent: {error}")

    def _read(self, lines):
        try:
            for line in lines:
                message = json.loads(line)
                fault = message.get("error") or (message["params"] if message.get("method") == "aaep.error" else None)
                if fault is not None:
                    self._tell(fault["message"])
                with self.lock:
                    answered = self.asked.pop(message.get("id"), None)
                if answered is not None:
                    answered.set_result(message["result"] if fault is None else {"resolved_by": "cancelled", "fault": fault["message"]})
        except (OSError, ValueError):
            pass
        self._end(GONE)

    def _end(self, fault):
        """Makes the agent silent: nothing that was asked is answered any more."""
        with self.lock:
            if self.is_over:
                return
            self.is_over = True
            asked, self.asked = self.asked, {}
        with contextlib.suppress(queue.Full):
            self.queue.put_nowait(None)  # wakes the thread that writes
        self.hanging_up.start()
        if fault is not None:
            self._tell(fault)
        for answered in asked.values():
            answered.set_result({"resolved_by": "cancelled", "fault": GONE})

    def _tell(self, fault):
        with contextlib.suppress(Exception):  # a mistake in on_error is no reason to stop
            self.on_error(fault)

    def _connect(self, command):
        """Finds the daemon of this user, or starts one. Returns what writes to it, and its lines."""
        connection = socket.socket(getattr(socket, "AF_UNIX", socket.AF_INET))
        try:
            connection.connect(socket_path())
            self.hang_up = lambda: connection.shutdown(socket.SHUT_RDWR)
            return connection.sendall, connection.makefile("rb")
        except (OSError, TypeError):
            connection.close()
        # In a session of its own, so that an interrupt at the terminal reaches the agent alone.
        command[0] = shutil.which(command[0]) or command[0]  # Windows finds npx.cmd only so
        daemon = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)

        def hang_up():
            daemon.stdin.raw.close()  # the end of its input is the daemon's orderly end
            try:
                daemon.wait(2 * LONGEST_CLOSE_S)
            except subprocess.TimeoutExpired:
                daemon.kill()

        self.hang_up = hang_up
        return daemon.stdin.raw.write, daemon.stdout


class Session:
    """One task of the agent. Its calls may come from any thread, and are heard in their order."""

    def __init__(self, agent, description):
        self.agent = agent
        self.session_id = "sess_" + uuid.uuid4().hex
        self.description = description
        self.state = "idle"
        self.output_id = None
        self.asking = self.underway = 0  # questions and tools that are open
        self.is_over = False

    def __enter__(self):
        self.publish("session.started", summary_normal=self.description)
        self._change("thinking")
        return self

    def __exit__(self, kind, error, _):
        """Ends the session as completed, as errored if the task failed, and as cancelled if it was interrupted."""
        if kind is None:
            self.complete(self.description)
        elif issubclass(kind, Exception):
            self._end("session.errored", summary_normal=brief(error) or self.description, error_category="unknown")
        else:
            self._end("session.cancelled", summary_normal=self.description, cancelled_by="user")

    def complete(self, summary):
        """Ends the session with a summary of its result."""
        self._end("session.completed", summary_normal=summary)

    def text(self, chunk):
        """Appends a token to the session's text. It returns at once."""
        with self.agent.lock:
            if self.output_id is None:
                self._change("writing_output")
                self.output_id = "out_" + uuid.uuid4().hex
            for start in range(0, len(chunk), LONGEST_TEXT):
                piece = chunk[start : start + LONGEST_TEXT]
                self.publish("output.streaming", output_id=self.output_id, chunk=piece, complete=False)

    def publish(self, kind, **members):
        """Publishes an event that has no call of its own, such as "progress.updated"."""
        if not self.is_over:
            self.agent._send("aaep.publish", self._event(kind, members))

    def tool(self, name, run, *, summary=None, completed=None, irreversible=False, **question):
        """Runs a tool, and returns its result, or raises its error. completed is a sentence about the result, or a function that makes one.

        If the call is irreversible, run is called only after a person has accepted, and Declined is raised otherwise. The question may have an action
        (default: summary), a consequence, timeout_seconds, and extra_context: facts for the person who decides.
        """
        tool = {"tool": name, "tool_call_id": "call_" + uuid.uuid4().hex}
        invoked = {**tool, "summary_normal": summary or name, "risk_level": "high" if irreversible else "low"}
        with self.agent.lock:
            self.underway += 1
            self._end_output()
            if not irreversible:
                self._change("calling_tool")
                self.publish("tool.invoked", **invoked)
        try:
            if irreversible:
                self._consent(tool, invoked, question)
            try:
                result = run()
            except Exception as error:
                self.publish("tool.completed", **tool, status="error", error_message=brief(error))
                raise
            told = completed(result) if callable(completed) else completed
            self.publish("tool.completed", **tool, status="success", **({} if told is None else {"summary_normal": told}))
            return result
        finally:
            with self.agent.lock:
                self.underway -= 1
                if self.underway == 0:
                    self._change("thinking")

    def _consent(self, tool, invoked, question):
        """Asks a person, and then the daemon, which takes the call only after an accepting reply. A default never counts."""
        asked = {
            "action": invoked["summary_normal"],
            "consequence": "It cannot be undone.",
            "timeout_seconds": 300,
            **question,
            "session_id": self.session_id,
            "risk_level": "high",
            "irreversible": True,
            "default_decision": "reject",
            "extra_context": {**question.get("extra_context", {}), **tool},
        }
        with self.agent.lock:
            self.asking += 1
        try:
            outcome = self.agent._ask("aaep.confirm", asked, asked["timeout_seconds"] + LONGEST_ANSWER_S)
        finally:
            with self.agent.lock:
                self.asking -= 1
        if outcome.get("decision") != "accept" or outcome["resolved_by"] != "reply":
            raise Declined(outcome["resolved_by"])
        self._change("calling_tool")
        taken = self.agent._ask("aaep.publish", self._event("tool.invoked", {**invoked, "irreversible": True}), LONGEST_ANSWER_S)
        if "fault" in taken:
            self.publish("tool.completed", **tool, status="timeout")
            raise Declined("cancelled")

    def _event(self, kind, members):
        return {**members, "type": "aaep:agent." + kind, "session_id": self.session_id}

    def _change(self, state):
        """Tells another state of the agent. While a question is open, the state is the question's."""
        with self.agent.lock:
            if self.state != state and self.asking == 0:
                self.publish("state.changed", from_state=self.state, to_state=state)
                self.state = state

    def _end_output(self):
        if self.output_id is not None:
            self.publish("output.streaming", output_id=self.output_id, chunk="", complete=True)
            self.output_id = None

    def _end(self, kind, **members):
        with self.agent.lock:
            if not self.is_over:
                self._end_output()
                self.publish(kind, **members)
                self.is_over = True


def socket_path():
    """Where `aaepd serve` listens."""
    folder = f"/tmp/aaep-{os.getuid()}" if hasattr(os, "getuid") else ""
    if sys.platform == "darwin":
        folder = os.path.expanduser("~/Library/Application Support/AAEP")
    elif os.environ.get("XDG_RUNTIME_DIR"):
        folder = os.path.join(os.environ["XDG_RUNTIME_DIR"], "aaep")
    return os.environ.get("AAEPD_SOCKET") or os.path.join(folder, "aaepd.sock")


def brief(error):
    return str(error)[:LONGEST_TEXT]
