"""An agent that publishes. The chapters leave open how events come in; the daemon takes them over JSON-RPC, by `aaep.publish`."""

from checks import Differs, holds, told
from envelope import enveloped, fresh

ENDS = ("session.completed", "session.errored", "session.cancelled")


class Refused(Exception):
    """The daemon refused a publish."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.error = error
        self.data = error.get("data", {})


class Agent:
    """`tells_time`: whether its events bear timestamps of its own; the daemon fills in what is left out (R2)."""

    def __init__(self, link, keeps_link=False, tells_time=True):
        self.link, self.keeps_link, self.tells_time = link, keeps_link, tells_time
        self.unread = []
        self.open_sessions = {}

    def call(self, method, params):
        number = fresh("call-")
        self.link.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            message = self.link.inbox.take()
            if message is None:
                raise Differs(f"The connection ended before {method} was answered.")
            if message.get("id") != number:
                self.unread.append(message)
            elif "error" in message:
                raise Refused(message["error"])
            else:
                return message["result"]

    def publish(self, *events):
        if not self.tells_time:
            events = [{key: value for key, value in event.items() if key != "timestamp"} for event in events]
        result = self.call("aaep.publish", list(events))
        told_ids = [one["event_id"] for one in result["events"]]
        holds(told_ids == [one["event_id"] for one in events], f"R33: published ids came back as {told(told_ids)}.")
        for event in events:
            kind = event["type"].rpartition("agent.")[2]
            if kind == "session.started":
                self.open_sessions[event["session_id"]] = True
            elif kind in ENDS:
                self.open_sessions.pop(event["session_id"], None)

    def outcome(self, token):
        """What became of a question that was published."""
        return self.told(lambda one: one.get("method") == "aaep.outcome" and one["params"]["reply_token"] == token)[
            "params"
        ]

    def told(self, matches):
        for index, message in enumerate(self.unread):
            if matches(message):
                return self.unread.pop(index)
        while True:
            message = self.link.inbox.take()
            if message is None:
                raise Differs("The agent's connection ended while it waited for an outcome.")
            if matches(message):
                return message
            self.unread.append(message)

    def session(self):
        return Session(self)

    def leave(self):
        for session_id in list(self.open_sessions):
            words = {"cancelled_by": "producer", "summary_normal": "The check is over."}
            self.publish(enveloped(session_id, "session.cancelled", words))
        if not self.keeps_link:
            self.link.hang_up()


class Session:
    """One session of an agent's. Each event is published with everything that its envelope needs, and answered as it was sent."""

    def __init__(self, agent):
        self.agent, self.id = agent, fresh("sess_")

    def make(self, kind, **members):
        return enveloped(self.id, kind, members)

    def emit(self, kind, **members):
        event = self.make(kind, **members)
        self.agent.publish(event)
        return event

    def start(self, **members):
        return self.emit("session.started", **{"summary_normal": "Your bank is at work.", **members})

    def state(self, left, entered, **members):
        return self.emit("state.changed", from_state=left, to_state=entered, **members)

    def complete(self, **members):
        return self.emit("session.completed", **{"summary_normal": "Done.", **members})

    def refuses(self, kind, rule, **members):
        """The event is refused, and the refusal names the paragraph."""
        try:
            self.emit(kind, **members)
        except Refused as refused:
            named = str(refused.data.get("rule"))
            holds(
                named.startswith(rule),
                f"{kind} with {told(members)} is refused by {named} and should be by {rule}: {refused}",
            )
            return refused
        raise Differs(f"{kind} with {told(members)} was taken and should be refused by {rule}.")
