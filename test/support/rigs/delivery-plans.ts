// Plans of random lives: what happens, to whom, in which order. Small texts and small numbers, so that failures shrink to something readable.
import fc from "fast-check";
import type { Boundary, Terms } from "../../../src/engine/terms/terms.js";
import { casesOf } from "../extent.js";

/** Cases of each property of deliveries. */
export const CASES = casesOf(1000);

export const VOCABULARY = "https://example.org/vocabulary/v1";

export type Operation =
  | {
      readonly op: "chunk";
      readonly s: number;
      readonly a: number;
      readonly o: number;
      readonly text: string;
      readonly hint?: Boundary | undefined;
      readonly language?: string | undefined;
      readonly extended?: boolean | undefined;
      readonly complete?: boolean | undefined;
      readonly urgency?: "background" | "normal" | undefined;
    }
  | { readonly op: "progress"; readonly s: number; readonly a: number; readonly percent: number }
  | { readonly op: "state"; readonly s: number; readonly a: number; readonly to: string; readonly background: boolean }
  | { readonly op: "tool"; readonly s: number; readonly a: number }
  | { readonly op: "returned"; readonly s: number }
  | { readonly op: "ask"; readonly s: number; readonly a: number; readonly clarify: boolean; readonly seconds: number }
  | { readonly op: "reply"; readonly l: number; readonly accept: boolean }
  | { readonly op: "extra"; readonly s: number; readonly a: number; readonly critical: boolean }
  | { readonly op: "end"; readonly s: number; readonly how: "completed" | "errored" | "cancelled" }
  | { readonly op: "wait"; readonly ms: number }
  | { readonly op: "batch"; readonly items: readonly Operation[] }
  | { readonly op: "block"; readonly l: number; readonly on: boolean }
  | { readonly op: "few"; readonly l: number; readonly runs: number }
  | { readonly op: "retune"; readonly l: number; readonly terms: Partial<Terms> }
  | { readonly op: "skip"; readonly l: number; readonly s: number; readonly o: number }
  | { readonly op: "skipAll"; readonly l: number }
  | { readonly op: "leave"; readonly l: number }
  | {
      readonly op: "join";
      readonly l: number;
      readonly terms: Partial<Terms>;
      /** Whether it names a place: the last that it was told, or one that it was told so many takes before. */
      readonly resume: "none" | { readonly before: number };
      /** How many of the events that were handed over last did not arrive. */
      readonly lost: number;
    };

export interface Plan {
  readonly viewWindowCount: number;
  readonly queueLimitCount: number;
  readonly journalCount: number;
  /** R34: a turn has room for one event that is read back; in "late" ones two turns pass between operations. Default: it has room for all. */
  readonly turns?: "sliced" | "late" | undefined;
  /** Agents that speak in each session, 1..3. Default 2. */
  readonly agentCount?: number | undefined;
  readonly seats: readonly Partial<Terms>[];
  readonly operations: readonly Operation[];
}

const TEXTS = [
  "One two ",
  "three. ",
  "Four",
  ". Five",
  "? ",
  "word ",
  "a",
  " ",
  "",
  "\n",
  "\n\n",
  "- item\n",
  "```\n",
  "code line\n",
  "日本語。",
  "文",
  "👩\u200d",
  "💻 ",
  "👩‍👩‍👧. ",
  "e\u0301",
  "\u0301",
  "Dr. Who said ",
  `${"long ".repeat(30)}. `,
  "x".repeat(95),
  "\ud83d",
  "\ude00",
] as const;

const slot = fc.nat({ max: 1 });

const chunkOperation: fc.Arbitrary<Operation> = fc.record({
  op: fc.constant("chunk" as const),
  s: slot,
  a: slot,
  o: fc.nat({ max: 3 }),
  text: fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
  hint: fc.option(fc.constantFrom<Boundary[]>("none", "word", "sentence", "paragraph"), { nil: undefined, freq: 3 }),
  language: fc.option(fc.constantFrom("en-US", "ja"), { nil: undefined, freq: 5 }),
  extended: fc.option(fc.constant(true), { nil: undefined, freq: 12 }),
  complete: fc.option(fc.constant(true), { nil: undefined, freq: 9 }),
});

const eventOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant("progress" as const), s: slot, a: slot, percent: fc.nat({ max: 100 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("state" as const),
      s: slot,
      a: slot,
      to: fc.constantFrom("idle", "thinking", "deciding", "calling_tool", "writing_output", "handing_off"),
      background: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("tool" as const), s: slot, a: slot }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("returned" as const), s: slot }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("ask" as const),
      s: slot,
      a: slot,
      clarify: fc.boolean(),
      seconds: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("reply" as const), l: fc.nat({ max: 3 }), accept: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("extra" as const), s: slot, a: slot, critical: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("end" as const),
      s: slot,
      how: fc.constantFrom("completed", "errored", "cancelled"),
    }),
  },
);

const waitOperation: fc.Arbitrary<Operation> = fc.record({
  op: fc.constant("wait" as const),
  ms: fc.constantFrom(0, 1, 20, 150, 400, 1000, 2500, 6000, 16_000),
});

export const publishOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 10, arbitrary: chunkOperation },
  { weight: 7, arbitrary: eventOperation },
  { weight: 4, arbitrary: waitOperation },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("batch" as const),
      items: fc.array(fc.oneof(chunkOperation, eventOperation), { minLength: 2, maxLength: 6 }),
    }),
  },
);

export const transportOperation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("block" as const), l: fc.nat({ max: 3 }), on: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("few" as const),
      l: fc.nat({ max: 3 }),
      runs: fc.integer({ min: 1, max: 3 }),
    }),
  },
);

/** Events that pass everything, more often than agents have reason to. */
export const urgentOperation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ op: fc.constant("extra" as const), s: slot, a: slot, critical: fc.constant(true) }),
  fc.record({
    op: fc.constant("ask" as const),
    s: slot,
    a: slot,
    clarify: fc.boolean(),
    seconds: fc.integer({ min: 1, max: 20 }),
  }),
  fc.record({ op: fc.constant("end" as const), s: slot, how: fc.constant("errored" as const) }),
);

const boundaries: fc.Arbitrary<readonly Boundary[]> = fc.constantFrom<(readonly Boundary[])[]>(
  ["sentence", "completion"],
  ["word", "completion"],
  ["word"],
  ["paragraph", "completion"],
  ["sentence", "paragraph"],
  ["completion"],
  ["none"],
  ["none", "sentence"],
);

/** Terms that keep nothing back: filters and low load have properties of their own. */
export const openTerms: fc.Arbitrary<Partial<Terms>> = fc.record({
  coalesceBoundaries: boundaries,
  maxEventsPerSecond: fc.constantFrom(undefined, undefined, 1, 2, 5, 20),
  maxChars: fc.constantFrom(16_384, 16_384, 80, 100),
  paceWpm: fc.constantFrom(undefined, undefined, undefined, 100, 600),
  supportsConfirmationReply: fc.boolean(),
  supportsClarificationReply: fc.boolean(),
  supportedExtensions: fc.constantFrom<(readonly string[])[]>([], [VOCABULARY]),
});

export function plans(
  operation: fc.Arbitrary<Operation>,
  options: { readonly seats?: fc.Arbitrary<Partial<Terms>>; readonly most?: number; readonly journal?: number[] } = {},
): fc.Arbitrary<Plan> {
  return fc.record({
    turns: fc.constantFrom(undefined, undefined, "sliced" as const, "late" as const),
    viewWindowCount: fc.constantFrom(4, 16, 64),
    queueLimitCount: fc.constantFrom(4, 8, 32),
    journalCount: fc.constantFrom(...(options.journal ?? [65_536])),
    seats: fc.array(options.seats ?? openTerms, { minLength: 1, maxLength: 2 }),
    operations: fc.array(operation, { minLength: 1, maxLength: options.most ?? 40, size: "max" }),
  });
}

/** `openTerms` with one audience for all questions: who is sent which question changes what is owed, which is another property's subject. */
export const steadyTerms = openTerms.map((terms) => ({
  ...terms,
  supportsConfirmationReply: false,
  supportsClarificationReply: true,
  supportedExtensions: [],
}));
