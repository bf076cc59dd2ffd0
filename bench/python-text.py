"""What `text()` of the Python package costs a token, beside the call of an empty function, in each state of the daemon: µs, median (min to max).

    npm run build && PYTHONPATH=python/src:python/tests TESTED_PROGRAM="node bin/aaepd.js" python3 bench/python-text.py
"""

import os
import signal
import statistics
import sys
import time

from aaepd import Agent, subscribe
from daemon import WithDaemon

TOKENS = 100_000
ROUNDS = 9
LARGEST_US = 8


def microseconds(call):
    begun = time.perf_counter()
    for _ in range(TOKENS):
        call("token ")
    return (time.perf_counter() - begun) / TOKENS * 1e6


def main():
    stage = WithDaemon()
    stage.setUp()
    missed = False
    try:
        with Agent("bench", on_error=lambda told: None) as agent:
            session = agent.session("Writes.")
            session._begin()
            listener = subscribe()

            def measure(state):
                nonlocal missed
                rounds = [microseconds(session.text) - microseconds(lambda token: None) for _ in range(ROUNDS)]
                median = statistics.median(rounds)
                missed |= median > LARGEST_US
                print(f"{state:34} {median:5.2f} ({min(rounds):.2f} to {max(rounds):.2f})", flush=True)

            measure("connected, nobody listens")
            next(iter(listener))
            measure("connected, a listener")
            stage.daemon.send_signal(signal.SIGSTOP)
            measure("the daemon takes nothing")
            stage.daemon.send_signal(signal.SIGCONT)
            stage.kill()
            measure("the daemon is gone")
            stage.serve()
            measure("the daemon comes back")
            session.complete()
            measure("the session is over")
            listener.close()
        os.environ["AAEPD_PROGRAM"] = "/nowhere"
        stage.kill()
        with Agent("alone", on_error=lambda told: None) as agent, agent.session("Writes.") as session:
            measure("no daemon, and no program")
    finally:
        stage.doCleanups()
    print(f"At most {LARGEST_US} µs in each state: {'missed' if missed else 'met'}.")
    print(f"{ROUNDS} rounds of {TOKENS:,} tokens, Python {sys.version.split()[0]}.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
