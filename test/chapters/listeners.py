"""A subscriber's side of a conversation. Checks say and hear messages of AAEP; what wraps them on the way is known here alone."""

from checks import holds, told
from envelope import assert_envelope

REQUEST = {"type": "subscription.request", "aaep_version": "1.0.0", "subscriber_id": "chapters"}
ANSWERS = ("subscription.accepted", "subscription.rejected", "aaepd.error")
END = {"type": "(end)"}
PREFIX = "aaep:agent."


def fits(event, kind, members):
    return event["type"] == PREFIX + kind and all(event.get(key) == value for key, value in members.items())


def kinds_of(events):
    return [one["type"][len(PREFIX) :] for one in events]


class Listener:
    """Messages without an envelope, as chapter 5 draws them (B.4, B.5.2)."""

    def __init__(self, link):
        self.link = link
        self.unread = []
        self.id = None
        self.accepted = None

    # What is said and what comes, in the words of this connection.

    def say(self, message):
        self.link.send(message)

    def incoming(self):
        message = self.link.inbox.take()
        return END if message is None else message

    # What checks ask for.

    def next(self):
        """The next message, whatever it is."""
        return self.unread.pop(0) if self.unread else self.coming()

    def coming(self):
        message = self.incoming()
        holds(message["type"] != "(broken)", f"The connection broke: {message.get('why')}")
        if "event_id" in message and message["type"] != "aaepd.error":
            assert_envelope(message)
        return message

    def hear(self, matches, what):
        """The first message that matches, taken out; the others stay, in their order."""
        for index, message in enumerate(self.unread):
            if matches(message):
                return self.unread.pop(index)
        while True:
            message = self.coming()
            if matches(message):
                return message
            holds(message is not END, f"The connection ended before {what}; before that came {told(self.unread)}.")
            self.unread.append(message)

    def event(self, kind, **members):
        """The first event of a kind that has these members."""
        return self.hear(lambda one: fits(one, kind, members), f"an event {kind} came")

    def events_until(self, kind, **members):
        """All events up to one of this kind that has these members, that one the last."""
        heard = []
        while True:
            message = self.next()
            holds(message is not END, f"The connection ended before {kind}; before that came {told(heard)}.")
            if "event_id" in message:
                heard.append(message)
                if fits(message, kind, members):
                    return heard

    def answer(self):
        return self.hear(lambda one: one["type"] in ANSWERS, "an answer came")

    def request(self, capabilities, **members):
        """A subscription.request, and its answer."""
        self.say({**REQUEST, "capabilities": capabilities, **members})
        return self.settled(self.answer())

    def renegotiate(self, capabilities, **members):
        self.say(
            {"type": "subscription.renegotiate", "subscription_id": self.id, "capabilities": capabilities, **members}
        )
        return self.settled(self.answer())

    def settled(self, answer):
        if answer["type"] == "subscription.accepted":
            self.accepted = answer
            self.id = answer["subscription_id"]
        return answer

    def meanwhile(self):
        """Everything that has come by the time that a message sent now is answered: what should have stayed silent is not in it."""
        self.say({"type": "subscription.renegotiate", "subscription_id": self.id, "capabilities": {}})
        # An error would be one of what should have stayed silent.
        self.settled(self.hear(lambda one: one["type"] == "subscription.accepted", "a renegotiation was accepted"))
        heard, self.unread = self.unread, []
        return heard

    def close(self, **members):
        self.say(
            {"type": "subscription.close", "subscription_id": self.id, "reason_code": "subscriber_shutdown", **members}
        )

    def rest(self):
        """All that still comes up to the end of the subscription, which was closed."""
        rest = []
        while True:
            message = self.next()
            if message is END:
                return rest
            if message["type"] == "(status)":
                holds(message["status"] == "0", f"A call that its listener closed ended with {told(message)}.")
            else:
                rest.append(message)

    def leave(self):
        """Ends what there is of it, and waits until the daemon knows."""
        if self.id is not None:
            self.close()
            self.id = None
            self.rest()
        self.link.hang_up()

    def vanish(self):
        """An abrupt disconnection (§5.8)."""
        self.link.hang_up()
        self.id = None


METHODS = {
    "subscription.request": "aaep.subscribe",
    "subscription.renegotiate": "aaep.renegotiate",
    "subscription.close": "aaep.close",
    "confirmation.reply": "aaep.reply",
    "clarification.reply": "aaep.reply",
}
REQUESTS = ("aaep.subscribe", "aaep.renegotiate", "aaep.ping")


class RpcListener(Listener):
    """The same in the envelopes of JSON-RPC 2.0 (B.6.2, B.6.3). A connection outlasts its subscriptions here."""

    def __init__(self, link, keeps_link=False):
        super().__init__(link)
        self.keeps_link = keeps_link
        self.count = getattr(link, "count", 0)
        self.asked = {}
        self.has_several = False
        self.owners = []

    def say(self, message):
        # A type that the binding has no method for is its own.
        self.call(METHODS.get(message["type"], message["type"]), message)

    def call(self, method, params, is_request=False):
        envelope = {"jsonrpc": "2.0", "method": method, "params": params}
        if is_request or method in REQUESTS:
            self.count += 1
            # Later listeners on the same connection count on.
            self.link.count = self.count
            self.asked[self.count] = method
            envelope["id"] = self.count
        self.link.send(envelope)

    def incoming(self):
        while True:
            message = super().incoming()
            if message.get("type") in ("(broken)", "(end)"):
                return message
            holds(
                message.get("jsonrpc") == "2.0",
                f"B.6.2: an envelope came that is none of JSON-RPC 2.0: {told(message)}",
            )
            if "method" in message:
                return self.notified(message)
            # Of a listener before, on the same connection.
            if message.get("id") in self.asked or "error" in message and message.get("id") is None:
                return self.answered(message, self.asked.pop(message.get("id"), None))

    def notified(self, message):
        method, params = message["method"], message["params"]
        if method == "aaep.event":
            beside = {"subscription_id"} if self.has_several else set()
            holds(
                set(message) == {"jsonrpc", "method", "params"} | beside, f"B.6.2: an event came in {sorted(message)}."
            )
            self.owners.append((message.get("subscription_id"), params))
            return params
        if method == "aaep.error":
            return {**params, "type": "aaepd.error"}
        return {"type": method, **params} if method != "aaep.close" else params

    def answered(self, message, method):
        if "error" in message:
            return {**message["error"].get("data", {}), "message": message["error"]["message"], "type": "aaepd.error"}
        return (
            message["result"]
            if method in METHODS.values() and method != "aaep.reply"
            else {"type": "(result)", **message["result"]}
        )

    def request(self, capabilities, **members):
        """Another request would be another subscription here, beside the first: that one is closed before."""
        if self.id is not None:
            self.close()
            self.id = None
        return super().request(capabilities, **members)

    def beside(self, capabilities):
        """A second subscription on the same connection, which the first outlasts. Answers its id."""
        self.has_several = True
        self.owners = []
        return super().request(capabilities)["subscription_id"]

    def owned(self, count):
        """So many events, each with the subscription that it is for."""
        while len(self.owners) < count:
            self.coming()
        return self.owners

    def ping(self):
        return self.result("aaep.ping", {})

    def result(self, method, params):
        self.call(method, params, is_request=True)
        answer = self.hear(lambda one: one["type"] == "(result)", f"{method} was answered")
        return {key: value for key, value in answer.items() if key != "type"}

    def rest(self):
        """The connection goes on; a ping that is answered shows that nothing more comes of the subscription."""
        self.ping()
        rest, self.unread = self.unread, []
        return rest

    def leave(self):
        if self.id is not None:
            self.close()
            self.id = None
            self.rest()
        if not self.keeps_link:
            self.link.hang_up()
