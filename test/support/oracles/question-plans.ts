// The alphabet of the walks over questions: who is there, what each of them can do, and what is asked and replied.

export const LISTENERS = ["A", "B", "C", "D"] as const;
/** A can answer. B can too, and speaks over Y's connection. C stands below X's process. D cannot answer. */
export type Listener = (typeof LISTENERS)[number];

export const AGENTS = ["X", "Y"] as const;
/** X begins the session, and asks. Y knows its token. */
export type Agent = (typeof AGENTS)[number];

/** Odd spans, so that no two things are due at one instant. */
export const AGENT_GRACE_MS = 7013;
export const SCENES = {
  instant: { confirmationGraceMs: 0, reconnectGraceMs: 0 },
  patient: { confirmationGraceMs: 3001, reconnectGraceMs: 4003 },
} as const;

const CHOICE = {
  accepted_response_kinds: ["multiple_choice"],
  choices: [
    { value: "a", label: "The first" },
    { value: "b", label: "The other" },
  ],
  default_response: "a",
};

/** What is asked. All confirmations are of the same tool; their words differ by the number of the question. */
export const ASKS = {
  asks: { kind: "confirmation", seconds: 20, fields: { default_decision: "reject" } },
  "asks with yes as default": { kind: "confirmation", seconds: 20, fields: { default_decision: "accept" } },
  "asks for long": { kind: "confirmation", seconds: 61, fields: { default_decision: "reject" } },
  "asks for a minute": { kind: "confirmation", seconds: 60, fields: { default_decision: "reject" } },
  "asks to be refused": {
    kind: "confirmation",
    seconds: 20,
    fields: { default_decision: "reject", allowed_replies: ["reject"] },
  },
  "asks to be corrected": {
    kind: "confirmation",
    seconds: 20,
    fields: { default_decision: "reject" },
    marks: { accepts_modified_action: true },
  },
  "asks beside a window": {
    kind: "confirmation",
    seconds: 20,
    fields: { default_decision: "accept" },
    marks: { host_dialog: true },
  },
  "asks which": { kind: "clarification", seconds: 20, fields: CHOICE },
  "asks which beside a window": { kind: "clarification", seconds: 20, fields: CHOICE, marks: { host_dialog: true } },
} as const satisfies Readonly<Record<string, AskForm>>;

interface AskForm {
  readonly kind: "confirmation" | "clarification";
  readonly seconds: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly marks?: Readonly<Record<string, unknown>>;
}
export type Ask = keyof typeof ASKS;

export interface ReplyForm {
  readonly decision: "accept" | "reject";
  readonly response: string;
  /** Its timestamp, in ms behind the question's deadline on the wall. Missing: now. */
  readonly stampedBehind?: number;
  readonly isOfOtherKind?: true;
  readonly isOfNoQuestion?: true;
  readonly modifiedAction?: Readonly<Record<string, unknown>>;
}

export const REPLIES = {
  accepts: { decision: "accept", response: "b" },
  rejects: { decision: "reject", response: "z" },
  "accepts in the last millisecond": { decision: "accept", response: "b", stampedBehind: -1 },
  "accepts at the deadline": { decision: "accept", response: "b", stampedBehind: 0 },
  "accepts long before": { decision: "accept", response: "b", stampedBehind: -86_400_000 },
  "accepts with a change": { decision: "accept", response: "b", modifiedAction: { amount: 5 } },
  "replies of the other kind": { decision: "accept", response: "b", isOfOtherKind: true },
  "replies to nothing": { decision: "accept", response: "b", isOfNoQuestion: true },
} as const satisfies Readonly<Record<string, ReplyForm>>;
export type ReplyName = keyof typeof REPLIES;

/** Members of every reply. */
export const DECIDED_BY = "Ada";
export const RATIONALE = "It is time.";
export const CONFIDENCE = 0.5;

const LISTENER_ACTS = [
  "comes",
  "goes",
  "gives up",
  "may again",
  "blocks",
  "takes",
  "lists",
  "leaves it",
  "accepts before a late timer",
] as const;
const AGENT_ACTS = [
  "takes it back",
  "tells the window's yes",
  "tells the window's no",
  "waits",
  "goes on",
  "works on",
  "pays",
  "works",
  "takes over",
  "completes",
  "dies",
] as const;

export type Step =
  | `${Listener} ${(typeof LISTENER_ACTS)[number] | ReplyName}`
  | `${Agent} ${(typeof AGENT_ACTS)[number] | Ask}`
  | "almost due"
  | "due"
  | "the wall is put back"
  | "the wall is put on"
  | "the disk waits"
  | "the disk fails"
  | "the disk writes"
  | "killed"
  | "killed, and away for long"
  | "killed, and the wall put back"
  | "killed with the decision written"
  | "stopped"
  | "ended";

export interface Plan {
  readonly scene: keyof typeof SCENES;
  readonly steps: readonly Step[];
}

const of = <Who extends string, What extends string>(who: readonly Who[], what: readonly What[]) =>
  who.flatMap((one) => what.map((act) => `${one} ${act}` as const));

/** All that can happen. What cannot where a plan stands is passed over. */
export const ALPHABET: readonly Step[] = [
  ...of(["A"], [...LISTENER_ACTS, ...(Object.keys(REPLIES) as ReplyName[])]),
  ...of(["B"], ["comes", "goes", "gives up", "may again", "accepts", "rejects", "leaves it"]),
  ...of(["C", "D"], ["comes", "goes", "accepts", "leaves it"]),
  ...of(["X"], [...AGENT_ACTS, ...(Object.keys(ASKS) as Ask[])]),
  ...of(["Y"], ["asks", "takes it back", "tells the window's yes", "goes on", "pays", "works", "takes over", "dies"]),
  "almost due",
  "due",
  "the wall is put back",
  "the wall is put on",
  "the disk waits",
  "the disk fails",
  "the disk writes",
  "killed",
  "killed, and away for long",
  "killed, and the wall put back",
  "killed with the decision written",
  "stopped",
  "ended",
];

/** How long a stopped daemon lingers before it is gone, and how long it is away. */
export const LINGER_MS = 5000;
export const AWAY_MS = 100;
const LONG_AWAY_MS = 30_000;
export const WALL_STEP_MS = 3_600_000;

/** By how much the wall's clock has moved when the daemon is there again. */
export const KILLS: Readonly<Partial<Record<Step, number>>> = {
  killed: AWAY_MS,
  "killed, and away for long": LONG_AWAY_MS,
  "killed, and the wall put back": -WALL_STEP_MS,
  "killed with the decision written": AWAY_MS,
};
