"""Agents and listeners of this package, with a real daemon."""

import asyncio
import os
import resource
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

from aaepd import Agent, AsyncAgent, Declined, Rejected, current_session, subscribe
from aaepd._agent import driven_together
from aaepd._program import find_program
from daemon import PATIENCE_S, PROGRAM, WithDaemon, eventually

KILLS = int(os.environ.get("PYTHON_KILLS", "3"))


class Agents(WithDaemon):
    # A question waits for a listener that comes back.
    options = ["--confirmation-grace-seconds", "60"]

    def test_a_session_is_heard_in_its_order(self):
        heard = self.hear()
        with Agent("librarian", name="Librarian") as agent:
            self.assertEqual(agent.status, "connected")
            with agent.session("Looks for a book.") as session:
                self.assertIs(current_session(), session)
                for token in ("It is ", "on shelf ", "3.14."):
                    session.text(token)
                self.assertEqual(session.tool("find", lambda: 3, completed=lambda found: f"{found} found"), 3)
                with self.assertRaises(ZeroDivisionError):
                    session.tool("fail", lambda: 1 / 0)
                call = session.begin("read", call_id="foreign/1")
                call.end("cancelled")
                call.end()
                session.progress(50, description="half")
                session.state("deciding", "Decides.")
                session.complete("It is found.")
            self.assertIsNone(current_session())
        self.assertEqual(heard.ends()[0]["summary_normal"], "It is found.")
        self.assertEqual(heard.text(), "It is on shelf 3.14.")
        kinds = [kind for kind in heard.types() if kind != "state.changed"]
        tool = ["tool.invoked", "tool.completed"]
        self.assertEqual(kinds[0], "session.started")
        self.assertEqual([kind for kind in kinds if kind.startswith("tool")], 3 * tool)
        ended = [event for event in heard.events if event["type"].endswith("tool.completed")]
        self.assertEqual([event["status"] for event in ended], ["success", "error", "error"])

    def test_only_a_yes_lets_an_irreversible_tool_run(self):
        yes = self.hear("accept")
        with Agent("bank", name="Bank") as agent:
            with agent.session("Transfers.") as session:
                self.assertEqual(session.tool("transfer", lambda: "done", irreversible=True), "done")
                outcome = session.confirm("Delete it.", "It is gone.", irreversible=True)
                self.assertTrue(outcome.is_accepted)
                self.assertTrue(session.confirm("Send it.", 12_000 * "x").is_accepted)
                self.assertEqual(max(len(event.get("consequence", "")) for event in yes.events), 12_000)
                self.assertEqual(session.confirm("Send it.", 20_000 * "x").resolved_by, "error")
                session.begin("delete", irreversible=True, consent=outcome.reply_token).end()
                self.assertEqual(session.clarify("Which?", choices={"blue": "Blue", "red": "Red"}).response, "blue")
                self.assertEqual(session.clarify("Which?", choices=["blue", "red"]).response, "blue")
            yes.close()
            self.hear("reject")
            with agent.session("Transfers again.") as session:
                with self.assertRaises(Declined) as declined:
                    session.tool("transfer", self.fail, irreversible=True)
                self.assertEqual(declined.exception.resolved_by, "reply")
                with self.assertRaises(TypeError):
                    session.tool("transfer", "not a function", irreversible=True)
                with self.assertRaisesRegex(TypeError, "no option irreversibel"):
                    session.tool("transfer", self.fail, irreversibel=True)
                with self.assertRaises(TypeError):
                    session.tool("transfer", self.fail, action="Transfer.")

    def test_asyncio(self):
        heard = self.hear(answers=False)

        async def work():
            async with AsyncAgent("loop", name="Loop") as agent:
                async with agent.session("Works.") as session:

                    async def run():
                        await asyncio.sleep(0)
                        return 5

                    self.assertEqual(await session.tool("wait", run), 5)
                    self.assertIs(current_session(), session)
                with self.assertRaises(asyncio.CancelledError):
                    async with agent.session("Is cancelled.") as session:
                        asking = asyncio.current_task()
                        asyncio.get_running_loop().call_later(0.2, asking.cancel)
                        await session.confirm("Wait.", "Nothing.", timeout_seconds=600, host_dialog=True)
                        await asyncio.sleep(PATIENCE_S)

        asyncio.run(work())
        eventually(lambda: len(heard.ends()) == 2)
        self.assertEqual([end["type"].rsplit(".")[-1] for end in heard.ends()], ["completed", "cancelled"])

    def test_kills_of_the_daemon_lose_nothing_and_every_question_has_one_outcome(self):
        heard = self.hear()
        spoken, accepted = [], 0
        with Agent("patient", on_error=lambda fault: None) as agent:
            with agent.session("Streams and asks.") as session:
                for number in range(KILLS):
                    killing = threading.Thread(target=self.again)
                    killing.start()
                    for token in (f"{number}.{part} " for part in range(50)):
                        spoken.append(token)
                        session.text(token)
                        time.sleep(0.002)
                    accepted += session.confirm(f"Go on {number}?", "Nothing.", timeout_seconds=120).is_accepted
                    killing.join()
            agent.close(PATIENCE_S)
        heard.ends()
        self.assertEqual(accepted, KILLS)
        self.assertEqual(heard.text().split(), [token.strip() for token in spoken])
        self.assertTrue(all(len(set(decisions)) == 1 for decisions in heard.outcomes.values()), heard.outcomes)

    def again(self):
        time.sleep(0.05)
        self.kill()
        self.serve()

    def test_a_fork_has_a_connection_of_its_own(self):
        heard = self.hear()
        with Agent("forking") as agent:
            with agent.session("The parent's.") as session:
                child = os.fork()
                if child == 0:
                    session.text("never")  # the parent's session goes on there
                    with agent.session("The child's.") as own:
                        own.complete("The child is done.")
                    agent.close()
                    os._exit(0)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
                session.complete("The parent is done.")
        eventually(lambda: len(heard.ends()) == 2)
        self.assertEqual({end["summary_normal"] for end in heard.ends()}, {"The child is done.", "The parent is done."})
        self.assertEqual(heard.text(), "")

    def test_an_interrupt_ends_the_session_as_cancelled(self):
        heard = self.hear(answers=False)
        code = "from aaepd import Agent\nwith Agent('i') as a:\n with a.session('Waits.') as s:\n  s.confirm('Wait.', 'x', timeout_seconds=600, host_dialog=True); import time; time.sleep(600)"
        program = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
        eventually(lambda: "session.started" in heard.types())
        time.sleep(0.5)
        program.send_signal(signal.SIGINT)
        self.assertNotEqual(program.wait(PATIENCE_S), 0)
        self.assertEqual(heard.ends()[0]["type"], "aaep:agent.session.cancelled")

    def test_an_exit_ends_open_sessions(self):
        heard = self.hear()
        code = "from aaepd import Agent\ns = Agent('e').session('Works.').__enter__()\ns.text('Half of')"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode, 0)
        ended = heard.ends()[0]
        self.assertEqual((ended["type"], ended["cancelled_by"]), ("aaep:agent.session.cancelled", "producer"))
        self.assertEqual(heard.text(), "Half of")

    def test_several_questions_are_asked_at_once_and_one_interrupt_takes_all_back(self):
        heard = self.hear(None)
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        threading.Thread(target=lambda: (heard.asked(2), os.kill(os.getpid(), signal.SIGINT))).start()
        with Agent("asking") as agent, self.assertRaises(KeyboardInterrupt), agent.session("Asks.") as session:
            asking = [session._confirming(f"Wait {number}.", "Nothing.", timeout_seconds=600, host_dialog=True) for number in range(2)]
            driven_together(asking)
        heard.ends()
        self.assertEqual(list(heard.outcomes.values()), [["cancelled"], ["cancelled"]])

    def test_an_action_is_asked_about_whole(self):
        heard = self.hear()
        with Agent("bank") as agent, agent.session("Transfers.") as session:
            session.tool("transfer", lambda: None, summary=5000 * "y", irreversible=True)
        heard.ends()
        self.assertEqual([len(event["action"]) for event in heard.asked(1)], [5000])

    def test_an_error_without_words_is_told_and_raised(self):
        class Wordless(Exception):
            def __str__(self):
                raise ValueError

        heard = self.hear()
        with Agent("bank") as agent, self.assertRaises(Wordless), agent.session("Fails.") as session:
            session.tool("fail", self.raising(Wordless()))
        self.assertEqual(heard.ends()[0]["summary_normal"], "Wordless")

    def raising(self, error):
        def run():
            raise error

        return run

    def test_a_session_that_was_open_while_the_agent_fell_silent_is_not_heard_later(self):
        heard, faults = self.hear(), []
        with Agent("patient", on_error=faults.append) as agent:
            old = agent.session("Is old.").__enter__()
            eventually(lambda: "session.started" in heard.types())
            agent._core._fall_silent("It is silent.")
            eventually(lambda: agent._core._life is None)
            with mock.patch("aaepd._core.LOOK_AGAIN_S", 0), agent.session("Is new.") as new:
                eventually(lambda: agent.status == "connected")
                old.text("never")
                self.assertEqual(old.confirm("Go on?", "Nothing.").resolved_by, "no_subscriber")
                new.text("heard")
        eventually(lambda: "session.completed" in heard.types())
        self.assertEqual((heard.text(), faults), ("heard", ["It is silent."]))

    def test_a_cancelled_loop_drops_no_event(self):
        async def first(events):
            async for event in events:
                return event["type"]

        async def work():
            with subscribe() as events:
                while not events._subscription_id:
                    await asyncio.sleep(0.01)
                for _ in range(3):
                    with self.assertRaises(asyncio.TimeoutError):
                        await asyncio.wait_for(first(events), 0.05)
                async with AsyncAgent("loop") as agent, agent.session("Works."):
                    pass
                self.assertEqual(await first(events), "aaep:agent.session.started")
                events.close()
                self.assertIsNone(await first(events))

        asyncio.run(work())

    def test_nothing_is_left_behind(self):
        heard = self.hear()
        with Agent("short") as agent, agent.session("Is short."):
            pass
        heard.ends()
        heard.close()
        eventually(lambda: not [thread.name for thread in threading.enumerate() if thread.name.startswith("aaepd")])

    def test_a_slip_of_the_hand_is_told_at_once(self):
        with self.assertRaisesRegex(RuntimeError, "Enter the agent first"):
            AsyncAgent("loop").session("Works.")
        with self.assertRaisesRegex(TypeError, "not JSON serializable"):
            subscribe({"max_events_per_second": {1}})
        with self.assertRaisesRegex(ValueError, "Give the agent an id"):
            Agent("")

    def test_a_note_about_the_terms_is_told(self):
        faults = []
        with subscribe({"preferred_verbosity": "chatty"}, on_error=faults.append):
            eventually(lambda: "The daemon does not serve all terms: preferred_verbosity" in "".join(map(str, faults)))

    def test_terms_that_are_refused_end_the_loop(self):
        with subscribe({"coalesce_boundaries": 5}) as events:
            with self.assertRaises(Rejected):
                next(iter(events))
            for _ in range(3):
                self.assertEqual(list(events), [])


class FalseDaemons(unittest.TestCase):
    def test_what_a_listener_cannot_read_does_not_end_its_loop(self):
        accepted = b'{"type":"subscription.accepted","subscription_id":"1","honored_capabilities":null}\n'
        event = b'{"type":"aaep:agent.session.started","event_id":"evt_1"}\n'
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
            path = os.path.join(folder, "aaepd.sock")
            server.bind(path)
            server.listen()

            def serve():
                for said in (b"5\n", accepted, event):
                    connection, _ = server.accept()
                    with connection:
                        connection.recv(4096)
                        connection.sendall(said)

            threading.Thread(target=serve).start()
            faults = []
            with subscribe(socket_path=path, on_error=faults.append) as events:
                self.assertEqual(next(iter(events))["event_id"], "evt_1")
            self.assertEqual([fault.split(":")[0] for fault in faults[:2]], ["The connection is lost"] * 2)


class WithDaemonOfItsOwn(unittest.TestCase):
    def test_a_fork_does_not_hold_the_daemon(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = os.path.join(folder, "ended")
            os.environ.update(AAEPD_SOCKET=os.path.join(folder, "none"), ENDED=ended, XDG_RUNTIME_DIR=folder)
            self.addCleanup(lambda: [os.environ.pop(name) for name in ("AAEPD_SOCKET", "ENDED", "XDG_RUNTIME_DIR")])
            program = ["sh", "-c", f'{shlex.join(PROGRAM)} "$@"; echo $? > "$ENDED"', "sh"]
            agent = Agent("forking", program=program)
            eventually(lambda: agent.status == "connected")
            waits, ends = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(ends)
                os.read(waits, 1)
                os._exit(0)
            agent.close()
            with open(ended) as file:  # a daemon whose input is held is killed
                self.assertEqual(file.read(), "0\n")
            os.close(ends)
            os.waitpid(child, 0)


class WithoutDaemon(unittest.TestCase):
    def test_an_agent_is_silent_and_nothing_irreversible_runs(self):
        faults = []
        with tempfile.TemporaryDirectory() as folder:
            os.environ["AAEPD_SOCKET"] = os.path.join(folder, "none")
            self.addCleanup(os.environ.pop, "AAEPD_SOCKET")
            with Agent("alone", program=["/bin/false"], on_error=faults.append) as agent:
                eventually(lambda: agent.status == "silent")
                with agent.session("Works alone.") as session:
                    session.text("nobody hears this")
                    self.assertEqual(session.tool("find", lambda: 3), 3)
                    with self.assertRaises(Declined) as declined:
                        session.tool("delete", self.fail, irreversible=True)
                    self.assertEqual(declined.exception.resolved_by, "no_subscriber")
                    self.assertEqual(session.clarify("Which?", default_response="red").response, "red")
        self.assertEqual(len(faults), 1)

    def test_text_that_nobody_takes_leaves_memory_level(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["AAEPD_SOCKET"] = os.path.join(folder, "none")
            self.addCleanup(os.environ.pop, "AAEPD_SOCKET")
            with Agent("alone", program=["/bin/false"], on_error=lambda fault: None) as agent, agent.session("Talks.") as session:
                for _ in range(100_000):
                    session.text("token ")
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                for _ in range(5_000_000):
                    session.text("token ")
                self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 4096)  # kB

    def test_mistakes_of_the_author_leave_nobody_waiting(self):
        def breaks(fault):
            raise RuntimeError(fault)

        with tempfile.TemporaryDirectory() as folder:
            os.environ["AAEPD_SOCKET"] = os.path.join(folder, "none")
            self.addCleanup(os.environ.pop, "AAEPD_SOCKET")
            with Agent("alone", program=[3], on_error=breaks) as agent, agent.session("Asks.") as session:
                self.assertEqual(session.confirm("Go on?", "Nothing.").resolved_by, "no_subscriber")
                eventually(lambda: agent.status == "silent")
        self.assertEqual(find_program({"AAEPD_PROGRAM": "/home/o'neil/aaepd"}), ["/home/o'neil/aaepd"])

    def test_a_socket_that_others_can_change_is_not_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            os.environ["AAEPD_SOCKET"] = os.path.join(folder, "aaepd.sock")
            self.addCleanup(os.environ.pop, "AAEPD_SOCKET")
            faults = []
            with Agent("careful", program=["/bin/false"], on_error=faults.append):
                eventually(lambda: any("is not asked" in fault for fault in faults))


if __name__ == "__main__":
    unittest.main()
