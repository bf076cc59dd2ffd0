"""§5.2, §5.4 and §5.5: a request, and how it is accepted or rejected."""

from checks import check, holds, same, told, within
from listeners import REQUEST

CODES = (
    "version_unsupported",
    "manifest_signature_required",
    "capabilities_incompatible",
    "rate_limit",
    "authentication_required",
    "authorization_denied",
    "transport_unavailable",
    "unknown",
)

# §5.2.3, and what §5.4.3 answers to it.
WISH = {
    "max_events_per_second": 3,
    "preferred_verbosity": "normal",
    "languages": ["en-US"],
    "supports_confirmation_reply": True,
    "supports_clarification_reply": True,
    "coalesce_boundaries": ["sentence", "completion"],
    "event_filters": {"include": ["aaep:agent.*"], "exclude": ["aaep:agent.progress.updated"]},
    "supported_conformance_levels": [1, 2],
}
NAMES = {"subscriber_id": "reading-lamp", "subscriber_name": "Reading Lamp 11.2", "subscriber_version": "11.2.5621.0"}
ACCEPTED_MEMBERS = {
    "type",
    "subscription_id",
    "aaep_version",
    "producer",
    "honored_capabilities",
    "manifest_uri",
    "signed_manifest",
    "negotiation_notes",
}


def rejected(answer, *codes):
    within(answer, {"type": "subscription.rejected", "reason_message": lambda text: bool(text)}, "The answer")
    code = answer["reason_code"]
    holds(code in CODES, f"§5.5.3: {told(code)} is none of its reason codes.")
    holds(
        code in codes,
        f"§5.5.3: the reason is {told(code)} and should be {' or '.join(codes)}: {answer['reason_message']}",
    )
    return answer


@check("§5.2.3", "the example is accepted as §5.4.3 draws it")
def example(stage):
    answer = stage.stranger().request(WISH, **NAMES)
    expected = {
        "type": "subscription.accepted",
        "subscription_id": lambda text: text.startswith("sub_") and text[4:].isalnum(),
        "aaep_version": "1.0.0",
        "producer": {"agent_id": lambda text: bool(text)},
        "honored_capabilities": WISH,
    }
    within(answer, expected, "The answer")
    strange = set(answer) - ACCEPTED_MEMBERS
    holds(not strange, f"§5.4: the acceptance has {sorted(strange)}, which it does not have in the chapter.")


@check("§5.2.1", "a request without one of its required members is rejected, and the connection may try again")
def required(stage):
    listener = stage.stranger()
    whole = {**REQUEST, "capabilities": {}}
    for missing in ("aaep_version", "subscriber_id", "capabilities"):
        listener.say({key: value for key, value in whole.items() if key != missing})
        rejected(listener.answer(), *CODES)
    for spoilt in ({"aaep_version": 1}, {"subscriber_id": ""}, {"capabilities": []}):
        listener.say({**whole, **spoilt})
        rejected(listener.answer(), *CODES)
    within(listener.request({}), {"type": "subscription.accepted"}, "The answer to a whole request")


@check("§5.2.2", "every optional member is taken, and so are members that nobody knows yet (§12.6.1)")
def optional(stage):
    answer = stage.stranger().request(
        {},
        **NAMES,
        subscriber_manifest_uri="https://lamp.example/manifest.json",
        correlation_id="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        extensions={"haptic": {"calibrated": True}},
        member_of_a_later_version={"of": ["any", "form"]},
    )
    within(answer, {"type": "subscription.accepted", "aaep_version": "1.0.0"}, "The answer")


@check("§5.3", "the empty object asks for the defaults")
def defaults(stage):
    honored = stage.stranger().request({})["honored_capabilities"]
    expected = {
        "preferred_verbosity": "normal",
        "languages": ["en-US"],
        "supports_confirmation_reply": False,
        "supports_clarification_reply": False,
        "coalesce_boundaries": ["sentence", "completion"],
        "event_filters": {"include": ["aaep:agent.*"], "exclude": []},
        "supported_conformance_levels": [1],
        "supported_extensions": [],
        "cognitive_load": "medium",
        "accept_signed_manifests_only": False,
    }
    for name, value in expected.items():
        same(honored.get(name, value), value, f"honored_capabilities.{name}")
    holds("max_events_per_second" not in honored, "A rate is honored that nobody asked for.")


@check("§5.4.4", "what is honored is never more than what was asked for")
def not_more(stage):
    listener = stage.stranger()
    wishes = (
        {"max_events_per_second": 1, "languages": ["yo", "en"], "coalesce_boundaries": ["completion"]},
        {"max_events_per_second": 100_000, "languages": ["de-AT"], "coalesce_boundaries": ["none", "word"]},
        {"languages": ["tlh", "en-GB"], "supported_conformance_levels": [3], "supports_confirmation_reply": True},
        {"event_filters": {"include": ["aaep:agent.tool.*"], "exclude": ["aaep:agent.tool.completed"]}},
        {"event_filters": {"exclude": ["aaep:agent.progress.updated", "aaep:agent.state.changed"]}},
        {"coalesce_boundaries": ["paragraph", "word", "sentence"], "cognitive_load": "low"},
    )
    for wish in wishes:
        # A further request on a connection that has a subscription is a new negotiation (R33).
        honored = listener.request(wish)["honored_capabilities"]
        holds(
            honored.get("max_events_per_second", 0) <= wish.get("max_events_per_second", 0),
            f"The rate: {told(honored)}",
        )
        for name in ("languages", "coalesce_boundaries", "supported_conformance_levels"):
            asked = wish.get(name)
            holds(asked is None or set(honored[name]) <= set(asked), f"{name} {told(honored[name])} for {told(asked)}")
        filters = wish.get("event_filters", {})
        same(honored["event_filters"].get("include"), filters.get("include", ["aaep:agent.*"]), "event_filters.include")
        same(honored["event_filters"].get("exclude"), filters.get("exclude", []), "event_filters.exclude")


@check(
    "§5.5.3",
    "version_unsupported: another major version is rejected; a later 1.x and the draft are spoken as 1.0.0 (R21)",
)
def versions(stage):
    listener = stage.stranger()
    for version in ("2.0.0", "0.9.0", "10.0.0"):
        rejected(listener.request({}, aaep_version=version), "version_unsupported")
    for version in ("1.0.0", "1.1.0", "1.7.3", "0.1.0-draft"):
        answer = listener.request({}, aaep_version=version)
        within(answer, {"type": "subscription.accepted", "aaep_version": "1.0.0"}, f"The answer to {version}")
        same("negotiation_notes" in answer, version != "1.0.0", f"Whether a note tells what became of {version}")


@check("§5.5.3", "manifest_signature_required: there is no signed manifest (§5.3.1.12)")
def signed(stage):
    listener = stage.stranger()
    rejected(listener.request({"accept_signed_manifests_only": True}), "manifest_signature_required")
    within(listener.request({"accept_signed_manifests_only": False}), {"type": "subscription.accepted"}, "The answer")


@check("§5.5.3", "capabilities_incompatible: nothing of what was asked for can be had, or nobody can read it")
def incompatible(stage):
    listener = stage.stranger()
    for capabilities in (
        {"coalesce_boundaries": ["token"]},
        {"supported_conformance_levels": [9]},
        {"languages": []},
        {"max_events_per_second": 0},
        {"max_events_per_second": "3"},
        {"languages": "en"},
        {"supports_confirmation_reply": "yes"},
        {"event_filters": []},
        {"pace_wpm": 49},
        {"pace_wpm": 1001},
    ):
        rejected(listener.request(capabilities), "capabilities_incompatible")


@check(
    "§5.5.3",
    "rate_limit: a daemon that has as many subscriptions as it takes says when to try again (§5.5.2)",
    needs="plain",
)
def too_many(stage):
    # The daemons of these checks take five.
    for _ in range(5):
        stage.listener()
    answer = rejected(stage.stranger().request({}), "rate_limit")
    holds(isinstance(answer.get("retry_after_seconds"), int), f"§5.5.2: {told(answer)}")


@check("§5.1", "whoever has not asked yet is told to, and may ask then")
def nothing_before(stage):
    listener = stage.stranger()
    listener.say({"type": "subscription.renegotiate", "subscription_id": "sub_1", "capabilities": {}})
    same(listener.answer()["type"], "aaepd.error", "The answer")
    within(listener.request({}), {"type": "subscription.accepted"}, "The answer to the request")
