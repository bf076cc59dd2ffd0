import { describe, expect, test } from "vitest";
import { BOUNDARIES, type Offer } from "../../../../src/engine/terms/terms.js";
import {
  type Accepted,
  defaultTerms,
  negotiate,
  negotiationNotes,
  renegotiate,
} from "../../../../src/protocols/aaep/subscriber/negotiate.js";
import type { Capabilities } from "../../../../src/protocols/aaep/validation/validate-messages.js";
import { faultOf } from "../../../support/fault-of.js";

const OFFER: Offer = {
  maxEventsPerSecond: undefined,
  isSpoken: () => true,
  coalesceBoundaries: BOUNDARIES,
  conformanceLevels: [1, 2, 3],
  signedManifest: false,
  burst: 1,
};

function ask(capabilities: Capabilities, offer: Partial<Offer> = {}, version = "1.0.0"): Accepted {
  return negotiate({ aaep_version: version, capabilities }, { ...OFFER, ...offer });
}

describe("versions", () => {
  test.each(["1.0.0", "1", "1.1", "1.20.3-rc.1+build", "0.1.0-draft"])("R21: %s is spoken as 1.0.0", (version) => {
    const answer = ask({}, {}, version);
    expect(answer.version).toBe("1.0.0");
    expect(answer.notes).toHaveLength(version === "1.0.0" ? 0 : 1);
  });

  test.each(["2.0.0", "0.1.0", "10.0.0", "garbage", "", "1.", "1.0.0.0", "1.x", " 1.0.0"])(
    "R21: %j is not",
    (version) => {
      const answer = faultOf(() => ask({}, {}, version));
      expect(answer.code).toBe("version_unsupported");
      expect(answer.sentence).toContain("1.0.0");
    },
  );
});

describe("defaults", () => {
  test("AAEP §5.3, R22: {} gets chapter 5's defaults, each of them said", () => {
    const answer = ask({});
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
    const answer = ask(FULL, { signedManifest: true });
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
      const answer = ask(asked === undefined ? {} : { max_events_per_second: asked }, { maxEventsPerSecond: 5 });
      expect([answer.terms.maxEventsPerSecond, answer.notes]).toEqual([rate, notes]);
    }
  });

  test("AAEP §11.2, R14: a language that nobody speaks yet is noted and not honored, and kept for an agent that may come", () => {
    const offer = { isSpoken: (tag: string) => tag.startsWith("en") };
    const answer = ask({ languages: ["yo-NG", "en-US", "ha"] }, offer);
    expect(answer.honored.languages).toEqual(["en-US"]);
    expect(answer.terms.languages).toEqual(["yo-NG", "en-US", "ha"]);
    expect(ask({ languages: ["yo-NG", "ha"] }, offer).honored.languages).toEqual(["yo-NG"]);
    expect(answer.notes).toEqual([
      'languages: nobody here speaks "yo-NG", "ha" yet; until somebody does, texts come in other languages.',
    ]);
    expect(ask({ languages: ["yo"] }, offer).terms.languages).toEqual(["yo"]);
    expect(ask({ languages: ["en-GB"] }, offer).notes).toEqual([]);
    // A subscriber that asks for no language is told nothing of any.
    expect(ask({}, { isSpoken: () => false }).notes).toEqual([]);
  });

  test("R32: unknown values in lists are dropped with a note; where nothing is left, nothing is granted instead", () => {
    const answer = ask({ coalesce_boundaries: ["clause", "word"], supported_conformance_levels: [1, 4] });
    expect(answer.honored.coalesce_boundaries).toEqual(["word"]);
    expect(answer.honored.supported_conformance_levels).toEqual([1]);
    expect(answer.notes).toEqual([
      'coalesce_boundaries: "clause" is not known here and was left out. Known are none, word, sentence, paragraph, completion.',
      "supported_conformance_levels: 4 is not known here and was left out. Known are 1, 2, 3.",
    ]);
    for (const capabilities of [{ coalesce_boundaries: ["clause"] }, { supported_conformance_levels: [4] }]) {
      const answer = faultOf(() => ask(capabilities));
      expect(answer.code).toBe("capabilities_incompatible");
      expect(answer.sentence).toContain(Object.keys(capabilities)[0]);
    }
  });

  test("AAEP §5.3.1.8: levels are those that both have", () => {
    const offer = { conformanceLevels: [1, 2] };
    const both = { supported_conformance_levels: [1, 2, 3, 4], supports_confirmation_reply: true };
    const { honored, notes } = ask(both, offer);
    expect(honored.supported_conformance_levels).toEqual([1, 2]);
    expect(notes).toEqual([
      "supported_conformance_levels: 4 is not known here and was left out. Known are 1, 2, 3.",
      "supported_conformance_levels: 3 is not offered.",
    ]);
    expect(faultOf(() => ask({ supported_conformance_levels: [3] }, offer)).code).toBe("capabilities_incompatible");
  });

  test("AAEP §5.3.1.12: a signed manifest that does not exist is a reason to reject", () => {
    const capabilities = { accept_signed_manifests_only: true };
    expect(faultOf(() => ask(capabilities)).code).toBe("signature_required");
    expect(ask(capabilities, { signedManifest: true }).honored.accept_signed_manifests_only).toBe(true);
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
    const low = ask({ coalesce_boundaries: asked, cognitive_load: "low" });
    expect(low.honored.coalesce_boundaries).toEqual(granted);
    for (const load of ["medium", "high"]) {
      const other = ask({ coalesce_boundaries: asked, cognitive_load: load });
      expect(other.honored.coalesce_boundaries).toEqual(asked);
    }
  });

  test("R26: the pace is echoed whole where it was named, and only there", () => {
    expect(ask({ aaepd: {} }).honored.aaepd).toEqual({ paused: false, max_chars: 16_384 });
    expect(ask({ aaepd: { paused: true, colour: 1 } }).honored.aaepd).toEqual({
      paused: true,
      max_chars: 16_384,
    });
    expect(ask({}).honored).not.toHaveProperty("aaepd");
    for (const reply_status of [true, false]) {
      const { honored, notes, terms } = ask({ aaepd: { reply_status } });
      expect(honored.aaepd).toEqual({ paused: false, max_chars: 16_384, reply_status });
      expect([notes, terms.replyStatus]).toEqual([[], reply_status]);
    }
  });

  test("AAEP §5.3.2: unknown capabilities are inert", () => {
    const answer = ask({ haptic: { patterns_supported: ["pulse"] }, future: [1] });
    expect(answer.terms).toEqual(defaultTerms());
    expect(answer.honored).not.toHaveProperty("haptic");
    expect(answer.capabilities).toEqual({});
  });

  test("R20: what is not known is noted, so that a misspelt capability is found", () => {
    const answer = ask({ preferred_verbossity: "terse", event_filters: { includes: [] }, aaepd: { pause: true } });
    expect(answer.notes).toEqual([
      '"preferred_verbossity" is not known here and has no effect. Did you mean preferred_verbosity?',
      '"event_filters.includes" is not known here and has no effect. Did you mean event_filters.include?',
      '"aaepd.pause" is not known here and has no effect. Did you mean aaepd.paused?',
    ]);
  });

  test("R20: the notes about it are bounded in number and in length", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${index}_${"x".repeat(5000)}`, 1]));
    const { notes } = ask(many);
    expect(notes).toHaveLength(9);
    expect(notes.at(-1)).toBe("492 more capabilities are not known here.");
    expect(Math.max(...notes.map((note) => note.length))).toBeLessThan(200);
  });
});

describe("AAEP §12.6, R32: values of a later version", () => {
  test("are ignored with a note, single and in lists", () => {
    const answer = ask(
      {
        preferred_verbosity: "chatty",
        cognitive_load: "extreme",
        coalesce_boundaries: ["token", "sentence"],
        supported_conformance_levels: [4, 2],
      },
      {},
      "1.1.0",
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

  test.each<[Capabilities, string, string]>([
    [{ coalesce_boundaries: ["token"] }, "capabilities_incompatible", "/capabilities/coalesce_boundaries"],
    [{ supported_conformance_levels: [4] }, "capabilities_incompatible", "/capabilities/supported_conformance_levels"],
    [{ supported_extensions: ["https://example.org/xsd/context/v1"] }, "capabilities_incompatible", "/capabilities"],
    [{ accept_signed_manifests_only: true }, "signature_required", "/capabilities/accept_signed_manifests_only"],
  ])("a renegotiation to %j is an error, and the old terms stand", (change, code, pointer) => {
    const first = ask({ coalesce_boundaries: ["word"] });
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
    const answer = faultOf(() => ask({ supported_extensions: uris }));
    expect(answer.code).toBe("capabilities_incompatible");
    expect(answer.sentence).toContain(`"${prefix}"`);
  });

  test("AAEP §7: the same vocabulary twice is one, and prefixes that cannot be told do not clash", () => {
    const uris = [one, `${one}#`, one, "https://aaepd.dev/context/v1", "https://a.example/v1", "urn:x:v1", "urn:y:v1"];
    expect(ask({ supported_extensions: uris }).terms.supportedExtensions).toEqual([...new Set(uris)]);
  });

  test("what slashes and number signs an URI ends with names no other vocabulary, however many there are", () => {
    const uris = [one, `${one}${"/#".repeat(8000)}`, `https://example.org/${"/".repeat(16_000)}x`];
    expect(ask({ supported_extensions: uris }).terms.supportedExtensions).toEqual(uris);
    const others = [one, `https://example.com/finance/context/v1${"/".repeat(8000)}`];
    expect(faultOf(() => ask({ supported_extensions: others })).sentence).toContain('"finance"');
  });

  test("R33: a prefix at fault is told shortened", () => {
    const uris = ["org", "com"].map((end) => `https://example.${end}/${"x".repeat(16_000)}/context/v1`);
    expect(faultOf(() => ask({ supported_extensions: uris })).sentence.length).toBeLessThan(500);
  });

  test.each(["aaep", "xsd", "rdf", "rdfs", "@type"])("AAEP §7: the prefix %s is reserved", (prefix) => {
    expect(faultOf(() => ask({ [prefix]: {} })).sentence).toContain(`"${prefix}"`);
    const request = { aaep_version: "1.0.0", capabilities: {}, extensions: { [prefix]: {} } };
    expect(faultOf(() => negotiate(request, OFFER)).code).toBe("capabilities_incompatible");
  });
});

describe("renegotiation", () => {
  const FIRST = { coalesce_boundaries: ["word", "sentence", "completion"] };

  test("R15: leaving low cognitive load brings the boundaries back that were asked for", () => {
    const first = ask(FIRST);
    const low = renegotiate(first, { cognitive_load: "low" }, OFFER);
    expect(low.terms.coalesceBoundaries).toEqual(["sentence", "completion"]);
    const back = renegotiate(low, { cognitive_load: "medium" }, OFFER);
    expect(back.terms.coalesceBoundaries).toEqual(FIRST.coalesce_boundaries);
  });
});

test("AAEP §5.4.2: notes are one text, bounded whatever the peer sends", () => {
  expect(negotiationNotes([])).toBeUndefined();
  expect(negotiationNotes(["A.", "B."])).toBe("A. B.");
  const many = Array.from({ length: 500 }, (_, index) => `${index}${"x".repeat(300)}`);
  const answer = ask({ coalesce_boundaries: ["word", ...many] });
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
    const answer = ask({ aaepd: { speakable } });
    expect([answer.terms.speakable, answer.honored.aaepd?.speakable]).toEqual([granted, granted]);
    expect(answer.notes).toHaveLength(notes);
  });

  test("limits the length of texts, and ends by a renegotiation", () => {
    const answer = ask({ aaepd: { speakable: true, max_chars: 3000 } });
    expect([answer.terms.maxChars, answer.honored.aaepd?.max_chars]).toEqual([2000, 2000]);
    expect(answer.notes).toEqual(["aaepd.max_chars: with speakable 2000 is the most."]);
    expect(ask({ aaepd: { speakable: true } }).honored.aaepd?.max_chars).toBe(2000);
    expect(ask({ aaepd: { speakable: true, max_chars: 80 } }).terms.maxChars).toBe(80);
    const after = renegotiate(answer, { aaepd: { speakable: false } }, OFFER);
    expect([after.terms.speakable, after.terms.maxChars]).toEqual([undefined, 3000]);
  });
});
