"""Makes a Python program an agent that people can follow with a screen reader or a braille display, and that asks before it acts.

    from aaepd import Agent

    with Agent("librarian", name="Librarian") as agent:
        with agent.session("Looks for a book.") as s:
            s.text("It is on shelf 3.14.")

Nothing here stops or slows its program. Without a daemon an agent is silent, and nothing irreversible is permitted.
"""

from ._agent import Agent, Session
from ._aio import AsyncAgent, AsyncSession
from ._listener import Rejected, Subscription, subscribe
from ._messages import Fault
from ._outcomes import ClarificationOutcome, ConfirmationOutcome, Declined
from ._session import ToolCall, current_session

__all__ = [
    "Agent",
    "AsyncAgent",
    "AsyncSession",
    "ClarificationOutcome",
    "ConfirmationOutcome",
    "Declined",
    "Fault",
    "Rejected",
    "Session",
    "Subscription",
    "ToolCall",
    "current_session",
    "subscribe",
]
