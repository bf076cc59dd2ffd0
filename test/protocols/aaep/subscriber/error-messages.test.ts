// What every error says (R20, R33): a code, a sentence, a place and a rule.
import { describe, expect, it } from "vitest";
import { FAULT_CODES, Fault } from "../../../../src/base/errors.js";
import { errorMessage } from "../../../../src/protocols/aaep/subscriber/subscriber-messages.js";
import { SubscriptionHandler } from "../../../../src/protocols/aaep/subscriber/subscription-handler.js";
import { SAME_USER_MAY_ALL } from "../../../../src/security/access.js";
import { rpcErrorFromFault } from "../../../../transports/json-rpc/status.js";
import { createSubscriberRig, type Document, requestOf } from "../../../support/peers/subscriber-calls.js";
import { isAsPublished } from "../../../support/published-schemas.js";
import { DEAF_STREAM } from "../../../support/rigs/rpc-peer.js";
import { createStreamRig } from "../../../support/rigs/stream-rig.js";

const ACCESS = SAME_USER_MAY_ALL.of({ label: "peer", trust: "same-user" });
const EVENTS = { stream: DEAF_STREAM, access: ACCESS };

describe("R20, R33: an error without a place or a rule of its own", () => {
  it.each(FAULT_CODES)("of code %s has both on the wire", (code) => {
    const message = errorMessage(new Fault(code, "Try again."));
    expect(message).toMatchObject({ code, pointer: "", rule: expect.stringMatching(/^(AAEP (§|app\. )|[RP]\d)/) });
    expect(isAsPublished("aaep", "AaepdError", message)).toBe(true);
    const { data } = rpcErrorFromFault(new Fault(code, "Try again."));
    expect(data).toEqual({ code, pointer: message.pointer, rule: message.rule });
  });

  it("keeps those that it has", () => {
    const fault = new Fault("invalid_event", "Try again.", { pointer: "/type", rule: "R3" });
    expect(errorMessage(fault)).toMatchObject({ pointer: "/type", rule: "R3" });
    expect(rpcErrorFromFault(fault).data).toMatchObject({ pointer: "/type", rule: "R3" });
  });

  it("is told so over a connection too: of what is no JSON, and of a request that did not come in time", async () => {
    const rig = createSubscriberRig();
    const [noisy, silent] = [rig.subscribeJson(), rig.subscribeJson()];
    noisy.send(Uint8Array.of(0x0a, 0x01, 0x7b));
    await rig.pass(60_000);
    expect(noisy.heard()[0]).toMatchObject({ code: "invalid_json", pointer: "", rule: "AAEP §3.8" });
    expect(silent.heard()[0]).toMatchObject({ code: "timed_out", pointer: "", rule: "R22" });
  });

  it("is told the rule of a stop where the daemon stops before there was a request", () => {
    const { services } = createSubscriberRig();
    const [said] = new SubscriptionHandler(services, EVENTS).lastWords("producer_shutdown").messages();
    expect(said).toMatchObject({ code: "shutting_down", pointer: "", rule: "R8a" });
  });
});

describe("AAEP §5.1: a message of a type that there is not", () => {
  const saidOf = ({ message }: Document): string => String(message);

  it("is told how to begin before there is a subscription, and what may be said while there is one", async () => {
    const rig = createSubscriberRig();
    const stream = rig.subscribeJson();
    const stray = { type: "foo.bar" };
    stream.say(stray);
    stream.say(requestOf());
    stream.say(stray);
    await rig.settle();
    const [before, , after] = stream.heard();
    expect(before).toMatchObject({ code: "unknown_type", pointer: "/type", rule: "AAEP §5.1" });
    expect(saidOf(before ?? {})).toContain("The first is a subscription.request");
    expect(after).toMatchObject({ code: "unknown_type", pointer: "/type", rule: "AAEP §5.1" });
    expect(saidOf(after ?? {})).not.toContain("subscription.request");
    expect(saidOf(after ?? {})).toContain("subscription.renegotiate");
  });

  it("is told how agents publish where it is an event", async () => {
    const rig = createSubscriberRig();
    const stream = rig.subscribeJson();
    for (const type of ["aaep:agent.session.started", "agent.tool.invoked"]) stream.say({ type });
    await rig.settle();
    for (const message of stream.heard())
      expect(saidOf(message)).toMatch(/The first is a subscription\.request\. An agent .* by aaep\.publish\.$/);
  });

  it("a misspelt type gets the nearest one", async () => {
    const rig = createSubscriberRig();
    const stream = rig.subscribeJson();
    stream.say({ type: "subscription.requests" });
    stream.say(requestOf());
    stream.say({ type: "aaepd.skp" });
    stream.say({ type: "skip" });
    await rig.settle();
    const [before, , after, bare] = stream.heard();
    expect(saidOf(bare ?? {})).toMatch(/Did you mean aaepd\.skip\?$/);
    expect(saidOf(before ?? {})).toMatch(/Did you mean subscription\.request\?$/);
    expect(saidOf(after ?? {})).toMatch(/Did you mean aaepd\.skip\?$/);
  });
});

it("AAEP §5.3.1.12: who asks for a signed manifest is not sent to set one up", async () => {
  const rig = createSubscriberRig();
  const stream = rig.subscribeJson();
  stream.say(requestOf({ accept_signed_manifests_only: true }));
  await rig.settle();
  expect(stream.heard()).toEqual([
    {
      type: "subscription.rejected",
      reason_code: "manifest_signature_required",
      reason_message: "There is no signed manifest here; subscribe without accept_signed_manifests_only.",
    },
  ]);
});

it("AAEP §5.2.2: a request's correlation_id stands in the log with what became of it, and is not sent back", () => {
  const lines: unknown[] = [];
  const rig = createStreamRig();
  const log = { ...rig.services.log, debug: (fields: object) => void lines.push(fields) };
  const stream = new SubscriptionHandler({ ...rig.services, log }, EVENTS);
  const { message } = stream.request(requestOf({}, { correlation_id: "trace-7" }));
  stream.request(requestOf({}, { correlation_id: "x".repeat(9000), aaep_version: "7.0.0" }));
  stream.request(requestOf());
  expect(message).not.toHaveProperty("correlation_id");
  expect(lines).toEqual([
    { subscription: message.subscription_id, correlation: "trace-7" },
    { reason: "version_unsupported", correlation: expect.stringMatching(/^x{100,255}.?$/) },
  ]);
});
