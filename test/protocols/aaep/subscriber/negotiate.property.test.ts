import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fault } from "../../../../src/base/errors.js";
import { compileFilter } from "../../../../src/engine/terms/filter.js";
import { BOUNDARIES, type Offer, type Terms } from "../../../../src/engine/terms/terms.js";
import { type Accepted, negotiate, renegotiate } from "../../../../src/protocols/aaep/subscriber/negotiate.js";
import {
  assertSubscriptionRequest,
  type Capabilities,
} from "../../../../src/protocols/aaep/validation/validate-messages.js";
import { casesOf } from "../../../support/extent.js";

const tag = fc.constantFrom("en", "en-US", "EN-us", "es", "es-419", "yo", "zh-Hant", "zh-Hans");
const pattern = fc.constantFrom("aaep:agent.*", "aaep:agent.tool.*", "aaep:agent.session.started", "x:*", "x:y", "*");
const TYPES = [
  "aaep:agent.tool.invoked",
  "aaep:agent.session.started",
  "aaep:agent.state.changed",
  "x:y",
  "x:z",
  "y:z",
];

/** Of each member the right, the wrong and the unknown. */
const capabilities: fc.Arbitrary<Capabilities> = fc.record(
  {
    max_events_per_second: fc.integer({ min: 1, max: 20 }),
    preferred_verbosity: fc.constantFrom("terse", "normal", "detailed"),
    languages: fc.array(tag, { minLength: 1, maxLength: 4 }),
    supports_confirmation_reply: fc.boolean(),
    supports_clarification_reply: fc.boolean(),
    coalesce_boundaries: fc.array(fc.constantFrom(...BOUNDARIES, "clause"), { minLength: 1, maxLength: 5 }),
    event_filters: fc.record(
      { include: fc.array(pattern, { maxLength: 3 }), exclude: fc.array(pattern, { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
    supported_conformance_levels: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 }),
    supported_extensions: fc.array(
      fc.constantFrom("urn:a", "https://x.example/a/context/v1", "https://x.example/b/context/v1"),
    ),
    cognitive_load: fc.constantFrom("low", "medium", "high"),
    pace_wpm: fc.integer({ min: 50, max: 1000 }),
    accept_signed_manifests_only: fc.boolean(),
    aaepd: fc.record({ paused: fc.boolean(), max_chars: fc.integer({ min: 70, max: 500 }) }, { requiredKeys: [] }),
    haptic: fc.anything(),
  },
  { requiredKeys: [] },
);

const offer: fc.Arbitrary<Offer> = fc.record({
  maxEventsPerSecond: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  isSpoken: fc.uniqueArray(tag).map((spoken) => (wanted: string) => spoken.some((one) => one === wanted)),
  coalesceBoundaries: fc.uniqueArray(fc.constantFrom(...BOUNDARIES), { minLength: 1 }),
  conformanceLevels: fc.uniqueArray(fc.constantFrom(1, 2, 3), { minLength: 1 }),
  signedManifest: fc.boolean(),
  burst: fc.constant(1),
});

const DEFAULTS = {
  languages: ["en-US"],
  coalesce_boundaries: ["sentence", "completion"],
  supported_conformance_levels: [1],
  supported_extensions: [],
};

/** What was asked for, with defaults, merged by an account of its own. */
function asked(history: readonly Capabilities[]) {
  const last = (name: string): unknown => history.findLast((one) => one[name] !== undefined)?.[name];
  const member = (name: string, inner: string): unknown => {
    const holder = history.findLast((one) => (one[name] as Capabilities | undefined)?.[inner] !== undefined);
    return (holder?.[name] as Capabilities | undefined)?.[inner];
  };
  const list = (name: keyof typeof DEFAULTS): readonly unknown[] =>
    (last(name) as readonly unknown[] | undefined) ?? DEFAULTS[name];
  return {
    rate: (last("max_events_per_second") as number | undefined) ?? Number.POSITIVE_INFINITY,
    list,
    include: (member("event_filters", "include") as readonly string[] | undefined) ?? ["aaep:agent.*"],
    exclude: (member("event_filters", "exclude") as readonly string[] | undefined) ?? [],
    confirms: (last("supports_confirmation_reply") as boolean | undefined) ?? false,
    clarifies: (last("supports_clarification_reply") as boolean | undefined) ?? false,
    signedOnly: (last("accept_signed_manifests_only") as boolean | undefined) ?? false,
    verbosity: last("preferred_verbosity") ?? "normal",
    load: last("cognitive_load") ?? "medium",
    pace: last("pace_wpm"),
    paused: member("aaepd", "paused") ?? false,
    maxChars: (member("aaepd", "max_chars") as number | undefined) ?? 16_384,
  };
}

function expectWithin(answer: Accepted, history: readonly Capabilities[], given: Offer): void {
  const { terms, honored } = answer;
  const wish = asked(history);
  const rate = terms.maxEventsPerSecond ?? Number.POSITIVE_INFINITY;
  expect(rate).toBe(Math.min(wish.rate, given.maxEventsPerSecond ?? Number.POSITIVE_INFINITY));
  const lower = (tags: readonly unknown[]) => tags.map((one) => String(one).toLowerCase());
  expect(lower(terms.languages)).toEqual([...new Set(lower(wish.list("languages")))]);
  expect(wish.list("coalesce_boundaries")).toEqual(expect.arrayContaining([...terms.coalesceBoundaries]));
  expect(given.coalesceBoundaries).toEqual(expect.arrayContaining([...terms.coalesceBoundaries]));
  expect(wish.list("supported_conformance_levels")).toEqual(
    expect.arrayContaining([...terms.supportedConformanceLevels]),
  );
  expect(given.conformanceLevels).toEqual(expect.arrayContaining([...terms.supportedConformanceLevels]));
  expect(wish.list("supported_extensions")).toEqual(expect.arrayContaining([...terms.supportedExtensions]));
  const lists: readonly (readonly (string | number)[])[] = [
    terms.languages,
    terms.coalesceBoundaries,
    terms.supportedConformanceLevels,
  ];
  for (const list of lists) {
    expect(list.length).toBeGreaterThan(0);
    expect(new Set<string | number>(list).size).toBe(list.length);
  }
  const granted = compileFilter(terms.eventFilters);
  const wanted = compileFilter({ include: wish.include, exclude: wish.exclude });
  for (const type of TYPES) expect(granted(type) && !wanted(type)).toBe(false);
  expect(terms).toMatchObject({
    supportsConfirmationReply: wish.confirms,
    supportsClarificationReply: wish.clarifies,
    preferredVerbosity: wish.verbosity,
    cognitiveLoad: wish.load,
    paceWpm: wish.pace,
    paused: wish.paused,
    maxChars: wish.maxChars,
  });
  if (wish.signedOnly) expect(given.signedManifest).toBe(true);
  expectSaid(honored, terms, given);
}

/** The wire form says the terms, whatever they are. */
function expectSaid(honored: Accepted["honored"], terms: Terms, { isSpoken }: Offer): void {
  expect(honored.max_events_per_second).toBe(terms.maxEventsPerSecond);
  expect(honored.pace_wpm).toBe(terms.paceWpm);
  const spoken = terms.languages.filter(isSpoken);
  expect(honored.languages).toEqual(spoken.length === 0 ? terms.languages.slice(0, 1) : spoken);
  expect(honored.coalesce_boundaries).toEqual(terms.coalesceBoundaries);
  expect(honored.event_filters).toEqual(terms.eventFilters);
  expect(honored).not.toHaveProperty("haptic");
  expect(JSON.parse(JSON.stringify(honored))).toEqual(honored);
}

describe("AAEP §5.4.4: never more permissive than asked for", () => {
  test("at the start, and after any renegotiations (R32)", () => {
    let acceptedCount = 0;
    let renegotiatedCount = 0;
    fc.assert(
      fc.property(capabilities, fc.array(capabilities, { maxLength: 5 }), offer, (first, changes, given) => {
        let current: Accepted;
        try {
          current = negotiate({ aaep_version: "1.0.0", capabilities: first }, given);
        } catch (caught) {
          expect(caught).toBeInstanceOf(Fault);
          return;
        }
        acceptedCount += 1;
        const history = [first];
        expectWithin(current, history, given);
        for (const change of changes) {
          try {
            const answer = renegotiate(current, change, given);
            history.push(change);
            current = answer;
            renegotiatedCount += 1;
          } catch (caught) {
            // It cannot be served: the old terms stand.
            expect(caught).toBeInstanceOf(Fault);
          }
          expectWithin(current, history, given);
        }
      }),
      { numRuns: casesOf(3000) },
    );
    expect(acceptedCount).toBeGreaterThan(casesOf(300));
    expect(renegotiatedCount).toBeGreaterThan(casesOf(300));
  });

  test("whatever is sent is accepted or refused with a fault", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("languages", "aaepd", "event_filters", "pace_wpm", "x"), fc.anything()),
        offer,
        (any, given) => {
          const request: unknown = {
            type: "subscription.request",
            aaep_version: "1.0.0",
            subscriber_id: "s",
            capabilities: any,
          };
          try {
            assertSubscriptionRequest(request);
            negotiate({ aaep_version: "1.0.0", capabilities: request.capabilities as Capabilities }, given);
          } catch (caught) {
            expect(caught).toBeInstanceOf(Fault);
          }
        },
      ),
      { numRuns: casesOf(1000) },
    );
  });
});
