import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type AgentEvent,
  type DaemonMade,
  defaultUrgency,
  type NewEvent,
  topicKind,
  type Urgency,
} from "../../../src/engine/event/event.js";
import { CORE_TYPE_URI } from "../../../src/engine/event/vocabulary.js";
import { compileFilter, wants } from "../../../src/engine/terms/filter.js";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import { casesOf } from "../../support/extent.js";

const CORE = [
  "session.started",
  "session.completed",
  "session.errored",
  "session.cancelled",
  "state.changed",
  "progress.updated",
  "tool.invoked",
  "tool.completed",
  "output.streaming",
  "awaiting.confirmation",
  "awaiting.clarification",
  "handoff.requested",
].map((kind) => `aaep:agent.${kind}`);

const fullName = (type: string) => CORE_TYPE_URI + type.slice("aaep:".length);
const type = fc.oneof(
  fc.constantFrom(...CORE),
  fc.constantFrom(...CORE).map(fullName),
  fc.constantFrom("haptic:pulse", "haptic:pulse.long", "https://x.example/types/a", "aaep", "*"),
);
/** A type or the beginning of one, so that patterns often meet types. */
const pattern = fc.oneof(
  type,
  fc.tuple(type, fc.nat(60)).map(([text, length]) => `${text.slice(0, length)}*`),
  fc.constantFrom("*", "a*c*", "aaep:*.started", ""),
);
const filters = fc.record({
  include: fc.array(pattern, { maxLength: 4 }),
  exclude: fc.array(pattern, { maxLength: 3 }),
});

/** Every pair of names spelled out, nothing compiled, nothing remembered. */
function delivers(include: readonly string[], exclude: readonly string[], name: string): boolean {
  const short = name.replace(CORE_TYPE_URI, "aaep:");
  const names = short.startsWith("aaep:") ? [short, short.replace("aaep:", CORE_TYPE_URI)] : [name];
  const meets = (one: string) =>
    names.some((each) => {
      if (!one.endsWith("*")) return each === one;
      const head = one.substring(0, one.length - 1);
      return each.indexOf(head) === 0;
    });
  return include.filter(meets).length > 0 && exclude.filter(meets).length === 0;
}

function entry(name: string, urgency?: Urgency, made?: DaemonMade, aaepd?: Record<string, unknown>): NewEvent {
  const kind = topicKind(name);
  const event: AgentEvent = {
    "@context": "https://aaep-protocol.org/context/v1",
    type: name,
    event_id: "evt_1",
    session_id: "sess_1",
    timestamp: "2026-05-24T14:22:11Z",
    producer: { agent_id: "a" },
    urgency: urgency ?? defaultUrgency(kind),
    ...(aaepd === undefined ? {} : { extensions: { aaepd } }),
  };
  return { event, kind, source: undefined, at: 0, ordinal: 1, made };
}

function isWanted(terms: Partial<Terms>, one: NewEvent): boolean {
  const complete = { ...defaultTerms(), ...terms };
  return wants(complete, compileFilter(complete.eventFilters), one);
}

const NOTHING = { include: [], exclude: [] };

describe("compileFilter", () => {
  test("R32: is exact against every pair of names compared, in any order of events", () => {
    fc.assert(
      fc.property(filters, fc.array(type, { minLength: 1, maxLength: 20 }), (one, types) => {
        const filter = compileFilter(one);
        for (const name of [...types, ...types]) expect(filter(name)).toBe(delivers(one.include, one.exclude, name));
      }),
      { numRuns: casesOf(2000) },
    );
  });

  test("AAEP §3.3: a core type goes by its short name and its full URI", () => {
    const short = compileFilter({ include: ["aaep:agent.tool.*"], exclude: ["aaep:agent.tool.completed"] });
    expect(short(`${CORE_TYPE_URI}agent.tool.invoked`)).toBe(true);
    expect(short(`${CORE_TYPE_URI}agent.tool.completed`)).toBe(false);
    const full = compileFilter({ include: [`${CORE_TYPE_URI}agent.session.*`], exclude: [] });
    expect(full("aaep:agent.session.started")).toBe(true);
    expect(full("aaep:agent.state.changed")).toBe(false);
  });
});

describe("wants", () => {
  test("AAEP §5.5.4, R32: include [] lets critical events through and nothing else", () => {
    const none = { eventFilters: NOTHING, supportsConfirmationReply: true, supportsClarificationReply: true };
    const passed = CORE.filter((name) => isWanted(none, entry(name)));
    expect(passed).toEqual([
      "aaep:agent.session.errored",
      "aaep:agent.awaiting.confirmation",
      "aaep:agent.awaiting.clarification",
      "aaep:agent.handoff.requested",
    ]);
    expect(isWanted(none, entry("aaep:agent.tool.invoked", "critical"))).toBe(true);
    expect(isWanted(none, entry("haptic:alarm", "critical"))).toBe(true);
  });

  test("R6: a question goes only to those that can answer it", () => {
    const confirmation = entry("aaep:agent.awaiting.confirmation");
    const clarification = entry(`${CORE_TYPE_URI}agent.awaiting.clarification`);
    expect(isWanted({}, confirmation)).toBe(false);
    expect(isWanted({ supportsConfirmationReply: true }, confirmation)).toBe(true);
    expect(isWanted({ supportsConfirmationReply: true }, clarification)).toBe(false);
    expect(isWanted({ supportsClarificationReply: true }, clarification)).toBe(true);
  });

  test("R6, R27, R31: a notice goes to those that cannot answer, and it, its resolution, sums and gaps pass filters", () => {
    const state = "aaep:agent.state.changed";
    const notice = entry(state, "critical", "notice", { by: "daemon", asks: "confirmation" });
    expect(isWanted({ eventFilters: NOTHING }, notice)).toBe(true);
    expect(isWanted({ eventFilters: NOTHING, supportsClarificationReply: true }, notice)).toBe(true);
    expect(isWanted({ eventFilters: NOTHING, supportsConfirmationReply: true }, notice)).toBe(false);
    expect(isWanted({ eventFilters: NOTHING }, entry(state, "normal", "resolution"))).toBe(true);
    expect(isWanted({ eventFilters: NOTHING }, entry(state, "normal", "state", { by: "daemon", gap: {} }))).toBe(true);
    expect(isWanted({ eventFilters: NOTHING }, entry(state, "normal", "state"))).toBe(true);
    expect(isWanted({ eventFilters: NOTHING }, entry("aaep:agent.tool.completed", "normal", "closing"))).toBe(false);
    // An agent cannot pass filters by claiming a gap.
    expect(isWanted({ eventFilters: NOTHING }, entry(state, "normal", undefined, { gap: {} }))).toBe(false);
  });

  test("R15: low cognitive load keeps background events away, and only those", () => {
    const low = { cognitiveLoad: "low" as const };
    expect(isWanted(low, entry("aaep:agent.progress.updated"))).toBe(false);
    expect(isWanted(low, entry("aaep:agent.progress.updated", "normal"))).toBe(true);
    expect(isWanted(low, entry("aaep:agent.state.changed", "background"))).toBe(false);
    expect(isWanted(low, entry("aaep:agent.state.changed"))).toBe(true);
    for (const load of ["medium", "high"] as const) {
      expect(isWanted({ cognitiveLoad: load }, entry("aaep:agent.progress.updated"))).toBe(true);
    }
  });
});
