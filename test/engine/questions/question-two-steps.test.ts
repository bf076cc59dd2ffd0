// R5c: consent first, the call later. A call names the question that a reply accepted by its token.
import { describe, expect, it } from "vitest";
import { faultOf } from "../../support/fault-of.js";
import { type EngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";
import { ABLE, confirmation, give, started } from "../../support/rigs/question-rig.js";
import { createRuns } from "../../support/rigs/restart-rig.js";

const VOCABULARIES = ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"];

const call = (consent: unknown, id: string, more: Record<string, unknown> = {}) => ({
  ...session().invoked("write_file", id),
  "@context": VOCABULARIES,
  irreversible: true,
  extensions: { aaepd: { consent } },
  ...more,
});

const REFUSED = { code: "confirmation_required", pointer: "/extensions/aaepd/consent", rule: "R5c" };

function accepted(token: string, more: Record<string, unknown> = {}): { rig: EngineRig; able: Listener } {
  const rig = started();
  const able = rig.listen(ABLE);
  rig.publish(confirmation(token, more));
  expect(give(rig, able, token, "accept")).toBe(true);
  return { rig, able };
}

describe("R5c: consent in two steps", () => {
  it("permits one call, whatever ids the question and the call have", () => {
    const { rig } = accepted("rpl_1", { extra_context: { tool_call_id: "call_q", tool: "write_file" } });
    const unnamed = { ...session().invoked("write_file", "call_1"), irreversible: true };
    expect(faultOf(() => rig.publish(unnamed))).toMatchObject({ code: "confirmation_required" });
    rig.publish(call("rpl_1", "call_1"));
    expect(faultOf(() => rig.publish(call("rpl_1", "call_2")))).toMatchObject(REFUSED);
  });

  it("uses up that consent, and no other that would fit as well (R5)", () => {
    const { rig, able } = accepted("rpl_1");
    rig.publish(confirmation("rpl_2"));
    give(rig, able, "rpl_2", "accept");
    rig.publish(call("rpl_2", "call_1"));
    expect(faultOf(() => rig.publish(call("rpl_2", "call_2")))).toMatchObject(REFUSED);
    rig.publish(call("rpl_1", "call_2"));
    expect(
      faultOf(() => rig.publish({ ...session().invoked("write_file", "call_3"), irreversible: true })),
    ).toMatchObject({ code: "confirmation_required", rule: "AAEP §4.3.1, R5" });
  });

  it.each([
    ["Write-File", true],
    ["writefile", true],
    ["write", false],
  ])("a tool that the question named as %s: %s", (tool, isPermitted) => {
    const { rig } = accepted("rpl_1", { extra_context: { tool } });
    if (!isPermitted) expect(faultOf(() => rig.publish(call("rpl_1", "call_1")))).toMatchObject(REFUSED);
    // What was refused has used up nothing.
    const permitted = call("rpl_1", "call_2", isPermitted ? {} : { tool });
    expect(() => rig.publish(permitted)).not.toThrow();
  });

  it("uses it up for a call that can be undone too", () => {
    const { rig } = accepted("rpl_1");
    rig.publish(call("rpl_1", "call_1", { irreversible: false }));
    expect(faultOf(() => rig.publish(call("rpl_1", "call_2")))).toMatchObject(REFUSED);
    expect(faultOf(() => rig.publish(call("rpl_9", "call_3", { irreversible: false })))).toMatchObject(REFUSED);
  });

  it("is none of a rejection, a default, a host, an open question, another agent or another session", () => {
    const rig = started();
    const able = rig.listen(ABLE);
    const asked = (token: string, more: Record<string, unknown> = {}) => rig.publish(confirmation(token, more));
    asked("rpl_rejected");
    give(rig, able, "rpl_rejected", "reject");
    asked("rpl_defaulted", { irreversible: false, risk_level: "low", default_decision: "accept", timeout_seconds: 5 });
    rig.advance(5000);
    asked("rpl_host");
    rig.agent.cancel("rpl_host", undefined, "accept");
    rig.clock.settle();
    asked("rpl_open");
    asked("rpl_other", { producer: { agent_id: "other" } });
    give(rig, able, "rpl_other", "accept");
    rig.publish(session("sess_2").started(), { ...confirmation("rpl_elsewhere"), session_id: "sess_2" });
    give(rig, able, "rpl_elsewhere", "accept");
    const tokens = ["rejected", "defaulted", "host", "open", "other", "elsewhere"].map((name) => `rpl_${name}`);
    for (const token of tokens)
      expect(
        faultOf(() => rig.publish(call(token, "call_1"))),
        token,
      ).toMatchObject(REFUSED);
  });

  it("is taken back by a later rejection of the same action (AAEP §6.1)", () => {
    const { rig, able } = accepted("rpl_1", { action: "Write it." });
    rig.publish(confirmation("rpl_2", { action: "Write it." }));
    give(rig, able, "rpl_2", "reject");
    expect(faultOf(() => rig.publish(call("rpl_1", "call_1")))).toMatchObject(REFUSED);
  });

  it("R29: counts after a restart, once", async () => {
    const runs = createRuns();
    const run = runs.start();
    const able = run.listen(ABLE);
    const { resumeToken } = run.agent.publish([{ fields: session().started() }], false);
    run.publish(confirmation("rpl_1"), confirmation("rpl_2"));
    for (const token of ["rpl_1", "rpl_2"]) give(run, able, token, "accept");
    await run.flush();
    const second = runs.start();
    second.agent.resumeSession("sess_1", String(resumeToken));
    second.publish(call("rpl_2", "call_1"));
    expect(faultOf(() => second.publish(call("rpl_2", "call_2")))).toMatchObject(REFUSED);
    second.publish(call("rpl_1", "call_2"));
  });
});
