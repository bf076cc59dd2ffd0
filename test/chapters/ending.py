"""§5.8: the producer closes. The last check of a way, for nothing follows it."""

from checks import check, same, within


@check("§5.8", "a daemon that is stopped in order says so before it disconnects")
def producer_closes(stage):
    listener = stage.listener()
    subscription = listener.id
    stage.way.stop_daemon()
    close = listener.hear(lambda one: one["type"] == "subscription.close", "the daemon closed")
    within(close, {"subscription_id": subscription, "reason_code": lambda code: bool(code)}, "subscription.close")
    rest = []
    while not rest or rest[-1]["type"] != "(end)":
        rest.append(listener.next())
    same([one["type"] for one in rest if "event_id" in one], [], "Events after the close")
    listener.id = None
