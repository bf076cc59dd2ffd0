// What a listener's command says of its connection.
import { expect, test } from "vitest";
import type { SubscriptionAccepted } from "#gen/aaep/types.js";
import { Fault } from "../../../src/base/errors.js";
import { interruptionInWords, stateInWords } from "../../../src/cli/shell/tail-states.js";
import type { SubscriberState } from "../../../src/client/listener/types.js";

const accepted = (aaepd: object, more: object = {}) => ({
  kind: "active" as const,
  isResumed: false,
  accepted: {
    producer: { agent_id: "aaepd" },
    honored_capabilities: { preferred_verbosity: "terse", aaepd },
    ...more,
  } as unknown as SubscriptionAccepted,
});

test.each([
  [{}, "Connected to aaepd: no rate limit, terse."],
  [{ resumed: "all" }, "Connected again to aaepd: no rate limit, terse."],
  [
    { resumed: "gap" },
    "Connected to aaepd: no rate limit, terse. The daemon does not have everything that came after the last place: it was too old, or a crash took it back.",
  ],
  [
    { resumed: "unknown" },
    "Connected to aaepd: no rate limit, terse. The daemon has another journal than before, so it does not know what was told last. Events since then are not shown.",
  ],
])("R17: met with %j", (aaepd, said) => {
  expect(stateInWords(accepted(aaepd), "")).toBe(said);
});

test.each([
  [{ coalesce_boundaries: 5, languages: null, max_events_per_second: "7", preferred_verbosity: {}, pace_wpm: [] }],
  [{ coalesce_boundaries: [null, {}], languages: [5] }],
])("terms of a broken producer, %j, end nothing: what cannot be read is left out", (terms) => {
  const broken = { honored_capabilities: terms, producer: null, negotiation_notes: 5 };
  const state = { kind: "active", isResumed: false, accepted: broken } as unknown as SubscriberState;
  expect(stateInWords(state)).toBe("Connected to a producer without a name: no rate limit.");
});

test("a daemon is named where its line is not labelled with the name, and its notes follow", () => {
  expect(stateInWords(accepted({}, { negotiation_notes: "A note." }), "aaepd")).toBe(
    "Connected: no rate limit, terse. A note.",
  );
});

test.each([
  [{ reason_code: "producer_shutdown" }, "it is shutting down (producer_shutdown)"],
  [{ reason_code: "recording_ended" }, "the recording has ended (recording_ended)"],
  [{ reason_code: "producer_error" }, "something went wrong in it (producer_error)"],
  [{ reason_code: "lagging" }, "this side reads too slowly (lagging)"],
  [{}, "it says no more (no reason given)"],
  [{ reason_code: "lagging", reason_message: "Read on." }, "Read on. (lagging)"],
])("a close with %j", (members, reason) => {
  const close = { type: "subscription.close", subscription_id: "sub_1", ...members };
  const because = { kind: "closed", close } as Parameters<typeof interruptionInWords>[0];
  const said = `The daemon has closed the subscription: ${reason}.`;
  expect(interruptionInWords(because)).toBe(said);
  const waiting = { kind: "waiting", retryInMs: 50, because } as const;
  expect(stateInWords(waiting, "")).toBe(`${said} Waiting for it to come back.`);
});

test("a rejection and a lost connection", () => {
  const rejected = { type: "subscription.rejected", reason_code: "rate_limit", reason_message: "Too many." };
  const because = { kind: "rejected", rejected } as Parameters<typeof interruptionInWords>[0];
  expect(stateInWords({ kind: "waiting", retryInMs: 50, because }, "")).toBe(
    "The daemon has rejected the subscription: Too many. (rate_limit) Trying again.",
  );
  const fault = { kind: "fault", fault: new Fault("peer_gone", "Gone.") } as const;
  expect(interruptionInWords(fault)).toBe("Gone.");
  expect(stateInWords({ kind: "waiting", retryInMs: 50, because: fault }, "")).toBe(
    "The daemon has gone. Waiting for it to come back.",
  );
});
