// R19: a subscription that was sent a question and asked for it is told of its replies that did not count: the same for every reason, at most once a
// second.
import { describe, expect, it } from "vitest";
import { formatTimestamp } from "../../../src/engine/event/timestamps.js";
import type { Reply } from "../../../src/engine/questions/question-result.js";
import { createEngineRig, type EngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";
import { ABLE, clarification, confirmation, fates, give } from "../../support/rigs/question-rig.js";

const TOLD = { ...ABLE, replyStatus: true };

interface Stage {
  readonly rig: EngineRig;
  readonly told: readonly string[];
  readonly listener: Listener;
}

function stage(): Stage {
  const rig = createEngineRig();
  rig.publish(session().started());
  const told: string[] = [];
  const listener = rig.listen(TOLD, "person", undefined, undefined, (token) => told.push(token));
  return { rig, told, listener };
}

const emptyAnswer = ({ rig }: Stage, token: string): Reply => ({
  kind: "clarification",
  token,
  timestamp: formatTimestamp(rig.clock.wallTime()),
  response: "",
  decidedBy: undefined,
  confidence: undefined,
});

describe("R19: whatever was wrong with a reply", () => {
  const WRONG: Readonly<Record<string, (stage: Stage) => void>> = {
    not_offered: (one) => void one.listener.subscription.listener.reply(emptyAnswer(one, "rpl_c"), {}),
    wrong_kind: ({ rig, listener }) => void give(rig, listener, "rpl_c", "accept"),
    expired: ({ rig, listener }) =>
      void give(rig, listener, "rpl_1", "accept", { timestamp: "2036-01-01T00:00:00.000Z" }),
    malformed: ({ listener }) => listener.subscription.listener.refusedReply("malformed", "rpl_1", {}),
    wrong_subscription: ({ listener }) =>
      listener.subscription.listener.refusedReply("wrong_subscription", "rpl_1", {}),
    already_resolved: ({ rig, listener }) => {
      rig.agent.cancel("rpl_1");
      give(rig, listener, "rpl_1", "accept");
    },
    not_entitled: ({ rig, listener }) => {
      listener.subscription.retune({ ...listener.subscription.terms, supportsConfirmationReply: false });
      rig.listen(ABLE, "other");
      give(rig, listener, "rpl_1", "accept");
    },
  };
  it.each(Object.keys(WRONG))("%s: it is told, once, with the token and nothing else", (fate) => {
    const one = stage();
    one.rig.listen(ABLE, "witness");
    one.rig.publish(confirmation("rpl_1"), clarification("rpl_c"));
    WRONG[fate]?.(one);
    expect(fates(one.rig)).toEqual([fate]);
    expect(one.told).toEqual([fate === "not_offered" || fate === "wrong_kind" ? "rpl_c" : "rpl_1"]);
  });
});

describe("R19: who is told", () => {
  it("of questions that are over, those of the newest 256", () => {
    const { rig, told, listener } = stage();
    for (let index = 0; index < 257; index += 1) {
      rig.publish(confirmation(`rpl_${index}`));
      rig.agent.cancel(`rpl_${index}`);
      rig.clock.settle();
    }
    give(rig, listener, "rpl_0", "accept");
    expect(told).toEqual([]);
    give(rig, listener, "rpl_1", "accept");
    expect(told).toEqual(["rpl_1"]);
  });
});

describe("R19: at most once a second", () => {
  const spoil = ({ subscription }: Listener, token: string) =>
    subscription.listener.refusedReply("malformed", token, {});

  it("a thousand in a second are one, the next second has its own, and nothing follows the end of the subscription", () => {
    const { rig, told, listener } = stage();
    rig.publish(confirmation("rpl_1"));
    for (let index = 0; index < 1000; index += 1) spoil(listener, "rpl_1");
    rig.advance(999);
    spoil(listener, "rpl_1");
    expect(told.length).toBe(1);
    rig.advance(1);
    spoil(listener, "rpl_1");
    expect(told.length).toBe(2);
    rig.advance(1000);
    listener.subscription.close();
    spoil(listener, "rpl_1");
    rig.advance(5000);
    expect(told.length).toBe(2);
  });
});
