"""Checks, each named by its paragraph: how they are written down, what they say where one fails, and in which ways each is told."""

import json
from collections import namedtuple

Check = namedtuple("Check", "name run needs")
CHECKS = []


class Differs(Exception):
    """The daemon and the chapter differ. The sentence says in what."""


def check(paragraph, says, needs="whole"):
    """Writes a check down. `needs` is what a way must have for it: most checks belong to every way that tells the whole."""

    def write_down(run):
        name = f"{paragraph}: {says}"
        if any(one.name == name for one in CHECKS):
            raise ValueError(f"two checks are named {name}")
        CHECKS.append(Check(name, run, needs))
        return run

    return write_down


def told(value):
    """A value in a sentence, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 1000 else text[:1000] + "…"


def holds(condition, sentence):
    if not condition:
        raise Differs(sentence)


def same(found, expected, name):
    holds(found == expected, f"{name} is {told(found)} and should be {told(expected)}.")


def within(found, expected, name):
    """Every member of `expected` is in `found`, at any depth; `found` may have more. A function in the place of a value judges it."""
    if callable(expected):
        holds(expected(found), f"{name} is {told(found)}, which is not what the chapter says.")
    elif isinstance(expected, dict):
        holds(isinstance(found, dict), f"{name} is {told(found)} and should be an object.")
        for key, value in expected.items():
            holds(key in found, f"{name} lacks {key}: {told(found)}")
            within(found[key], value, f"{name}.{key}")
    else:
        same(found, expected, name)
