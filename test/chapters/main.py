"""Walks through chapters 4, 5 and 6 as a stranger would who has read them, and who knows of the daemon where it is and how its messages are framed.

main.py --list                      the checks of every way: one a line, the way, a tab, the name
main.py WAY --socket PATH …         runs them: one line for each, "ok NAME" or "FAILED NAME — what was wrong"; exits with 1 where one failed

Nothing but Python's standard library is needed, and nothing of the project is imported.
"""

import argparse
import sys
import traceback

import chapter_4_members
import chapter_4_order
import chapter_4_questions
import chapter_4_walk
import chapter_5_capabilities
import chapter_5_changes
import chapter_5_delivery
import chapter_5_manifest
import chapter_5_request
import chapter_5_several
import chapter_6_ends
import chapter_6_replies
import chapter_6_tokens
import ending
from agents import Refused
from checks import CHECKS, Differs
from ways import WAYS, Stage

# In the order in which they are told. Each module writes its checks down as it is read; `ending` stops the daemon.
CHAPTERS = (
    chapter_4_members,
    chapter_4_order,
    chapter_4_questions,
    chapter_4_walk,
    chapter_5_request,
    chapter_5_capabilities,
    chapter_5_delivery,
    chapter_5_changes,
    chapter_5_several,
    chapter_5_manifest,
    chapter_6_tokens,
    chapter_6_replies,
    chapter_6_ends,
    ending,
)


def checks_of(way):
    order = [module.__name__ for module in CHAPTERS]
    mine = [one for one in CHECKS if one.needs in way.has]
    return sorted(mine, key=lambda one: order.index(one.run.__module__))


def failure(one, way):
    """What is wrong, in a sentence; None where nothing is."""
    stage = Stage(way)
    try:
        one.run(stage)
        stage.clear()
        return None
    except Differs as differs:
        sentence = str(differs)
    except Refused as refused:
        sentence = f"The daemon refused what the chapter allows: {refused} {refused.data}"
    except Exception as broken:
        place = traceback.extract_tb(broken.__traceback__)[-1]
        sentence = f"{type(broken).__name__}: {broken} ({place.filename}:{place.lineno})"
    stage.abandon()
    return sentence


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("way", nargs="?", choices=WAYS)
    parser.add_argument("--list", action="store_true", help="names the checks and runs none")
    parser.add_argument("--socket", help="where the daemon's socket is")
    parser.add_argument("--grpc", help="where its socket for gRPC is")
    parser.add_argument("--daemon", nargs=argparse.REMAINDER, help="for stdio: the command that starts it, last of all")
    options = parser.parse_args()
    if options.list:
        for name, kind in WAYS.items():
            for one in checks_of(kind):
                print(f"{name}\t{one.name}")
        return 0
    kind = WAYS[options.way]
    way = kind(options)
    failed = 0
    for one in checks_of(kind):
        wrong = failure(one, way)
        failed += wrong is not None
        print(f"ok {one.name}" if wrong is None else f"FAILED {one.name} — {' '.join(wrong.split())}", flush=True)
    way.end()
    return 1 if failed > 0 else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main())
