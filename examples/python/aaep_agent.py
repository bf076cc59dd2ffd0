"""Makes a Python program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.

Copy this file into a project that cannot install the package `aaepd`, which does more. It needs Python 3.8, the standard library alone, and a running
`aaepd serve`. `python3 examples/python/banking_agent.py` runs an agent that uses it.

Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
"""

import asyncio
import atexit
import concurrent.futures
import contextlib
import json
import os
import re
import secrets
import socket
import stat
import sys
import threading
from types import SimpleNamespace

LONGEST_TEXT = 4000  # characters of one event
LONGEST_LINE = 4_194_304  # bytes of one answer; after that the agent is silent
MOST_CALLS = 16_384  # that wait for the daemon; what follows is dropped
LONGEST_ANSWER_S = 20  # from the daemon, where no person is asked
LONGEST_ABSENCE_S = 10  # of a lost daemon, for those who wait for its answer
LONGEST_WAIT_S = 2  # for the daemon at the end
PAUSE_S = 0.5  # between attempts to come back
UNREADABLE = "The daemon's answer cannot be read."
DEFAULTS = ("timeout", "no_subscriber", "subscription_ended", "cancelled")  # ways in which a question ends without a reply


class Declined(Exception):
    """An irreversible tool was not called. resolved_by is "reply" if a person declined, one of DEFAULTS, or "error" for a mistake that on_error gets."""

    def __init__(self, resolved_by, fault=None):
        super().__init__(f"nobody accepted the call: {fault or resolved_by}")
        self.resolved_by = resolved_by


class Agent(contextlib.AbstractContextManager):
    """Connects to the daemon of `aaepd serve`, comes back to it after a loss, and repeats under the same ids what was not answered.
    agent_id is a stable name without a version, and name is for people. on_error receives a sentence for each thing that goes wrong, in another thread.
    """

    def __init__(self, agent_id, name=None, *, on_error=lambda fault: print(fault, file=sys.stderr)):
        manifest = {"@context": "https://aaep-protocol.org/context/v1", "type": "aaep:producer.manifest"}
        self.manifest = line_of(0, "aaep.set_manifest", {**manifest, "agent_id": agent_id, "agent_name": name or agent_id})
        self.on_error = on_error
        self.calls, self.made = {}, 0  # those without an answer, in their order. The thread of the loop alone changes them
        self.sessions = {}  # those whose end has no answer
        self.writer, self.lost_at = None, float("-inf")
        self.is_met = self.is_away = self.is_full = self.is_over = False
        self.loop = asyncio.new_event_loop()
        self.life = threading.Thread(target=self.loop.run_until_complete, args=[self._connect()], daemon=True)
        self.life.start()
        atexit.register(self.close)

    def session(self, description):
        """A task that people can follow: `with agent.session("Looks for a book.") as s:`."""
        return Session(self, description)

    def close(self):
        """Waits until the daemon has everything, for 2 seconds at most, and ends the connection. The exit of the program does the same."""
        atexit.unregister(self.close)
        self._later(lambda: self.loop.create_task(self._finish()))
        self.life.join(2 * LONGEST_WAIT_S)
        if not self.life.is_alive():
            self.loop.close()

    def __exit__(self, *_):
        self.close()

    def _later(self, do, *given):
        """Does something in the thread of the loop, in the order of the calls. After the end nothing is done."""
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(do, *given)

    async def _finish(self):
        until = self.loop.time() + LONGEST_WAIT_S
        while self.calls and not self.is_away and self.loop.time() < until:
            await asyncio.sleep(0.005)
        self._end(f"The daemon has not taken the last {len(self.calls)} calls." if self.calls and not self.is_away else None)

    async def _connect(self):
        """Talks with the daemon, and comes back to it."""
        while not self.is_over:
            remedy = "Run `aaepd serve`."
            try:
                await self._talk(connect_own(os.environ.get("AAEPD_SOCKET")))
            except PermissionError as error:
                remedy = str(error)
            except (AttributeError, OSError, ValueError):
                pass  # nobody listens there any more
            if not self.is_away and self.loop.time() - self.lost_at > LONGEST_ABSENCE_S:
                self.is_away = True
                self._give_up(f"There is no daemon: the agent is silent until there is one. {remedy}")
            await asyncio.sleep(0 if self.is_over else PAUSE_S)

    async def _talk(self, connection):
        """Uses a connection until its end: takes the sessions over, and sends what has no answer yet."""
        reader, self.writer = await asyncio.open_unix_connection(sock=connection, limit=LONGEST_LINE)
        claims = [{"session_id": key, "resume_token": session.token} for key, session in list(self.sessions.items())]
        greeting = [self.manifest, *(line_of(claim["session_id"], "aaep.resume_session", claim) for claim in claims)]
        self.writer.writelines([*greeting, *(call.line for call in self.calls.values())])
        try:
            async for line in reader:
                if line.endswith(b"\n"):
                    self._take(json.loads(line, parse_int=float))  # an integer of a million digits would take seconds
        except (RecursionError, ValueError):
            self._end(f"The agent is silent: {UNREADABLE}")
        finally:
            self.writer.close()
            self.writer, self.lost_at = None, self.loop.time()

    def _take(self, message):
        """Takes an answer of the daemon. One that cannot be read makes the agent silent."""
        number, refusal, result = (message.get(name) if isinstance(message, dict) else None for name in ("id", "error", "result"))
        data = refusal.get("data") if isinstance(refusal, dict) else None
        is_refused = refusal is not None or not isinstance(result, dict)
        fault = (text_in(refusal, "message") or UNREADABLE) if is_refused else None
        call = self.calls.get(number) if isinstance(number, float) else None
        session = self.sessions.get(number) if isinstance(number, str) else None
        if text_in(data, "code") == "shutting_down" or (text_in(data, "code") == "storage_unavailable" and call is None):
            raise ConnectionError(fault)  # the next connection repeats the call
        if call is not None:
            del self.calls[number]
            self.is_full = self.is_full and len(self.calls) > 0
            self._settle(call, result, fault, data)
        elif number == 0 and not is_refused:
            self.is_met, self.is_away, self.is_full = True, False, False
        elif not text_in(message, "method") and (number == 0 or not isinstance(number, (float, str))):  # no notification
            self._end(f"The agent is silent: {fault or UNREADABLE}")
        elif session and is_refused and session.is_known and not session.is_over:
            session.is_over = True
            del self.sessions[number]
            self._give_up(f"The daemon has lost a session: {fault}", lambda call: call.params.get("session_id") == number)

    def _settle(self, call, result, fault, data=None):
        """Gives a call its answer."""
        kind, session = text_in(call.params, "type").replace("aaep:agent.", ""), self.sessions.get(call.params.get("session_id"))
        if session and kind in ("session.completed", "session.errored", "session.cancelled"):
            del self.sessions[session.session_id]
        elif session:
            session.is_known = session.is_known or not fault
        if fault:
            self._tell(f"{fault} ({', '.join(filter(None, [kind, text_in(data, 'code'), text_in(data, 'pointer')]))})")
        if call.answered:
            call.answered.set_exception(Declined("error", fault)) if fault else call.answered.set_result(result)

    def _give_up(self, fault, is_meant=lambda call: call.answered):
        """Tells a fault, also to those who wait for an answer."""
        for call in list(filter(is_meant, self.calls.values())):
            del self.calls[call.number]
            if call.answered:
                call.answered.set_exception(Declined("cancelled" if self.is_met else "no_subscriber", fault))
        self._tell(fault)

    def _end(self, fault):
        """Makes the agent silent for good."""
        if not self.is_over:
            self.is_over = True
            self._give_up(fault)
            self.calls.clear()
            if self.writer:
                self.writer.close()

    def _send(self, method, params, answered=None):
        """Makes a call. While there is no connection it waits."""
        self.made += 1
        call = SimpleNamespace(number=self.made, params=params, answered=answered)
        if self.is_over or (answered and self.is_away):
            return answered and answered.set_exception(Declined("no_subscriber", "The agent is silent."))
        try:
            call.line = line_of(call.number, method, params)
        except Exception as error:  # what JSON cannot hold
            return self._settle(call, None, f"This was not published: {error!r}")
        if len(self.calls) < MOST_CALLS or answered:
            self.calls[call.number] = call
            if self.writer and not self.writer.is_closing():
                self.writer.write(call.line)
        elif not self.is_full:
            self.is_full = True
            self._tell("The daemon takes nothing: what follows is dropped.")

    def _ask(self, method, params, patience_s):
        """Makes a call, and waits for its result. Raises Declined if there is none."""
        answered = concurrent.futures.Future()
        self._later(self._send, method, params, answered)
        try:
            return answered.result(LONGEST_WAIT_S if self.is_over else patience_s)
        except concurrent.futures.TimeoutError:
            raise Declined("timeout", "The daemon does not answer.") from None

    def _tell(self, fault):
        with contextlib.suppress(Exception):  # a mistake in on_error is no reason to stop
            self.on_error(fault) if fault else None


class Session(contextlib.AbstractContextManager):
    """One task of the agent. Its calls may come from any thread, and are heard in their order."""

    def __init__(self, agent, description):
        self.agent = agent
        self.session_id = "sess_" + secrets.token_hex(16)
        self.token = secrets.token_hex(16)  # proves to the daemon that the session is this one's, over the next connection too
        self.output_id = None
        self.is_known = self.is_over = False
        self.agent.sessions[self.session_id] = self
        self.publish("session.started", summary_normal=brief(description) or "A task.", extensions={"aaepd": {"resume_token": self.token}})

    def __exit__(self, kind, error, _):
        """Ends the session as completed, as errored if the task failed, and as cancelled if it was interrupted."""
        if kind is None:
            self.complete("")
        elif issubclass(kind, Exception):
            self._end("session.errored", error, error_category="unknown")
        else:
            self._end("session.cancelled", "", cancelled_by="user")

    def complete(self, summary):
        """Ends the session with a summary of its result."""
        self._end("session.completed", summary)

    def text(self, chunk):
        """Appends a token to the session's text. It returns at once. Text is dropped from when too much waits for the daemon until the daemon has all."""
        self.output_id = self.output_id or "out_" + secrets.token_hex(16)
        for start in range(0, 0 if self.agent.is_full else len(chunk or ""), LONGEST_TEXT):
            self.publish("output.streaming", output_id=self.output_id, chunk=chunk[start : start + LONGEST_TEXT], complete=False)

    def publish(self, kind, **members):
        """Publishes an event that has no call of its own, such as "progress.updated"."""
        if not self.is_over:
            self.agent._later(self.agent._send, "aaep.publish", self._event(kind, members))

    def tool(self, name, run, *, summary=None, completed=None, irreversible=False, action=None, consequence=None, timeout_seconds=None, extra_context=None):
        """Runs a tool, and returns its result, or raises its error. summary and completed are sentences for people, before it and after it.
        If the call is irreversible, run is called only after a person has accepted, and Declined is raised otherwise. The question may have an action
        (default: summary), a consequence, timeout_seconds (300), and extra_context: facts for the person. A slip of the hand raises TypeError.
        """
        question = {"action": action, "consequence": consequence, "timeout_seconds": timeout_seconds, "extra_context": extra_context}
        question = {member: value for member, value in question.items() if value is not None}
        if question and not irreversible:
            raise TypeError(f"{', '.join(question)}: nobody is asked without irreversible=True.")
        if not callable(run):
            raise TypeError("run must be a function, which is called later: pass delete, or lambda: delete(12), in place of delete(12).")
        plain = re.sub("[^A-Za-z0-9_.-]", "_", str(name).replace("/", "."))
        tool = {"tool": (plain if re.match("[A-Za-z_]", plain) else "_" + plain)[:256], "tool_call_id": "call_" + secrets.token_hex(16)}
        invoked = {**tool, "summary_normal": brief(summary) or brief(name) or "A tool.", "risk_level": "high" if irreversible else "low"}
        self._end_output()
        if irreversible:
            self._consent(tool, {**invoked, "irreversible": True}, {"action": brief(summary, None) or brief(name) or "A tool.", **question})
        else:
            self.publish("tool.invoked", **invoked)
        try:
            result = run()
        except BaseException as error:
            self.publish("tool.completed", **tool, status="error", error_message=brief(error) or "It failed.")
            raise
        self.publish("tool.completed", **tool, status="success", **({"summary_normal": brief(completed)} if completed else {}))
        return result

    def _consent(self, tool, invoked, question):
        """Asks a person, and then the daemon, which takes the call only after an accepting reply. A default never counts."""
        if self.is_over:
            raise Declined("cancelled")
        token, facts = "rpl_" + secrets.token_hex(16), {**question.get("extra_context", {}), **tool}
        asked = {"consequence": "It cannot be undone.", "timeout_seconds": 300, **question}
        rules = {"reply_token": token, "risk_level": "high", "irreversible": True, "default_decision": "reject", "extra_context": facts}
        event = self._event("awaiting.confirmation", {**asked, **rules})
        try:
            outcome = self.agent._ask("aaep.confirm", event, LONGEST_ANSWER_S + asked["timeout_seconds"])
        except BaseException:  # nobody waits for an answer any more
            self.agent._later(self.agent._send, "aaep.cancel", {"reply_token": token})
            raise
        decision, resolved_by = outcome.get("decision"), outcome.get("resolved_by")
        is_reply = resolved_by == "reply" and decision in ("accept", "reject")
        is_whole = outcome.get("reply_token") == token and (is_reply or resolved_by in DEFAULTS)
        if not is_whole or not is_reply or decision != "accept":
            raise Declined(resolved_by if is_whole else "error")
        event = self._event("tool.invoked", invoked)
        try:
            taken = self.agent._ask("aaep.publish", event, LONGEST_ANSWER_S).get("events")
            if not isinstance(taken, list) or [text_in(one, "event_id") for one in taken] != [event["event_id"]]:
                raise Declined("error", UNREADABLE)
        except Declined:
            self.publish("tool.completed", **tool, status="timeout")
            raise

    def _event(self, kind, members):
        return {"event_id": "evt_" + secrets.token_hex(16), **members, "type": "aaep:agent." + kind, "session_id": self.session_id}

    def _end_output(self):
        if self.output_id is not None:
            self.publish("output.streaming", output_id=self.output_id, chunk="", complete=True)
            self.output_id = None

    def _end(self, kind, summary, **members):
        self._end_output()
        self.publish(kind, summary_normal=brief(summary) or "Ended.", **members)
        self.is_over = True


def connect_own(path=None):
    """Connects to a socket at which a process of this user or of root listens; the kernel says who. The socket and its folder are this user's or root's,
    and nobody else can change them. A link to the folder is followed first. path is by default that of `aaepd serve`, whose folder has to be this user's
    alone. Raises PermissionError if it is not so, and where the kernel does not say it, and FileNotFoundError if there is no socket."""
    runtime, mine = os.environ.get("XDG_RUNTIME_DIR"), os.getuid()
    usual = os.path.join(runtime, "aaep") if runtime else f"/tmp/aaep-{mine}"
    usual = os.path.expanduser("~/Library/Application Support/AAEP") if sys.platform == "darwin" else usual
    folder, name = (os.path.realpath(os.path.dirname(path)), os.path.basename(path)) if path else (usual, "aaepd.sock")
    path = os.path.join(folder, name)
    around, found = os.lstat(folder), os.lstat(path)
    if not stat.S_ISSOCK(found.st_mode):
        raise PermissionError(f"{path} is no socket.")
    is_private = stat.S_ISDIR(around.st_mode) and around.st_uid == mine and not around.st_mode & 0o077
    is_open = (around.st_mode & 0o022 and not around.st_mode & stat.S_ISVTX) or (found.st_uid == mine and found.st_mode & 0o022)
    if not {around.st_uid, found.st_uid} <= {mine, 0} or (not is_private and (folder == usual or is_open)):
        told = f"user {found.st_uid}, mode {found.st_mode & 0o7777:o}, in a folder of user {around.st_uid}, mode {around.st_mode & 0o7777:o}"
        raise PermissionError(f"{path} is not yours alone: {told}.")
    # (SOL_SOCKET, SO_PEERCRED), otherwise (SOL_LOCAL, LOCAL_PEERCRED). The second number of both answers is the user's.
    asking = {"linux": (1, getattr(socket, "SO_PEERCRED", 17)), "darwin": (0, 1), "freebsd": (0, 1)}.get(sys.platform.rstrip("0123456789"))
    if asking is None:
        raise PermissionError(f"{sys.platform} does not say who listens at {path}.")
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    user = int.from_bytes(connection.getsockopt(*asking, 76)[4:8], sys.byteorder)
    if user not in (mine, 0):
        connection.close()
        raise PermissionError(f"user {user} listens at {path}.")
    return connection


def line_of(number, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, default=str, allow_nan=False).encode() + b"\n"


def brief(told, most=LONGEST_TEXT):
    """The beginning of a text, as long as an event may have. Empty for None. Of an error that has no words, its kind."""
    try:
        return "" if told is None else str(told)[:most]
    except Exception:
        return type(told).__name__


def text_in(members, name):
    """A text of what the daemon or the author said, without halves of characters, which no file takes. Empty for anything else."""
    told = members.get(name) if isinstance(members, dict) else None
    return told.encode("utf-8", "replace").decode() if isinstance(told, str) else ""
