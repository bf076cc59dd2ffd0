#!/usr/bin/env python3
"""A banking agent that asks before it transfers money. Nothing is really transferred. Run it beside `npx --no -- aaepd serve`:

    python3 examples/python/banking_agent.py
"""

import argparse
import sys

from aaep_agent import Agent, Declined

# A default is never told as somebody's decision.
WHY_NOT = {
    "reply": "You declined it.",
    "timeout": "Nobody answered in time.",
    "no_subscriber": "There was nobody to ask.",
    "subscription_ended": "Nobody who could answer was left.",
    "cancelled": "The question was taken back.",
    "error": "The question was refused.",
}

parser = argparse.ArgumentParser(description="Asks before it transfers money.")
parser.add_argument("--timeout", type=int, default=120, help="seconds that a person has to answer")
timeout_seconds = parser.parse_args().timeout

with Agent("banking-agent", on_error=lambda fault: print(fault, file=sys.stderr)) as agent:
    with agent.session("Transfers 500 dollars to Ada Obi.") as s:
        s.tool("fetch_balance", lambda: 12_500, summary="Reading your balance.", completed="Your balance is 12,500 dollars.")
        try:
            told = s.tool(
                "transfer_funds",
                lambda: "Transferred 500 dollars.",
                summary="Transferring 500 dollars.",
                completed="The transfer is done.",
                irreversible=True,
                action="Transfer 500 dollars to Ada Obi.",
                consequence="The money leaves your account at once. 12,000 dollars remain.",
                timeout_seconds=timeout_seconds,
                extra_context={"amount": 500, "currency": "USD"},
            )
            balance = "12,000"
        except Declined as declined:
            told, balance = f"{WHY_NOT[declined.resolved_by]} Nothing was transferred.", "still 12,500"
        print(told)
        s.text(f"{told} Your balance is {balance} dollars.")
        s.complete(told)
