"""Lines of JSON-RPC, texts as events can have them, and what went wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

LONGEST_TEXT = 4000
"""Characters of one event."""


class Fault(str):
    """A sentence about what went wrong. If the daemon refused something, `code`, `pointer` and `rule` say why, and `event` and `session_id` what."""

    code: str | None
    pointer: str | None
    rule: str | None
    event: str | None
    tool: str | None
    session_id: str | None

    def __new__(cls, sentence: str, data: object = None, about: object = None) -> Fault:
        code, pointer, rule = (text_in(data, name) for name in ("code", "pointer", "rule"))
        names = [text_in(about, "type").replace("aaep:agent.", ""), text_in(about, "tool"), code, pointer]
        told = ", ".join(name for name in names if name)
        fault = super().__new__(cls, whole(f"{sentence} ({told})" if told else sentence))
        fault.event, fault.tool, fault.code, fault.pointer = (name or None for name in names)
        fault.rule, fault.session_id = rule or None, text_in(about, "session_id") or None
        return fault


def line_of(number: int | str, method: str, params: Mapping[str, Any]) -> bytes:
    """One call, in one line. Raises ValueError or TypeError for what JSON cannot hold."""
    call = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(call, default=str, allow_nan=False).encode() + b"\n"


def tool_name(name: str) -> str:
    """The name as events can have it: it begins with a letter, and has letters, digits, underscores, dots and hyphens (AAEP §4.3.1)."""
    plain = re.sub("[^A-Za-z0-9_.-]", "_", name.replace("/", "."))
    return (plain if re.match("[A-Za-z_]", plain) else "_" + plain)[:256]


def brief(told: object, most: int | None = LONGEST_TEXT) -> str:
    """The beginning of a text, as long as an event may have. Empty for None. Of an error that has no words, its kind."""
    try:
        return "" if told is None else str(told)[:most]
    except Exception:
        return type(told).__name__


def text_in(members: object, name: str) -> str:
    """A text of what the daemon or the author said. Empty for anything else."""
    told = members.get(name) if isinstance(members, Mapping) else None
    return whole(told) if isinstance(told, str) else ""


def whole(text: str) -> str:
    """The text with ? for each half of a character, which no file and no terminal takes."""
    return text.encode("utf-8", "replace").decode()
