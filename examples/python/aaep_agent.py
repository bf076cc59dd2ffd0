"""Makes a Python program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.

Copy this file into a project. It needs Python 3.8, the standard library alone, and the program aaepd on the machine.
`python3 examples/python/banking_agent.py` runs an agent that uses it.

Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
"""

import atexit
import collections
import contextlib
import errno
import itertools
import json
import os
import re
import secrets
import shutil
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from types import SimpleNamespace

LONGEST_TEXT = 4000  # characters of one event
MOST_QUEUED = 1024  # calls that wait for the daemon; further text is dropped
LONGEST_QUEUE = 16_384  # calls that wait; after that the agent is silent
LONGEST_LINE = 4_194_304  # bytes of one answer; after that the agent is silent
LONGEST_ANSWER_S = 20  # from the daemon, where no person is asked
LONGEST_ABSENCE_S = 10  # of a lost daemon, for those who wait for its answer
LONGEST_WAIT_S = 2  # for the daemon at the beginning and at the end
PAUSE_S = 0.5  # between attempts to come back
# Offline, so that npm asks no registry, which takes a minute without a network, and silent, because it would speak of packages.
NPX = ("npx", "--no", "--offline", "--loglevel=silent", "--", "aaepd")
REMEDY = 'Install the package aaepd, run `aaepd serve`, or name the program: Agent(…, program=["/path/to/aaepd"]).'
ENDS = ["aaep:agent.session." + end for end in ("completed", "errored", "cancelled")]
AWAY = "The daemon has gone: the agent is silent until it is back."
UNREADABLE = "The daemon's answer cannot be read."
DEFAULTS = ("timeout", "no_subscriber", "subscription_ended", "cancelled")  # ways in which a question ends without a reply


class Declined(Exception):
    """An irreversible tool was not called. resolved_by is "reply" if a person declined, and "error" if the daemon refused the question: no one decided.

    Otherwise it is "timeout", "no_subscriber", "subscription_ended" or "cancelled".
    """

    def __init__(self, resolved_by, fault=None):
        super().__init__(whole(f"nobody accepted the call: {fault or resolved_by}"))
        self.resolved_by = resolved_by


class Fault(str):
    """A sentence about what went wrong. If the daemon refused something, code, pointer and rule say why, and event, session_id and tool what."""

    def __new__(cls, sentence, data=None, about=None):
        code, pointer, fault_rule = (text_in(data, name) for name in ("code", "pointer", "rule"))
        names = [text_in(about, "type").replace("aaep:agent.", ""), text_in(about, "tool"), code, pointer]
        told = ", ".join(name for name in names if name)
        fault = super().__new__(cls, whole(f"{sentence} ({told})" if told else sentence))
        fault.event, fault.tool, fault.code, fault.pointer = (name or None for name in names)
        fault.rule, fault.session_id = fault_rule or None, text_in(about, "session_id") or None
        return fault


class Agent:
    """Connects to the daemon of `aaepd serve`, otherwise starts one for this agent alone, otherwise is silent.

    It comes back to a lost `aaepd serve`, continues its sessions, and repeats what was not answered. A lost daemon of its own makes it silent.
    agent_id is a stable name without a version, and name is for people. program is aaepd, and arguments are further options of `aaepd stdio`.
    on_error receives a Fault for each thing that goes wrong, in any thread, and returns soon. By default each is a line on standard error.
    """

    def __init__(self, agent_id, name=None, *, program=NPX, arguments=(), on_error=None):
        self.on_error = on_error or (lambda fault: print(fault, file=sys.stderr))
        self.lock = threading.RLock()  # of all that follows, and of the sessions
        self.news = threading.Condition(self.lock)
        self.numbers = itertools.count(1)
        self.calls = {}  # those without an answer, in their order
        self.unsent = collections.deque()
        self.sessions = {}  # those whose end has no answer
        self.link = None
        self.is_met = self.is_away = self.is_over = False
        self.hanging_up = threading.Thread(target=lambda: self.hang_up(), daemon=True)
        self.hang_up = lambda: None
        manifest = {"@context": "https://aaep-protocol.org/context/v1", "type": "aaep:producer.manifest"}
        self.manifest = line_of(0, "aaep.set_manifest", {**manifest, "agent_id": agent_id, "agent_name": name or agent_id})
        command = [*program, "stdio", "--producer-id", agent_id, *arguments]
        self.life = threading.Thread(target=self._live, args=(command,), daemon=True)
        self.life.start()
        atexit.register(self.close)
        with self.news:
            self.news.wait_for(lambda: self.is_met or self.is_over, LONGEST_WAIT_S)

    def session(self, description):
        """A task that people can follow: `with agent.session("Looks for a book.") as s:`."""
        return Session(self, description)

    def close(self):
        """Waits until the daemon has everything, and ends the connection. It takes a few seconds at most. The exit of the program does the same."""
        atexit.unregister(self.close)
        with self.news:
            self.news.wait_for(lambda: not self.calls or self.is_away or self.is_over, LONGEST_WAIT_S)
        self._end(f"The daemon has not taken the last {len(self.calls)} calls." if self.calls else None)
        self.hanging_up.join(3 * LONGEST_WAIT_S)
        if threading.current_thread() is not self.life:
            self.life.join(LONGEST_WAIT_S)  # may still tell why there is no daemon

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _send(self, method, params, answered=None, grows=False):
        """Lets a call wait for its turn, and returns it. Text grows until then."""
        with self.news:
            if self.is_over or (self.is_away and answered is not None):
                if answered is not None:
                    answered.set_exception(Declined("no_subscriber", "The agent is silent."))
                return None
            call = SimpleNamespace(number=next(self.numbers), line=None, about=params, answered=answered)
            try:
                call.line = None if grows else line_of(call.number, method, params)
            except Exception as error:  # what JSON cannot hold
                self._tell(Fault(f"This was not published: {error}", None, params))
                if answered is not None:
                    answered.set_exception(Declined("error", str(error)))
                return None
            self.calls[call.number] = call
            self.unsent.append(call)
            self.news.notify_all()
            if len(self.calls) > LONGEST_QUEUE:
                self._end("The daemon takes nothing: the agent is silent.")
            return call

    def _ask(self, method, params, patience_s):
        """Makes a call, and waits for its result. Raises Declined if there is none."""
        answered = Future()
        call = self._send(method, params, answered)
        try:
            return answered.result(patience_s)
        except Late:
            raise Declined("timeout", "The daemon does not answer.") from None
        finally:
            with self.lock:
                self.calls.pop(call and call.number, None)

    def _live(self, command):
        """Talks with a daemon, and comes back to that of `aaepd serve`."""
        try:
            link = to_serve()
        except PermissionError as error:
            link = None
            self._tell(f"`aaepd serve` is not asked: {error}")
        if link is None:
            try:
                *own, last_words = to_own(command)
                self._talk(*own, PAUSE_S)
                words = last_words()  # a sentence of aaepd says what to do
                told = words if words.startswith("Error: ") else f"{words} {REMEDY}".strip()
                self._end(f"The daemon {'has gone' if self.is_met else 'did not start'}: the agent is silent. {told}")
            except OSError as error:
                self._end(f"There is no daemon, so the agent is silent: {error}. {REMEDY}")
        while link is not None:
            self._talk(*link)
            link = self._come_back()

    def _come_back(self):
        lost_at = time.monotonic()
        while not self.is_over:
            time.sleep(PAUSE_S)
            with contextlib.suppress(PermissionError):  # the socket is somebody else's now
                link = to_serve()
                if link is not None:
                    return link
            if time.monotonic() - lost_at > LONGEST_ABSENCE_S and not self.is_away:
                self.is_away = True
                self._give_up(AWAY, "cancelled")

    def _give_up(self, fault, resolved_by):
        """Tells a fault, also to all that wait for an answer."""
        with self.news:
            asked = [call for call in self.calls.values() if call.answered is not None]
            for call in asked:
                del self.calls[call.number]
            self.news.notify_all()
        if fault is not None:
            self._tell(fault)
        for call in asked:
            call.answered.set_exception(Declined(resolved_by, fault))

    def _talk(self, write, lines, hang_up, finding_s=0):
        """Uses a connection until its end: takes the sessions over, and sends what has no answer yet, finding_s after the daemon has answered."""
        with self.news:
            self.hang_up = hang_up
            if self.is_over:
                return hang_up()
            self.link = write
            self.unsent = collections.deque(self.calls.values())
            claims = [{"session_id": key, "resume_token": session.token} for key, session in self.sessions.items()]
        greeting = [self.manifest, *(line_of(claim["session_id"], "aaep.resume_session", claim) for claim in claims)]
        threading.Thread(target=self._write, args=(write, greeting, finding_s), daemon=True).start()
        try:
            for line in lines_of(lines):
                self._take(json.loads(line, parse_int=float))  # an integer of a million digits would take seconds
        except OSError:
            pass  # the connection has ended
        except (RecursionError, ValueError):
            self._end(f"The agent is silent: {UNREADABLE}")
        with self.news:
            self.link = None
            self.news.notify_all()
        hang_up()

    def _write(self, write, greeting, finding_s):
        with contextlib.suppress(OSError, ValueError):
            for line in greeting:
                write(line)
            with self.news:
                self.news.wait_for(lambda: self.is_met or self.link is not write)
            time.sleep(finding_s)  # meanwhile listeners find a daemon that has just started
            while True:
                with self.news:
                    self.news.wait_for(lambda: self.unsent or self.link is not write)
                    if self.link is not write:
                        return
                    call = self.unsent.popleft()
                    call.line = call.line or line_of(call.number, "aaep.publish", call.about)
                if call.number in self.calls:
                    write(call.line)

    def _take(self, message):
        """Takes an answer of the daemon. One that cannot be read makes the agent silent."""
        if text_in(message, "method"):
            return None  # a notification
        number, refusal, result = (message.get(name) if isinstance(message, dict) else None for name in ("id", "error", "result"))
        data = refusal.get("data") if isinstance(refusal, dict) else None
        code, fault = text_in(data, "code"), None
        if refusal is not None or not isinstance(result, dict):
            fault = brief(text_in(refusal, "message")) or UNREADABLE
        if not isinstance(number, (float, str)):
            return self._end(f"The agent is silent: {fault or UNREADABLE}")
        if code == "shutting_down" or (code == "storage_unavailable" and number not in self.calls):
            raise ConnectionError(fault)  # the next connection repeats the call
        if number == 0 and fault is not None:
            self._end(fault)
        with self.news:
            if number == 0:
                self.is_met, self.is_away = True, False
            call = self.calls.pop(number, None)
            if call is not None and call.about.get("type") in ENDS:
                self.sessions.pop(call.about["session_id"], None)
            lost = self.sessions.get(number) if fault is not None else None
            # A session whose start or end is repeated may not be there yet, or any more.
            if lost is not None and not lost.is_over and lost.first.number not in self.calls:
                lost.is_over = True
                del self.sessions[number]
                for left in [left for left in self.calls.values() if left.about.get("session_id") == number]:
                    del self.calls[left.number]
                    if left.answered is not None:
                        left.answered.set_exception(Declined("cancelled", "The session is lost."))
                self._tell(f"The daemon has lost a session: {fault}")
            self.news.notify_all()
        if call is not None and fault is not None:
            self._tell(Fault(fault, data, call.about))
        if call is not None and call.answered is not None:
            if fault is None:
                call.answered.set_result(result)
            else:
                call.answered.set_exception(Declined("error", fault))

    def _end(self, fault):
        """Makes the agent silent: nothing that was asked is answered any more."""
        with self.news:
            if self.is_over:
                return
            self.is_over, self.link = True, None
            self.hanging_up.start()
        self._give_up(fault, "cancelled" if self.is_met else "no_subscriber")
        self.calls.clear()

    def _tell(self, fault):
        with contextlib.suppress(Exception):  # a mistake in on_error is no reason to stop
            self.on_error(fault if isinstance(fault, Fault) else Fault(fault))


class Session:
    """One task of the agent. Its calls may come from any thread, and are heard in their order."""

    def __init__(self, agent, description):
        self.agent = agent
        self.session_id = "sess_" + secrets.token_hex(16)
        self.token = secrets.token_hex(16)  # proves to the daemon that the session is this one's, over the next connection too
        self.description = brief(description) or "A task."
        self.state = "idle"
        self.output_id = self.growing = None
        self.asking = self.underway = 0  # questions and tools that are open
        self.undone = 0  # irreversible tools that were not called
        self.is_over = False
        self.dropped = 0  # characters of text that the daemon did not take in time

    def __enter__(self):
        with self.agent.lock:
            self.agent.sessions[self.session_id] = self
            self.first = self._publish("session.started", {"summary_normal": self.description, "extensions": {"aaepd": {"resume_token": self.token}}})
            self._change("thinking")
        return self

    def __exit__(self, kind, error, _):
        """Ends the session as completed, as errored if the task failed, and as cancelled if it was interrupted."""
        if kind is None:
            self.complete("")
        elif issubclass(kind, Exception):
            self._end("session.errored", error, error_category="unknown")
        else:
            self._end("session.cancelled", None, cancelled_by="user")

    def complete(self, summary):
        """Ends the session with a summary of its result. Without one, people hear "Ended.", and how many irreversible tools were not called."""
        self._end("session.completed", summary)

    def text(self, chunk):
        """Appends a token to the session's text. It returns at once. While too much waits for the daemon, text is dropped."""
        chunk = "" if chunk is None else str(chunk)
        with self.agent.lock:
            if self.output_id is None:
                self._change("writing_output")
                self.output_id = "out_" + secrets.token_hex(16)
            for start in range(0, len(chunk), LONGEST_TEXT):
                piece = chunk[start : start + LONGEST_TEXT]
                waiting = self.growing
                if waiting is not None and waiting.line is None and len(waiting.about["chunk"]) + len(piece) <= LONGEST_TEXT:
                    waiting.about["chunk"] += piece
                elif len(self.agent.calls) < MOST_QUEUED:
                    self.growing = self._publish("output.streaming", {"output_id": self.output_id, "chunk": piece, "complete": False}, grows=True)
                else:
                    if self.dropped == 0:
                        self.agent._tell("The daemon takes nothing: text is dropped.")
                    self.dropped += len(piece)

    def publish(self, kind, **members):
        """Publishes an event that has no call of its own, such as "progress.updated"."""
        self._publish(kind, members)

    def _publish(self, kind, members, grows=False):
        self.growing = None
        return None if self.is_over else self.agent._send("aaep.publish", self._event(kind, members), grows=grows)

    def tool(self, name, run, *, summary=None, completed=None, irreversible=None, action=None, consequence=None, timeout_seconds=None, extra_context=None):
        """Runs a tool, and returns its result, or raises its error. completed is a sentence about the result, or a function that makes one.

        If the call is irreversible, run is called only after a person has accepted, and Declined is raised otherwise. The question may have an action
        (default: summary), a consequence, timeout_seconds (300), and extra_context: facts for the person who decides. Raises TypeError for a question
        without irreversible, and for a run that cannot be called: a slip of the hand must not run a tool unasked.
        """
        question = {"action": action, "consequence": consequence, "timeout_seconds": timeout_seconds, "extra_context": extra_context}
        question = {member: value for member, value in question.items() if value is not None}
        if question and irreversible is None:
            raise TypeError(f"{', '.join(question)}: nobody is asked without irreversible=True.")
        if not callable(run):
            raise TypeError("run must be a function, which is called later: pass delete, or lambda: delete(12), in place of delete(12).")
        tool = {"tool": tool_name(str(name)), "tool_call_id": "call_" + secrets.token_hex(16)}
        invoked = {**tool, "summary_normal": brief(summary) or brief(name) or "A tool.", "risk_level": "high" if irreversible else "low"}
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
            told = ""
            try:
                told = brief(completed(result) if callable(completed) else completed)
            except Exception as error:  # the tool has run, whatever there is to say about it
                self.agent._tell(f"completed of {name} failed: {error!r}")
            self.publish("tool.completed", **tool, status="success", **({"summary_normal": told} if told else {}))
            return result
        finally:
            with self.agent.lock:
                self.underway -= 1
                if self.underway == 0:
                    self._change("thinking")

    def _consent(self, tool, invoked, question):
        """Asks a person, and then the daemon, which takes the call only after an accepting reply. A default never counts."""
        if self.is_over:
            raise Declined("cancelled")
        ids = {"event_id": "evt_" + secrets.token_hex(16), "reply_token": "rpl_" + secrets.token_hex(16)}
        seconds = question.get("timeout_seconds", 300)
        asked = {
            **question,
            **ids,
            "action": brief(question.get("action")) or invoked["summary_normal"],
            "consequence": brief(question.get("consequence")) or "It cannot be undone.",
            "timeout_seconds": seconds,
            "session_id": self.session_id,
            "risk_level": "high",
            "irreversible": True,
            "default_decision": "reject",
            "extra_context": {**(question.get("extra_context") or {}), **tool},
        }
        outcome = {}
        with self.agent.lock:
            self.asking += 1
            self.undone += 1
        try:
            patience_s = LONGEST_ANSWER_S + (seconds if isinstance(seconds, (int, float)) else 0)
            outcome = self.agent._ask("aaep.confirm", asked, patience_s)
        finally:
            with self.agent.lock:
                self.asking -= 1
                if outcome.get("decision") not in ("accept", "reject"):  # nobody waits for an answer any more
                    self.agent._send("aaep.cancel", {"reply_token": ids["reply_token"]})
        decision, resolved_by = outcome.get("decision"), outcome.get("resolved_by")
        is_reply = resolved_by == "reply" and decision in ("accept", "reject")
        if outcome.get("reply_token") != ids["reply_token"] or not (is_reply or resolved_by in DEFAULTS):
            raise Declined("error", UNREADABLE)
        if decision != "accept" or not is_reply:
            raise Declined(resolved_by)
        self._change("calling_tool")
        event = self._event("tool.invoked", {**invoked, "irreversible": True})
        try:
            taken = self.agent._ask("aaep.publish", event, LONGEST_ANSWER_S).get("events")
            if not isinstance(taken, list) or [text_in(one, "event_id") for one in taken] != [event["event_id"]]:
                raise Declined("error", UNREADABLE)
        except Declined:
            self.publish("tool.completed", **tool, status="timeout")
            raise
        with self.agent.lock:
            self.undone -= 1

    def _event(self, kind, members):
        return {"event_id": "evt_" + secrets.token_hex(16), **members, "type": "aaep:agent." + kind, "session_id": self.session_id}

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

    def _end(self, kind, summary, **members):
        with self.agent.lock:
            if not self.is_over:
                self._end_output()
                undone = "One action was" if self.undone == 1 else f"{self.undone} actions were"
                ended = f"Ended. {undone} not carried out." if self.undone else "Ended."
                self.publish(kind, summary_normal=brief(summary) or ended, **members)
                self.is_over = True


def socket_path():
    """Where `aaepd serve` listens, if AAEPD_SOCKET does not say it."""
    folder = f"/tmp/aaep-{os.getuid()}" if hasattr(os, "getuid") else ""
    if sys.platform == "darwin":
        folder = os.path.expanduser("~/Library/Application Support/AAEP")
    elif os.environ.get("XDG_RUNTIME_DIR"):
        folder = os.path.join(os.environ["XDG_RUNTIME_DIR"], "aaep")
    return os.path.join(folder, "aaepd.sock")


@contextlib.contextmanager
def own_socket(path, is_usual=False):
    """An address of a socket. The socket and its folder are this user's or root's, and nobody else can change them. A link to a folder that was named
    is followed first.

    Linux with /proc: the address stands for the file that was looked at, whatever stands at the path later. Elsewhere it is the path, and only the look
    of connect_peer at who listens covers a folder above that somebody else has replaced meanwhile. is_usual: the folder is this user's alone. Raises
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


def writable_for_others(found):
    """The user's own group, which has the user's number, has no other member. Group 0 has others on some systems."""
    is_own_group = 0 != os.getuid() == found.st_gid == os.getgid()
    return found.st_mode & (0o002 if is_own_group else 0o022)


def connect_own(path, is_usual=False):
    """Connects to a socket of this user's own, as own_socket says, at which a process of this user or of root listens."""
    with own_socket(path, is_usual) as address:
        return connect_peer(address, path)


def connect_peer(address, path):
    """Connects to an address of own_socket, and asks the kernel who listens. Raises PermissionError if it is neither this user nor root, and where the
    kernel does not say it."""
    # (SOL_SOCKET, SO_PEERCRED), otherwise (SOL_LOCAL, LOCAL_PEERCRED). The second number of both answers is the user's.
    asking = {"linux": (1, getattr(socket, "SO_PEERCRED", 17)), "darwin": (0, 1), "freebsd": (0, 1)}.get(sys.platform.rstrip("0123456789"))
    if asking is None:
        raise PermissionError(f"{sys.platform} does not say who listens at {path}.")
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(address)
        user = struct.unpack_from("2I", connection.getsockopt(*asking, 76))[1]
        if user not in (os.getuid(), 0):
            raise PermissionError(f"user {user} listens at {path}.")
        return connection
    except BaseException:
        connection.close()
        raise


def to_serve():
    """Finds the daemon of this user: what writes to it, its lines, and what ends the connection."""
    if not hasattr(os, "getuid"):
        return None
    named = os.environ.get("AAEPD_SOCKET")
    try:
        connection = connect_own(named or socket_path(), is_usual=not named)
    except PermissionError:
        raise
    except (OSError, ValueError):
        return None

    def hang_up():
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    return connection.sendall, connection.makefile("rb"), hang_up


def to_own(command):
    """Starts a daemon, and returns the same for it, and a function for the end of its standard error."""
    # In a session of its own, so that an interrupt at the terminal reaches the agent alone.
    command[0] = shutil.which(command[0]) or command[0]  # Windows finds npx.cmd only so
    daemon = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    last = collections.deque(maxlen=5)  # lines
    reading = threading.Thread(target=lambda: last.extend(iter(lambda: daemon.stderr.readline(1000), b"")), daemon=True)
    reading.start()

    def last_words():
        reading.join(LONGEST_WAIT_S)
        return b" ".join(line.strip() for line in last).decode(errors="replace")

    def hang_up():
        daemon.stdin.raw.close()  # the end of its input is the daemon's orderly end
        try:
            daemon.wait(2 * LONGEST_WAIT_S)
        except subprocess.TimeoutExpired:
            daemon.kill()

    return daemon.stdin.raw.write, daemon.stdout, hang_up, last_words


def lines_of(file):
    """The whole lines of a file. Raises ValueError if one is longer than LONGEST_LINE."""
    for line in iter(lambda: file.readline(LONGEST_LINE), b""):
        if line.endswith(b"\n"):
            yield line
        elif len(line) == LONGEST_LINE:
            raise ValueError(f"a line has more than {LONGEST_LINE} bytes")


def line_of(number, method, params):
    call = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(call, default=str, allow_nan=False).encode() + b"\n"


def tool_name(name):
    """The name as events can have it: it begins with a letter, and has letters, digits, underscores, dots and hyphens."""
    plain = re.sub("[^A-Za-z0-9_.-]", "_", name.replace("/", "."))
    return (plain if re.match("[A-Za-z_]", plain) else "_" + plain)[:256]


def brief(told):
    """The beginning of a text, as long as an event may have. Empty for None."""
    return "" if told is None else str(told)[:LONGEST_TEXT]


def text_in(members, name):
    """A text of what the daemon or the author said. Empty for anything else."""
    told = members.get(name) if isinstance(members, dict) else None
    return whole(told) if isinstance(told, str) else ""


def whole(text):
    """The text with ? for each half of a character, which no file and no terminal takes."""
    return text.encode("utf-8", "replace").decode()
