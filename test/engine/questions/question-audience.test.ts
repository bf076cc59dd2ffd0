// R6, R7: whose presence keeps a question open.
import { describe, expect, it } from "vitest";
import type { EngineOptions } from "../../../src/engine/engine-options.js";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";
import { give } from "../../support/rigs/question-rig.js";

const { started, confirmation } = session();

function asked(engine: Partial<EngineOptions>, withAudience: boolean): { rig: EngineRig; leave: () => void } {
  const rig = createEngineRig({ engine });
  const able = withAudience ? rig.listen({ supportsConfirmationReply: true }) : undefined;
  rig.publish(started(), confirmation("rpl_1"));
  return { rig, leave: () => able?.subscription.close() };
}

const isOpen = (rig: EngineRig): boolean => rig.engine.status().openQuestionCount === 1;

describe("the audience of a question", () => {
  it("R6: with nobody to answer, the default applies at once", () => {
    expect(isOpen(asked({}, false).rig)).toBe(false);
  });

  it("R6: confirmation_grace_seconds gives somebody time to come", () => {
    const { rig } = asked({ confirmationGraceMs: 3000 }, false);
    rig.advance(2999);
    expect(isOpen(rig)).toBe(true);
    const late = rig.listen({ supportsConfirmationReply: true });
    expect(late.subscription.openQuestions().events.length).toBe(1);
    rig.advance(10_000);
    expect(isOpen(rig)).toBe(true);
    expect(give(rig, late, "rpl_1", "accept")).toBe(true);
    expect(give(rig, late, "rpl_1", "reject")).toBe(false);
  });

  it("R6: the grace ends", () => {
    const { rig } = asked({ confirmationGraceMs: 3000 }, false);
    rig.advance(3000);
    expect(isOpen(rig)).toBe(false);
  });

  it("R7: when the last who can answer leaves, the default applies", () => {
    const { rig, leave } = asked({ confirmationGraceMs: 3000 }, true);
    expect(isOpen(rig)).toBe(true);
    leave();
    expect(isOpen(rig)).toBe(false);
  });

  it("R7: reconnect_grace_seconds holds that back, and a return ends it", () => {
    const { rig, leave } = asked({ reconnectGraceMs: 2000 }, true);
    leave();
    rig.advance(1999);
    expect(isOpen(rig)).toBe(true);
    rig.listen({ supportsConfirmationReply: true });
    rig.advance(5000);
    expect(isOpen(rig)).toBe(true);
  });

  it("R7: a subscription that gives up answering is no audience any more", () => {
    const rig = createEngineRig();
    const able = rig.listen({ supportsConfirmationReply: true });
    rig.publish(started(), confirmation("rpl_1"));
    able.subscription.retune({ ...able.subscription.terms(), supportsConfirmationReply: false });
    expect(isOpen(rig)).toBe(false);
  });

  it("H7: the deadline counts from receipt", () => {
    const { rig } = asked({}, true);
    rig.advance(59_999);
    expect(isOpen(rig)).toBe(true);
    rig.advance(1);
    expect(isOpen(rig)).toBe(false);
  });
});
