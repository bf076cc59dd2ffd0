// R5: a connection that has the session is nobody who can answer what is asked in it. Connections here are the objects by which the engine knows them.
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
        userInput: () => undefined,
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

describe.each(["agent first", "subscription first"] as const)("R5: one connection, %s", (order) => {
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
    expect(party.listener.subscription.listener.openQuestions().events).toEqual([]);
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

describe("R5: who is there to answer", () => {
  it("new terms do not change it", () => {
    const rig = rigOf({ engine: { confirmationGraceMs: 3000 } });
    const party = partyOf(rig, "agent first", { supportsConfirmationReply: false, supportsClarificationReply: false });
    publish(rig, party, session().started(), confirmation("rpl_1"));
    const { subscription } = party.listener;
    subscription.retune({ ...subscription.terms, ...ABLE, ownSessions: undefined });
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

it("R5: a connection is a party in each session of which it shows the token", () => {
  const rig = rigOf();
  const party = partyOf(rig);
  for (const id of ["sess_1", "sess_2"]) {
    const { resumeToken } = rig.agent.publish([{ fields: session(id).started() }], false);
    party.agent.publish([{ fields: session(id).progress(5) }], false, resumeToken);
    rig.publish(session(id).confirmation(`rpl_${id.slice(5)}`));
    expect(questionsIn(party.listener)).toEqual([]);
  }
});

describe("R5: a connection that has answered in a session", () => {
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

  it("may go on with what can be undone, and elsewhere", () => {
    const rig = rigOf();
    const { both } = heirThatAnswered(rig);
    publish(rig, both, session().progress(5));
    const person = rig.listen(ABLE, "person");
    publish(rig, both, session("sess_2").started(), { ...confirmation("rpl_2"), session_id: "sess_2" });
    expect(give(rig, person, "rpl_2", "accept")).toBe(true);
    publish(rig, both, { ...session("sess_2").invoked("pay", "call_1"), irreversible: true, risk_level: "high" });
  });
});
