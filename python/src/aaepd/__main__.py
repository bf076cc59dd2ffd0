"""The command `aaepd`: the program of this package, in the place of this process, so that a signal to it reaches the daemon."""

from __future__ import annotations

import os
import subprocess
import sys

from ._program import OLDEST_NODE, REMEDY, brought_program


def main() -> None:
    program = brought_program()
    if program is None:
        oldest = ".".join(str(part) for part in OLDEST_NODE)
        sys.exit(f"Error: aaepd needs Node {oldest} or newer, and there is none. {REMEDY}")
    command = [*program, *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    try:
        sys.exit(subprocess.call(command))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
