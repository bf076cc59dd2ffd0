// Every event with text for people says its language when it leaves: its agent's word, or what the daemon knows of it (AAEP §11.1, R2).
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import type { AgentHandle } from "../../../src/engine/agents/agent-handle.js";
import type { AgentEvent, JournaledEvent } from "../../../src/engine/event/event.js";
import { untoldText } from "../../support/oracles/told-language.js";
import { createEngineRig, type EngineRig, session } from "../../support/rigs/engine-rig.js";

const { started, chunk, state, progress, invoked, toolDone, confirmation } = session();

const inLanguage = (language: string) => ({ localization_hints: { primary_language: language } });

/** Publishes one event as an agent writes it, and answers it as it was journaled. */
function createStage(defaultLanguage = "en-US") {
  const journaled: JournaledEvent[] = [];
  const rig = createEngineRig({ engine: { defaultLanguage }, journaled: (entry) => void journaled.push(entry) });
  const agent = rig.openAgent({ agent_id: "planner" });
  const publish = (fields: Record<string, unknown>, from: AgentHandle = agent): AgentEvent => {
    const before = journaled.length;
    from.publish([{ fields: structuredClone(fields), source: JSON.stringify(fields), isHandedOver: true }], false);
    rig.clock.settle();
    const own = journaled.slice(before).findLast(({ made }) => made === undefined);
    if (own === undefined) throw new Error("nothing was journaled");
    return own.event;
  };
  const language = (fields: Record<string, unknown>): string | undefined =>
    publish(fields).localization_hints?.primary_language;
  return { rig, agent, publish, language, journaled };
}

/** An event that lacks nothing but its language. */
const whole = (rig: EngineRig, fields: Record<string, unknown>): Record<string, unknown> => ({
  "@context": "https://aaep-protocol.org/context/v1",
  timestamp: new Date(rig.clock.wallTime()).toISOString(),
  producer: { agent_id: "planner" },
  urgency: "normal",
  event_id: "evt_again",
  ...fields,
});

// The order of all that may say it is walked (session-walks.test.ts).
it("R2: a language that the daemon knows itself is told with the direction of its script", () => {
  const { publish } = createStage("ar-SA");
  expect(publish(started()).localization_hints).toEqual({ primary_language: "ar-SA", text_direction: "rtl" });
  expect(publish({ ...chunk("Hello."), language: "en" }).localization_hints).toEqual({ primary_language: "en" });
});

describe("AAEP §11.1: the language is told of text for people, and of nothing else", () => {
  const reasoned = (fields: Record<string, unknown>) => ({ ...toolDone("search", "call_1"), ...fields });
  it.each<[string, Record<string, unknown>]>([
    ["a summary of a state", { ...state("calling_tool", "thinking"), summary_terse: "Thinks." }],
    ["a summary in another language alone", { ...state("calling_tool", "thinking"), summary_normal_yo: "Ó ń ronú." }],
    ["the description of progress", { ...progress(5), progress: { percent: 5, description: "Reading." } }],
    ["an error's message", reasoned({ status: "error", error_message: "No such book." })],
    ["a chunk", chunk("Text.")],
    ["an empty chunk", chunk("", true)],
    ["a question", confirmation("rpl_1")],
    ["a summary of an extension's", { type: "https://acme.example/types/pulse", summary_normal: "Buzzes." }],
  ])("%s", (_, fields) => {
    const { language } = createStage();
    language({ ...started(), ...inLanguage("de") });
    language(invoked("search", "call_1"));
    expect(language({ session_id: "sess_1", ...fields })).toBe("de");
  });

  it.each<[string, Record<string, unknown>]>([
    ["a state", state("calling_tool", "thinking")],
    ["a percentage", progress(5)],
    ["a tool that is done", toolDone("search", "call_1")],
    ["an extension's own data", { type: "https://acme.example/types/pulse", description: "0x51" }],
  ])("not of %s", (_, fields) => {
    const { publish } = createStage();
    publish({ ...started(), ...inLanguage("de") });
    publish(invoked("search", "call_1"));
    expect(publish({ session_id: "sess_1", ...fields })).not.toHaveProperty("localization_hints");
  });
});

describe("R2, R3: what was filled in is no other event", () => {
  it.each(["as text", "as members"] as const)(
    "a repeat %s gets its first answer, and another language is another event",
    (form) => {
      const { rig, agent } = createStage();
      const publish = (fields: Record<string, unknown>) => {
        const input = { fields: structuredClone(fields), isHandedOver: true };
        return agent.publish([form === "as text" ? { ...input, source: JSON.stringify(fields) } : input], false).events;
      };
      publish(started());
      const complete = whole(rig, { ...chunk("Text."), position: 0 });
      const partial = { ...chunk(" More."), event_id: "evt_partial" };
      for (const fields of [complete, partial]) {
        const first = publish(fields);
        expect(publish(fields)).toEqual(first);
        expect(() => publish(Object.fromEntries(Object.entries(fields).reverse()))).toThrow(Fault);
        expect(() => publish({ ...fields, ...inLanguage("yo") })).toThrow(Fault);
        expect(() => publish({ ...fields, chunk: "Other." })).toThrow(Fault);
      }
    },
  );

  it("AAEP §3.7: the event keeps its limits with what it gets", () => {
    const { rig, publish } = createStage();
    publish(started());
    const extensions = { acme: { notes: ["", "", "", "", ""] } };
    const context = ["https://aaep-protocol.org/context/v1", "https://acme.example/acme/context/v1"];
    const fields = whole(rig, { ...chunk("Text."), position: 0, extensions, "@context": context });
    const withHints = JSON.stringify({ ...fields, ...inLanguage("en-US") }).length;
    const filled = (bytes: number): Record<string, unknown> => {
      const notes = Array.from({ length: 5 }, (_, index) => "x".repeat(index === 0 ? bytes : 13_000));
      return { ...fields, extensions: { acme: { notes } } };
    };
    const room = 65_536 - withHints - 4 * 13_000;
    expect(JSON.stringify(publish(filled(room)))).toHaveLength(65_536);
    const over = { ...filled(room + 1), event_id: "evt_other", position: 5 };
    expect(JSON.stringify(over).length).toBeLessThan(65_536);
    expect(() => publish(over)).toThrow(expect.objectContaining({ code: "message_too_large" }));
  });
});

describe("R31: the daemon's own texts say the language in which they are written", () => {
  const S2 = session("sess_2");
  /** All that the daemon says of itself: as listeners who read one language hear it, and as it stands in the journal. */
  function daemonsWords(defaultLanguage: string, languages: readonly string[]) {
    const kept: AgentEvent[] = [];
    const rig = createEngineRig({
      engine: { defaultLanguage },
      journaled: ({ event }) => void kept.push(event),
    });
    const agent = rig.openAgent({ agent_id: "planner" });
    const able = rig.listen({ supportsConfirmationReply: true, languages });
    const listener = rig.listen({ languages });
    const publish = (...events: Record<string, unknown>[]) => {
      for (const fields of events) agent.publish([{ fields }], false);
      rig.clock.settle();
    };
    publish(started(), invoked("search", "call_1"), chunk("Half a "));
    const newcomer = rig.listen({ languages });
    publish({ ...confirmation("rpl_1"), timeout_seconds: 200 });
    const late = rig.listen({ languages });
    rig.advance(150_000);
    rig.advance(60_000);
    publish(confirmation("rpl_2", { action: "Move it." }), state("awaiting_input", "thinking"));
    publish(S2.started(), S2.invoked("search", "call_2"), S2.confirmation("rpl_3"));
    publish({ ...S2.completed(), type: "aaep:agent.session.cancelled", cancelled_by: "user" });
    agent.close();
    rig.advance(5000);
    return {
      kept,
      heard: [able, listener, newcomer, late].flatMap(({ received }) => received.map(({ event }) => event)),
    };
  }

  it.each<[string, readonly string[], string]>([
    ["yo-NG", ["yo"], "en"],
    ["yo-NG", ["yo-NG", "de"], "de"],
    ["en-US", ["en"], "en"],
    ["ja", ["yo"], "ja"],
  ])("by default %s, to those who read %j: %s", (defaultLanguage, languages, language) => {
    const { kept, heard: events } = daemonsWords(defaultLanguage, languages);
    for (const event of [...kept, ...events]) expect(untoldText(event), event.type).toBeUndefined();
    const own = events.filter(({ extensions }) => extensions?.aaepd?.by === "daemon");
    const spoken = own.filter((event) => event.summary_normal !== undefined);
    const kinds = new Set(
      spoken.map(({ type, error_code, extensions }) => [type, error_code, Object.keys(extensions?.aaepd ?? {})].join()),
    );
    // The sum, the notice, its resolution in two ways, the reminder, the abandoned tool and the agent that is gone.
    expect(kinds.size).toBeGreaterThanOrEqual(6);
    expect(kinds).toContainEqual(expect.stringContaining("AGENT_DISCONNECTED"));
    for (const event of spoken) expect(event.localization_hints?.primary_language, event.type).toBe(language);
  });
});

describe("R2, R14: an event's own language and its variants", () => {
  it("R10, R12: merged text has the same bytes whether it was read as it came or read back", () => {
    const { rig, publish } = createStage();
    const live = rig.listen();
    publish(started());
    for (const [index, text] of ["One ", "sentence. ", "And ", "another."].entries()) {
      const position = [0, 4, 14, 18][index];
      publish({ ...whole(rig, chunk(text, index === 3)), position, event_id: `evt_part${index}` });
    }
    rig.advance(5000);
    const back = rig.listen({}, "back", live.places[0]?.cursor);
    rig.advance(5000);
    const texts = ({ received }: typeof live) =>
      received.filter(({ event }) => event.chunk !== undefined).map(({ event }) => JSON.stringify(event));
    expect(texts(back)).toEqual(texts(live));
    expect(texts(live).length).toBeGreaterThan(1);
  });
});
