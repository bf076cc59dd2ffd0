// What every error says (R20, R33): a code, a sentence, a place and a rule.
import { describe, expect, it } from "vitest";
import { FAULT_CODES, Fault } from "../../../../src/base/errors.js";
import { errorMessage } from "../../../../src/protocols/aaep/subscriber/subscriber-messages.js";
import { rpcErrorFromFault } from "../../../../transports/json-rpc/status.js";
import { createSubscriberRig, type Document, requestOf } from "../../../support/peers/subscriber-calls.js";
import { isAsPublished } from "../../../support/published-schemas.js";

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
