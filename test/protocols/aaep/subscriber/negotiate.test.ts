import { describe, expect, test } from "vitest";
import { BOUNDARIES, type Offer } from "../../../../src/engine/terms/terms.js";
import {
  type Accepted,
  defaultTerms,
  type Negotiation,
  negotiate,
  negotiationNotes,
  type Rejected,
  renegotiate,
} from "../../../../src/protocols/aaep/subscriber/negotiate.js";
import {
  assertRenegotiate,
  assertSubscriptionRequest,
  type Capabilities,
} from "../../../../src/protocols/aaep/validation/validate-messages.js";
import { faultOf } from "../../../support/fault-of.js";

const OFFER: Offer = {
  maxEventsPerSecond: undefined,
  isSpoken: () => true,
  coalesceBoundaries: BOUNDARIES,
  conformanceLevels: [1, 2, 3],
  signedManifest: false,
  burst: 1,
};

function ask(capabilities: Capabilities, offer: Partial<Offer> = {}, version = "1.0.0"): Negotiation {
  return negotiate({ aaep_version: version, capabilities }, { ...OFFER, ...offer });
}

function accepted(answer: Negotiation): Accepted {
  if (answer.kind === "accepted") return answer;
  throw new Error(`rejected: ${answer.reasonMessage}`);
}

function rejected(answer: Negotiation): Rejected {
  if (answer.kind === "rejected") return answer;
  throw new Error("accepted");
}

describe("versions", () => {
  test.each(["1.0.0", "1.0.1", "1.7.0", "1.0.0-rc.1", "0.1.0-draft"])("R21: %s is spoken as 1.0.0", (version) => {
    const answer = accepted(ask({}, {}, version));
    expect(answer.version).toBe("1.0.0");
    expect(answer.notes).toHaveLength(version === "1.0.0" ? 0 : 1);
  });

  test.each(["2.0.0", "0.1.0", "0.9.0-draft", "10.0.0", "garbage", "", "1x"])("R21: %j is not", (version) => {
    const answer = rejected(ask({}, {}, version));
    expect(answer.reasonCode).toBe("version_unsupported");
    expect(answer.reasonMessage).toContain("1.0.0");
  });
});

describe("defaults", () => {
  test("AAEP §5.3, R22: {} gets chapter 5's defaults, each of them said", () => {
    const answer = accepted(ask({}));
    expect(answer.terms).toEqual(defaultTerms());
    expect(answer.notes).toEqual([]);
    expect(answer.honored).toEqual({
      preferred_verbosity: "normal",
      languages: ["en-US"],
      supports_confirmation_reply: false,
      supports_clarification_reply: false,
      coalesce_boundaries: ["sentence", "completion"],
      event_filters: { include: ["aaep:agent.*"], exclude: [] },
      supported_conformance_levels: [1],
      supported_extensions: [],
      cognitive_load: "medium",
      accept_signed_manifests_only: false,
    });
  });

  test("R22: a peer that never asks is held to the offer's rate", () => {
    expect(defaultTerms({ maxEventsPerSecond: 50 }).maxEventsPerSecond).toBe(50);
    expect(defaultTerms().maxEventsPerSecond).toBeUndefined();
  });
});

describe("what is asked for and what is granted", () => {
  const FULL = {
    max_events_per_second: 3,
    preferred_verbosity: "terse",
    languages: ["yo-NG", "en"],
    supports_confirmation_reply: true,
    supports_clarification_reply: true,
    coalesce_boundaries: ["completion", "paragraph"],
    event_filters: { include: ["aaep:agent.*"], exclude: ["aaep:agent.progress.updated"] },
    supported_conformance_levels: [2, 1],
    supported_extensions: ["https://example.org/finance/context/v1"],
    cognitive_load: "high",
    pace_wpm: 180,
    accept_signed_manifests_only: true,
    aaepd: { paused: true, max_chars: 200 },
  };

  test("AAEP §5.4.4: all of it where all is offered, in the order asked for", () => {
    const answer = accepted(ask(FULL, { signedManifest: true }));
    expect(answer.honored).toEqual(FULL);
    expect(answer.notes).toEqual([]);
    expect(answer.terms).toMatchObject({ paused: true, maxChars: 200, paceWpm: 180, maxEventsPerSecond: 3 });
  });

  test("AAEP §5.3.1.1: the lower of the two rates, and a note where that is the daemon's", () => {
    const note = "max_events_per_second: 5 is the most that is offered.";
    for (const [asked, rate, notes] of [
      [3, 3, []],
      [5, 5, []],
      [9, 5, [note]],
      [undefined, 5, [note]],
    ] as const) {
      const answer = accepted(
        ask(asked === undefined ? {} : { max_events_per_second: asked }, { maxEventsPerSecond: 5 }),
      );
      expect([answer.terms.maxEventsPerSecond, answer.notes]).toEqual([rate, notes]);
    }
  });

  test("AAEP §11.2, R14: a language that nobody speaks yet is noted and not honored, and kept for an agent that may come", () => {
    const offer = { isSpoken: (tag: string) => tag.startsWith("en") };
    const answer = accepted(ask({ languages: ["yo-NG", "en-US", "ha"] }, offer));
    expect(answer.honored.languages).toEqual(["en-US"]);
    expect(answer.terms.languages).toEqual(["yo-NG", "en-US", "ha"]);
    expect(accepted(ask({ languages: ["yo-NG", "ha"] }, offer)).honored.languages).toEqual(["yo-NG"]);
    expect(answer.notes).toEqual([
      'languages: nobody here speaks "yo-NG", "ha" yet; until somebody does, texts come in other languages.',
    ]);
    expect(accepted(ask({ languages: ["yo"] }, offer)).terms.languages).toEqual(["yo"]);
    expect(accepted(ask({ languages: ["en-GB"] }, offer)).notes).toEqual([]);
    // A subscriber that asks for no language is told nothing of any.
    expect(accepted(ask({}, { isSpoken: () => false })).notes).toEqual([]);
  });

  test("R32: unknown values in lists are dropped with a note; where nothing is left, nothing is granted instead", () => {
    const answer = accepted(ask({ coalesce_boundaries: ["clause", "word"], supported_conformance_levels: [1, 4] }));
    expect(answer.honored.coalesce_boundaries).toEqual(["word"]);
    expect(answer.honored.supported_conformance_levels).toEqual([1]);
    expect(answer.notes).toEqual([
      'coalesce_boundaries: "clause" is not known here and was left out. Known are none, word, sentence, paragraph, completion.',
      "supported_conformance_levels: 4 is not known here and was left out. Known are 1, 2, 3.",
    ]);
    for (const capabilities of [{ coalesce_boundaries: ["clause"] }, { supported_conformance_levels: [4] }]) {
      const answer = rejected(ask(capabilities));
      expect(answer.reasonCode).toBe("capabilities_incompatible");
      expect(answer.reasonMessage).toContain(Object.keys(capabilities)[0]);
    }
  });

  test("AAEP §5.3.1.8: levels are those that both have", () => {
    const offer = { conformanceLevels: [1, 2] };
    const both = { supported_conformance_levels: [1, 2, 3, 4], supports_confirmation_reply: true };
    const { honored, notes } = accepted(ask(both, offer));
    expect(honored.supported_conformance_levels).toEqual([1, 2]);
    expect(notes).toEqual([
      "supported_conformance_levels: 4 is not known here and was left out. Known are 1, 2, 3.",
      "supported_conformance_levels: 3 is not offered.",
    ]);
    expect(rejected(ask({ supported_conformance_levels: [3] }, offer)).reasonCode).toBe("capabilities_incompatible");
  });

  test("AAEP §5.3.1.12: a signed manifest that does not exist is a reason to reject", () => {
    const capabilities = { accept_signed_manifests_only: true };
    expect(rejected(ask(capabilities)).reasonCode).toBe("manifest_signature_required");
    expect(accepted(ask(capabilities, { signedManifest: true })).honored.accept_signed_manifests_only).toBe(true);
  });

  test.each([
    [
      ["word", "sentence", "completion"],
      ["sentence", "completion"],
    ],
    [
      ["completion", "word", "paragraph"],
      ["completion", "paragraph"],
    ],
    [["word", "sentence"], ["sentence"]],
    [["completion"], ["completion"]],
    [["none"], ["none"]],
  ])("R15: low cognitive load makes %j into %j", (asked, granted) => {
    const low = accepted(ask({ coalesce_boundaries: asked, cognitive_load: "low" }));
    expect(low.honored.coalesce_boundaries).toEqual(granted);
    for (const load of ["medium", "high"]) {
      const other = accepted(ask({ coalesce_boundaries: asked, cognitive_load: load }));
      expect(other.honored.coalesce_boundaries).toEqual(asked);
    }
  });

  test("R32: an absent member of event_filters is its default, and [] is critical events only", () => {
    expect(accepted(ask({ event_filters: { exclude: ["x:*"] } })).terms.eventFilters).toEqual({
      include: ["aaep:agent.*"],
      exclude: ["x:*"],
    });
    expect(accepted(ask({ event_filters: { include: [] } })).terms.eventFilters).toEqual({ include: [], exclude: [] });
  });

  test("R26: the pace is echoed whole where it was named, and only there", () => {
    expect(accepted(ask({ aaepd: {} })).honored.aaepd).toEqual({ paused: false, max_chars: 16_384 });
    expect(accepted(ask({ aaepd: { paused: true, colour: 1 } })).honored.aaepd).toEqual({
      paused: true,
      max_chars: 16_384,
    });
    expect(accepted(ask({})).honored).not.toHaveProperty("aaepd");
    for (const reply_status of [true, false]) {
      const { honored, notes, terms } = accepted(ask({ aaepd: { reply_status } }));
      expect(honored.aaepd).toEqual({ paused: false, max_chars: 16_384, reply_status });
      expect([notes, terms.replyStatus]).toEqual([[], reply_status]);
    }
  });

  test("AAEP §5.3.2: unknown capabilities are inert", () => {
    const answer = accepted(ask({ haptic: { patterns_supported: ["pulse"] }, future: [1] }));
    expect(answer.terms).toEqual(defaultTerms());
    expect(answer.honored).not.toHaveProperty("haptic");
    expect(answer.capabilities).toEqual({});
  });

  test("R20: what is not known is noted, so that a misspelt capability is found", () => {
    const answer = accepted(
      ask({ preferred_verbossity: "terse", event_filters: { includes: [] }, aaepd: { pause: true } }),
    );
    expect(answer.notes).toEqual([
      '"preferred_verbossity" is not known here and has no effect. Did you mean preferred_verbosity?',
      '"event_filters.includes" is not known here and has no effect. Did you mean event_filters.include?',
      '"aaepd.pause" is not known here and has no effect. Did you mean aaepd.paused?',
    ]);
  });

  test("R20: the notes about it are bounded in number and in length", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${index}_${"x".repeat(5000)}`, 1]));
    const { notes } = accepted(ask(many));
    expect(notes).toHaveLength(9);
    expect(notes.at(-1)).toBe("492 more capabilities are not known here.");
    expect(Math.max(...notes.map((note) => note.length))).toBeLessThan(200);
  });
});

describe("AAEP §12.6, R32: values of a later version", () => {
  test("are ignored with a note, single and in lists", () => {
    const answer = accepted(
      ask(
        {
          preferred_verbosity: "chatty",
          cognitive_load: "extreme",
          coalesce_boundaries: ["token", "sentence"],
          supported_conformance_levels: [4, 2],
        },
        {},
        "1.1.0",
      ),
    );
    expect(answer.terms).toEqual({
      ...defaultTerms(),
      coalesceBoundaries: ["sentence"],
      supportedConformanceLevels: [2],
    });
    expect(answer.capabilities).toEqual({
      coalesce_boundaries: ["token", "sentence"],
      supported_conformance_levels: [4, 2],
    });
    for (const word of ["chatty", "extreme", "token", "4"]) expect(answer.notes.join(" ")).toContain(word);
    expect(answer.notes).toContain(
      'preferred_verbosity: "chatty" is not known here and was left out. Known are terse, normal, detailed.',
    );
  });

  test.each([{ coalesce_boundaries: ["token"] }, { supported_conformance_levels: [4, 5] }])(
    "%j in a first request is incompatible, for any default would be wider",
    (capabilities) => expect(rejected(ask(capabilities)).reasonCode).toBe("capabilities_incompatible"),
  );

  test.each<[Capabilities, string, string]>([
    [{ coalesce_boundaries: ["token"] }, "capabilities_incompatible", "/capabilities/coalesce_boundaries"],
    [{ supported_conformance_levels: [4] }, "capabilities_incompatible", "/capabilities/supported_conformance_levels"],
    [{ supported_extensions: ["https://example.org/xsd/context/v1"] }, "capabilities_incompatible", "/capabilities"],
    [{ accept_signed_manifests_only: true }, "signature_required", "/capabilities/accept_signed_manifests_only"],
  ])("a renegotiation to %j is an error, and the old terms stand", (change, code, pointer) => {
    const first = accepted(ask({ coalesce_boundaries: ["word"] }));
    expect(() => renegotiate(first, change, OFFER)).toThrow(expect.objectContaining({ code, pointer }));
  });
});

describe("extension prefixes", () => {
  const one = "https://example.org/finance/context/v1";

  test.each([
    [["https://example.org/finance/context/v1", "https://example.com/finance/context/v1"], "finance"],
    [["https://example.org/finance/context/v1", "https://example.org/finance/context/v2"], "finance"],
    [["https://elsewhere.example/aaepd/context/v1"], "aaepd"],
    [["https://example.org/xsd/context/v1"], "xsd"],
  ])("AAEP §7: %j is rejected, naming the prefix", (uris, prefix) => {
    const answer = rejected(ask({ supported_extensions: uris }));
    expect(answer.reasonCode).toBe("capabilities_incompatible");
    expect(answer.reasonMessage).toContain(`"${prefix}"`);
  });

  test("AAEP §7: the same vocabulary twice is one, and prefixes that cannot be told do not clash", () => {
    const uris = [one, `${one}#`, one, "https://aaepd.dev/context/v1", "https://a.example/v1", "urn:x:v1", "urn:y:v1"];
    expect(accepted(ask({ supported_extensions: uris })).terms.supportedExtensions).toEqual([...new Set(uris)]);
  });

  test("what slashes and number signs an URI ends with names no other vocabulary, however many there are", () => {
    const uris = [one, `${one}${"/#".repeat(8000)}`, `https://example.org/${"/".repeat(16_000)}x`];
    expect(accepted(ask({ supported_extensions: uris })).terms.supportedExtensions).toEqual(uris);
    const others = [one, `https://example.com/finance/context/v1${"/".repeat(8000)}`];
    expect(rejected(ask({ supported_extensions: others })).reasonMessage).toContain('"finance"');
  });

  test("R33: a prefix at fault is told shortened", () => {
    const uris = ["org", "com"].map((end) => `https://example.${end}/${"x".repeat(16_000)}/context/v1`);
    expect(rejected(ask({ supported_extensions: uris })).reasonMessage.length).toBeLessThan(500);
  });

  test.each(["aaep", "xsd", "rdf", "rdfs", "@type"])("AAEP §7: the prefix %s is reserved", (prefix) => {
    expect(rejected(ask({ [prefix]: {} })).reasonMessage).toContain(`"${prefix}"`);
    const request = { aaep_version: "1.0.0", capabilities: {}, extensions: { [prefix]: {} } };
    expect(rejected(negotiate(request, OFFER)).reasonCode).toBe("capabilities_incompatible");
  });
});

describe("what cannot be read", () => {
  const MALFORMED: readonly (readonly [Capabilities, string])[] = [
    [{ max_events_per_second: 0 }, "/capabilities/max_events_per_second"],
    [{ max_events_per_second: 1.5 }, "/capabilities/max_events_per_second"],
    [{ max_events_per_second: 100_001 }, "/capabilities/max_events_per_second"],
    [{ preferred_verbosity: 1 }, "/capabilities/preferred_verbosity"],
    [{ languages: "en" }, "/capabilities/languages"],
    [{ event_filters: { include: "x" } }, "/capabilities/event_filters/include"],
    [{ event_filters: null }, "/capabilities/event_filters"],
    [{ cognitive_load: 1 }, "/capabilities/cognitive_load"],
    [{ pace_wpm: 49 }, "/capabilities/pace_wpm"],
    [{ supports_confirmation_reply: "yes" }, "/capabilities/supports_confirmation_reply"],
    [{ aaepd: { max_chars: 79 } }, "/capabilities/aaepd/max_chars"],
    [{ aaepd: { max_chars: 16_385 } }, "/capabilities/aaepd/max_chars"],
    [{ aaepd: { paused: 1 } }, "/capabilities/aaepd/paused"],
    [{ aaepd: { reply_status: "yes" } }, "/capabilities/aaepd/reply_status"],
    [{ aaepd: [] }, "/capabilities/aaepd"],
  ];

  test.each(MALFORMED)(
    "R33: a request with %j is refused for its capability, a renegotiation too",
    (capabilities, pointer) => {
      const request = { type: "subscription.request", aaep_version: "1.0.0", subscriber_id: "s", capabilities };
      const change = { type: "subscription.renegotiate", subscription_id: "sub_1", capabilities };
      for (const read of [() => assertSubscriptionRequest(request), () => assertRenegotiate(change)])
        expect(faultOf(read)).toMatchObject({ code: "capabilities_incompatible", pointer });
    },
  );
});

describe("renegotiation", () => {
  const FIRST = {
    max_events_per_second: 3,
    languages: ["en", "de"],
    coalesce_boundaries: ["word", "sentence", "completion"],
    event_filters: { include: ["aaep:agent.*", "x:*"], exclude: ["x:y"] },
    aaepd: { paused: false, max_chars: 200 },
  };

  test("AAEP §5.7.1: what is left out stays", () => {
    const first = accepted(ask(FIRST));
    const second = accepted(renegotiate(first, { max_events_per_second: 1 }, OFFER));
    expect(second.terms).toEqual({ ...first.terms, maxEventsPerSecond: 1 });
    expect(second.notes).toEqual([]);
  });

  test("R32: event_filters and aaepd merge by member, lists are replaced whole", () => {
    const first = accepted(ask(FIRST));
    const second = accepted(
      renegotiate(first, { event_filters: { exclude: [] }, aaepd: { paused: true }, languages: ["fr"] }, OFFER),
    );
    expect(second.terms.eventFilters).toEqual({ include: ["aaep:agent.*", "x:*"], exclude: [] });
    expect(second.honored.aaepd).toEqual({ paused: true, max_chars: 200 });
    expect(second.terms.languages).toEqual(["fr"]);
  });

  test("R15: leaving low cognitive load brings the boundaries back that were asked for", () => {
    const first = accepted(ask(FIRST));
    const low = accepted(renegotiate(first, { cognitive_load: "low" }, OFFER));
    expect(low.terms.coalesceBoundaries).toEqual(["sentence", "completion"]);
    const back = accepted(renegotiate(low, { cognitive_load: "medium" }, OFFER));
    expect(back.terms.coalesceBoundaries).toEqual(FIRST.coalesce_boundaries);
  });
});

test("AAEP §5.4.2: notes are one text, bounded whatever the peer sends", () => {
  expect(negotiationNotes([])).toBeUndefined();
  expect(negotiationNotes(["A.", "B."])).toBe("A. B.");
  const many = Array.from({ length: 500 }, (_, index) => `${index}${"x".repeat(300)}`);
  const answer = accepted(ask({ coalesce_boundaries: ["word", ...many] }));
  expect(Math.max(...answer.notes.map((note) => note.length))).toBeLessThan(200);
  expect(negotiationNotes(answer.notes)?.length).toBeLessThanOrEqual(4096);
});

describe("R37: speakable", () => {
  const DEFAULTS = { code: "announce", links: "host", emoji: "name" };

  test.each<readonly [unknown, unknown, number]>([
    [true, DEFAULTS, 0],
    [{}, DEFAULTS, 0],
    [{ code: "read", emoji: "drop" }, { ...DEFAULTS, code: "read", emoji: "drop" }, 0],
    [{ code: "sing", links: 1 }, DEFAULTS, 2],
    [false, undefined, 0],
  ])("%j is granted as %j", (speakable, granted, notes) => {
    const answer = accepted(ask({ aaepd: { speakable } }));
    expect([answer.terms.speakable, answer.honored.aaepd?.speakable]).toEqual([granted, granted]);
    expect(answer.notes).toHaveLength(notes);
  });

  test("limits the length of texts, and ends by a renegotiation", () => {
    const answer = accepted(ask({ aaepd: { speakable: true, max_chars: 3000 } }));
    expect([answer.terms.maxChars, answer.honored.aaepd?.max_chars]).toEqual([2000, 2000]);
    expect(answer.notes).toEqual(["aaepd.max_chars: with speakable 2000 is the most."]);
    expect(accepted(ask({ aaepd: { speakable: true } })).honored.aaepd?.max_chars).toBe(2000);
    expect(accepted(ask({ aaepd: { speakable: true, max_chars: 80 } })).terms.maxChars).toBe(80);
    const after = renegotiate(answer, { aaepd: { speakable: false } }, OFFER);
    expect([after.terms.speakable, after.terms.maxChars]).toEqual([undefined, 3000]);
  });
});
