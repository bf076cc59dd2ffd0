// R5, S2: a connection that has the session is nobody who can answer what is asked in it. Connections here are the objects by which the engine knows them.
import { describe, expect, it } from "vitest";
import type { ResolvedQuestion } from "../../../src/engine/questions/question-result.js";
import {
  createEngineRig,
  type EngineRig,
  type Listener,
  type RigOptions,
  session,
} from "../../support/rigs/engine-rig.js";
import { ABLE, clarification, confirmation, fates, give, questionsIn } from "../../support/rigs/question-rig.js";

interface Party {
  readonly connection: object;
  readonly agent: ReturnType<EngineRig["engine"]["openAgent"]>;
  readonly outcomes: ResolvedQuestion[];
  readonly listener: Listener;
}

type Order = "agent first" | "subscription first";

/** A connection over which an agent and a subscription speak. */
function partyOf(rig: EngineRig, order: Order = "subscription first", terms = ABLE): Party {
  const connection = {};
  const outcomes: ResolvedQuestion[] = [];
  const open = () =>
    rig.engine.openAgent(
      undefined,
      {
        outcome: (resolved) => void outcomes.push(resolved),
        waiting: () => undefined,
        closing: () => undefined,
        stopRequested: () => undefined,
      },
      connection,
    );
  const before = order === "agent first" ? open() : undefined;
  const listener = rig.listen(terms, "party", undefined, connection);
  return { connection, agent: before ?? open(), outcomes, listener };
}

function publish(rig: EngineRig, { agent }: Pick<Party, "agent">, ...events: Record<string, unknown>[]) {
  const receipt = agent.publish(
    events.map((fields) => ({ fields })),
    true,
  );
  rig.clock.settle();
  return receipt;
}

const noticesIn = ({ received }: Listener) =>
  received.filter(({ event }) => event.extensions?.aaepd?.asks !== undefined);

const rigOf = (options: RigOptions = {}) => createEngineRig(options);

describe.each(["agent first", "subscription first"] as const)("R5, S2: one connection, %s", (order) => {
  it("with nobody else the default applies at once, and the asker has the notice alone", () => {
    const rig = rigOf();
    const party = partyOf(rig, order);
    publish(rig, party, session().started(), confirmation("rpl_1"), clarification("rpl_2", { default_response: "x" }));
    expect(party.outcomes.map(({ result }) => [result.resolvedBy, result.decision, result.response])).toEqual([
      ["no_subscriber", "reject", undefined],
      ["no_subscriber", undefined, "x"],
    ]);
    expect(questionsIn(party.listener)).toEqual([]);
    expect(noticesIn(party.listener).map(({ event }) => event.extensions?.aaepd?.asks)).toEqual([
      "confirmation",
      "clarification",
    ]);
  });

  it("a reply over it does not count, another's does", () => {
    const rig = rigOf();
    const party = partyOf(rig, order);
    const person = rig.listen(ABLE, "person");
    publish(rig, party, session().started(), confirmation("rpl_1"));
    expect([questionsIn(party.listener).length, questionsIn(person).length]).toEqual([0, 1]);
    expect(party.listener.subscription.openQuestions().events).toEqual([]);
    expect(give(rig, party.listener, "rpl_1", "accept")).toBe(false);
    expect(party.outcomes).toEqual([]);
    expect(give(rig, person, "rpl_1", "reject")).toBe(true);
    expect(fates(rig)).toEqual(["not_entitled", "counted"]);
    expect(() => publish(rig, party, { ...session().invoked("delete", "call_1"), irreversible: true })).toThrow(
      "[confirmation_required]",
    );
  });

  it("answers what others ask", () => {
    const rig = rigOf();
    const party = partyOf(rig, order);
    publish(rig, party, session("sess_own").started());
    rig.publish(session().started(), confirmation("rpl_1"));
    expect(questionsIn(party.listener).length).toBe(1);
    expect(give(rig, party.listener, "rpl_1", "accept")).toBe(true);
  });
});

describe("R5, S2: who is there to answer", () => {
  it("when the only other one goes, the default applies", () => {
    const rig = rigOf();
    const party = partyOf(rig);
    const person = rig.listen(ABLE, "person");
    publish(rig, party, session().started(), confirmation("rpl_1"));
    expect(rig.engine.report().questions[0]).toMatchObject({ ableCount: 1, shownCount: 1 });
    person.subscription.close();
    rig.clock.settle();
    expect(party.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["subscription_ended"]);
  });

  it("a second subscription of the asker's connection is nobody either, whenever it comes", () => {
    const rig = rigOf({ engine: { confirmationGraceMs: 3000 } });
    const party = partyOf(rig);
    publish(rig, party, session().started(), confirmation("rpl_1"));
    const late = rig.listen(ABLE, "late", undefined, party.connection);
    expect([questionsIn(late).length, noticesIn(late).length]).toEqual([0, 1]);
    expect(give(rig, late, "rpl_1", "accept")).toBe(false);
    rig.advance(3000);
    expect(party.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["no_subscriber"]);
  });

  it("new terms do not change it", () => {
    const rig = rigOf({ engine: { confirmationGraceMs: 3000 } });
    const party = partyOf(rig, "agent first", { supportsConfirmationReply: false, supportsClarificationReply: false });
    publish(rig, party, session().started(), confirmation("rpl_1"));
    const { subscription } = party.listener;
    subscription.retune({ ...subscription.terms(), ...ABLE, ownSessions: undefined });
    rig.clock.settle();
    expect(questionsIn(party.listener)).toEqual([]);
    expect(give(rig, party.listener, "rpl_1", "accept")).toBe(false);
    expect(() => subscription.repeat(String(noticesIn(party.listener)[0]?.event.extensions?.aaepd?.question))).toThrow(
      "[not_found]",
    );
  });

  it("subscriptions of other connections with the same terms share a view as before", () => {
    const rig = rigOf();
    for (let index = 0; index < 5; index += 1) rig.listen(ABLE, `reader ${index}`, undefined, {});
    expect(rig.engine.status().viewCount).toBe(1);
    partyOf(rig);
    expect(rig.engine.status().viewCount).toBe(2);
    partyOf(rig, "agent first", { supportsConfirmationReply: false, supportsClarificationReply: false });
    partyOf(rig, "agent first", { supportsConfirmationReply: false, supportsClarificationReply: false });
    expect(rig.engine.status().viewCount).toBe(3);
  });
});

describe("R5, R8: a session that is taken over while its question is open", () => {
  const takenOver = () => {
    const rig = rigOf();
    const [first, heir, person] = [partyOf(rig), partyOf(rig), rig.listen(ABLE, "person")];
    const { resumeToken = "" } = publish(rig, first, session().started(), confirmation("rpl_1"));
    const before = [first, heir].map(({ listener }) => questionsIn(listener).length);
    heir.agent.resumeSession("sess_1", resumeToken);
    rig.clock.settle();
    return { rig, first, heir, person, before };
  };

  it("the new owner's connection cannot answer any more, though it was asked", () => {
    const { rig, heir, person, before } = takenOver();
    expect(before).toEqual([0, 1]);
    expect(give(rig, heir.listener, "rpl_1", "accept")).toBe(false);
    expect(fates(rig)).toEqual(["not_entitled"]);
    expect(give(rig, person, "rpl_1", "accept")).toBe(true);
  });

  it("nor can the old one, which asked it", () => {
    const { rig, first, person } = takenOver();
    expect(questionsIn(first.listener)).toEqual([]);
    expect(give(rig, first.listener, "rpl_1", "accept")).toBe(false);
    expect(fates(rig)).toEqual(["not_entitled"]);
    expect(give(rig, person, "rpl_1", "accept")).toBe(true);
  });

  it("an old one that asked nothing in it is asked, and can", () => {
    const rig = rigOf();
    const first = partyOf(rig);
    const heir = partyOf(rig);
    const { resumeToken = "" } = publish(rig, first, session().started());
    heir.agent.resumeSession("sess_1", resumeToken);
    publish(rig, heir, confirmation("rpl_1"));
    expect(questionsIn(first.listener).map(({ event }) => event.reply_token)).toEqual(["rpl_1"]);
    expect(give(rig, first.listener, "rpl_1", "accept")).toBe(true);
    expect(heir.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["reply"]);
  });

  it("S2: one that asks by the token, in a session that another has, does not answer itself", () => {
    const rig = rigOf();
    const owner = rig.openAgent();
    const party = partyOf(rig);
    const { resumeToken = "" } = owner.publish([{ fields: session().started() }], false);
    party.agent.publish([{ fields: confirmation("rpl_1") }], false, resumeToken);
    rig.clock.settle();
    expect(questionsIn(party.listener)).toEqual([]);
    expect(give(rig, party.listener, "rpl_1", "accept")).toBe(false);
    const call = { ...session().invoked("delete", "call_1"), irreversible: true };
    expect(() => party.agent.publish([{ fields: call }], false, resumeToken)).toThrow(/confirm/iu);
  });

  it("where the heir's was the only one that could answer, the default applies", () => {
    const rig = rigOf();
    const heir = partyOf(rig);
    const { resumeToken = "" } = rig.agent.publish([{ fields: session().started() }], false);
    rig.publish(confirmation("rpl_1"));
    expect(questionsIn(heir.listener).length).toBe(1);
    heir.agent.resumeSession("sess_1", resumeToken);
    rig.clock.settle();
    expect(heir.outcomes.map(({ result }) => [result.resolvedBy, result.decision])).toEqual([
      ["no_subscriber", "reject"],
    ]);
  });

  it("so it is where a session without an agent is taken over by publishing with its token", () => {
    const rig = rigOf();
    const heir = partyOf(rig);
    const gone = rig.openAgent();
    const { resumeToken } = gone.publish([{ fields: session().started() }], false);
    gone.publish([{ fields: confirmation("rpl_1") }], false);
    rig.clock.settle();
    gone.close();
    expect(rig.engine.status().openQuestionCount).toBe(1);
    heir.agent.publish([{ fields: session().progress(5) }], false, resumeToken);
    rig.clock.settle();
    expect(heir.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["no_subscriber"]);
  });

  it("R6, R8: the agent's return does not end a question that waits for somebody else", () => {
    const rig = rigOf({ engine: { confirmationGraceMs: 3000 } });
    const before = partyOf(rig);
    const { resumeToken = "" } = publish(rig, before, session().started(), confirmation("rpl_1"));
    before.listener.subscription.close();
    before.agent.close();
    const after = partyOf(rig);
    expect(questionsIn(after.listener).length).toBe(1);
    after.agent.resumeSession("sess_1", resumeToken);
    rig.clock.settle();
    expect(after.outcomes).toEqual([]);
    rig.advance(2999);
    const person = rig.listen(ABLE, "person");
    expect(give(rig, person, "rpl_1", "accept")).toBe(true);
    expect(after.outcomes.map(({ result }) => result.resolvedBy)).toEqual(["reply"]);
  });
});

describe("R5: a connection that has answered in a session", () => {
  const INVOKED = { ...session().invoked("pay", "call_1"), irreversible: true, risk_level: "high" };

  /** It answered the question of an agent that has gone, and then took the session over. */
  function heirThatAnswered(rig: EngineRig) {
    const asker = rig.openAgent();
    const { resumeToken = "" } = asker.publish([{ fields: session().started() }], false);
    const both = partyOf(rig);
    asker.publish([{ fields: confirmation("rpl_1") }], false);
    rig.clock.settle();
    expect(give(rig, both.listener, "rpl_1", "accept")).toBe(true);
    asker.close();
    both.agent.resumeSession("sess_1", resumeToken);
    return { both, resumeToken };
  }

  it("does there nothing that cannot be undone, by what token it may have the session now", () => {
    const rig = rigOf();
    const { both, resumeToken } = heirThatAnswered(rig);
    expect(() => publish(rig, both, INVOKED)).toThrow(expect.objectContaining({ code: "confirmation_required" }));
    // The connection that has it next may: the consent is a person's.
    const heir = rig.openAgent();
    heir.resumeSession("sess_1", resumeToken);
    expect(heir.publish([{ fields: INVOKED }], false).events).toHaveLength(1);
  });

  it("not even where it had the session while it was asked, and gave it back in between", () => {
    const rig = rigOf();
    const both = partyOf(rig);
    const { resumeToken = "" } = publish(rig, both, session().started());
    const guest = rig.openAgent();
    guest.publish([{ fields: confirmation("rpl_1") }], false, resumeToken);
    rig.listen(ABLE, "person");
    rig.openAgent().resumeSession("sess_1", resumeToken);
    rig.clock.settle();
    give(rig, both.listener, "rpl_1", "accept");
    both.agent.resumeSession("sess_1", resumeToken);
    expect(() => publish(rig, both, INVOKED)).toThrow(expect.objectContaining({ code: "confirmation_required" }));
  });

  it("may go on with what can be undone, and elsewhere", () => {
    const rig = rigOf();
    const { both } = heirThatAnswered(rig);
    publish(rig, both, session().progress(5));
    const person = rig.listen(ABLE, "person");
    publish(rig, both, session("sess_2").started(), { ...confirmation("rpl_2"), session_id: "sess_2" });
    expect(give(rig, person, "rpl_2", "accept")).toBe(true);
    publish(rig, both, { ...session("sess_2").invoked("pay", "call_1"), irreversible: true, risk_level: "high" });
  });

  it("has not where its reply did not count", () => {
    const rig = rigOf();
    const both = partyOf(rig);
    publish(rig, both, session().started());
    const person = rig.listen(ABLE, "person");
    publish(rig, both, confirmation("rpl_1"));
    expect(give(rig, both.listener, "rpl_1", "accept")).toBe(false);
    expect(give(rig, person, "rpl_1", "accept")).toBe(true);
    publish(rig, both, INVOKED);
  });
});
