// The steps of a session's life, in words: what agents publish, over which connection, and what else happens to the session.
import type { Fields } from "../rigs/session-stage.js";

/** One text of every chunk: its length in code points, in UTF-16 units and in bytes of UTF-8 (R13). */
export const CHUNK = { text: "é中😀", lengths: [3, 4, 9] } as const;

/** What an agent says: kind, members, and its event_id if it gives one. */
type Words = readonly [kind: string, fields: Fields, id?: string];

const call = (number: number, fields: Fields = {}): Fields => ({ tool_call_id: `call_${number}`, ...fields });
const chunk = (fields: Fields = {}): Fields => ({ chunk: CHUNK.text, complete: false, ...fields });
const asks = (token: number, question: string): Fields => ({ reply_token: `rpl_${token}`, question });
const confirms = (token: number, action: string, extra_context: Fields = {}): Fields => ({
  reply_token: `rpl_${token}`,
  action,
  extra_context,
});
/** A call that uses up the consent of a question by its token (R5c). */
const consent = (token: number, fields: Fields): Fields => ({
  extensions: { aaepd: { consent: `rpl_${token}` } },
  ...fields,
});
const inLanguage = (primary_language: string): Fields => ({ localization_hints: { primary_language } });
const change = (from_state: string, to_state: string): Words => ["state.changed", { from_state, to_state }];

export const SAYS: Readonly<Record<string, Words>> = {
  begins: ["session.started", {}, "evt_begun"],
  "begins in French": ["session.started", inLanguage("fr"), "evt_bonjour"],
  "begins as number 5": ["session.started", { sequence_number: 5 }, "evt_numbered"],
  completes: ["session.completed", {}],
  fails: ["session.errored", {}],
  cancels: ["session.cancelled", {}],
  "idle>thinking": change("idle", "thinking"),
  "thinking>deciding": change("thinking", "deciding"),
  "calling_tool>thinking": change("calling_tool", "thinking"),
  "writing_output>idle": change("writing_output", "idle"),
  "handing_off>idle": change("handing_off", "idle"),
  "thinking>awaiting_input": change("thinking", "awaiting_input"),
  "awaiting_input>calling_tool": change("awaiting_input", "calling_tool"),
  "awaiting_input>deciding": change("awaiting_input", "deciding"),
  "awaiting_input>thinking": ["state.changed", { from_state: "awaiting_input", to_state: "thinking" }, "evt_back"],
  "hands off": ["handoff.requested", {}],
  progresses: ["progress.updated", {}],
  notes: ["acme:note", { text: "one" }, "evt_note"],
  "notes otherwise": ["acme:note", { text: "two" }, "evt_note"],
  "notes as number 5": ["acme:note", { sequence_number: 5 }],
  "notes as number 7": ["acme:note", { sequence_number: 7 }],
  "calls x": ["tool.invoked", { tool: "x" }],
  "calls x as 1": ["tool.invoked", call(1, { tool: "x" })],
  "calls x as 2": ["tool.invoked", call(2, { tool: "x" })],
  "ends x": ["tool.completed", { tool: "x" }],
  "ends x as 1": ["tool.completed", call(1, { tool: "x" })],
  "ends y as 1": ["tool.completed", call(1, { tool: "y" })],
  "sends y for good": ["tool.invoked", { tool: "y", irreversible: true }],
  "sends x for good as 2": ["tool.invoked", call(2, { tool: "x", irreversible: true })],
  "calls x by 5": ["tool.invoked", consent(5, { tool: "x" })],
  "sends x for good by 6": ["tool.invoked", consent(6, { tool: "x", irreversible: true })],
  "sends x for good by 8": ["tool.invoked", consent(8, { tool: "x", irreversible: true })],
  "sends y for good by 4": ["tool.invoked", consent(4, { tool: "y", irreversible: true })],
  "sends y for good by 5": ["tool.invoked", consent(5, { tool: "y", irreversible: true })],
  writes: ["output.streaming", chunk()],
  "writes in Yoruba": ["output.streaming", chunk({ language: "yo" })],
  "writes a in German": ["output.streaming", chunk({ output_id: "a", ...inLanguage("de") })],
  "writes its last": ["output.streaming", chunk({ complete: true })],
  "writes a": ["output.streaming", chunk({ output_id: "a" })],
  "writes a's last": ["output.streaming", chunk({ output_id: "a", complete: true })],
  "writes at 0": ["output.streaming", chunk({ position: 0 })],
  "writes at 3": ["output.streaming", chunk({ position: 3 })],
  "writes at 8": ["output.streaming", chunk({ position: 8 })],
  "writes at 9": ["output.streaming", chunk({ position: 9 })],
  "asks 1": ["awaiting.clarification", asks(1, "Which?")],
  "asks 2": ["awaiting.clarification", asks(2, "Where?")],
  "asks the same as 3": ["awaiting.clarification", asks(3, "Which?")],
  "confirms 4": ["awaiting.confirmation", confirms(4, "Send it.")],
  "confirms 5 of x": ["awaiting.confirmation", confirms(5, "Send x.", { tool: "x" })],
  "confirms 6 of x as 2": ["awaiting.confirmation", confirms(6, "Send this.", call(2, { tool: "x" }))],
  "confirms 8 of x": ["awaiting.confirmation", confirms(8, "Send x again.", { tool: "X" })],
  "confirms 9 of x as 3": ["awaiting.confirmation", confirms(9, "Send that.", call(3, { tool: "x" }))],
  "confirms 7 like 4": ["awaiting.confirmation", confirms(7, "Send it.", { tool: "y" })],
};

/** Who says it: which agent, over which connection, whether that shows the session's token, and the first language of its manifest. */
export const WHO = {
  planner: { agent: "planner", connection: 1, hasToken: false, language: undefined },
  helper: { agent: "helper", connection: 1, hasToken: false, language: "es" },
  stranger: { agent: "planner", connection: 2, hasToken: false, language: "it" },
  heir: { agent: "planner", connection: 2, hasToken: true, language: "it" },
} as const;
export type Who = keyof typeof WHO;

export interface Doing {
  readonly connection?: number;
  readonly abandons?: boolean;
  readonly token?: string;
  readonly outcome?: "accepted" | "rejected";
  /** Nobody replied (R5). */
  readonly isDefault?: boolean;
}

export const DOES: Readonly<Record<string, Doing>> = {
  "1 vanishes": { connection: 1 },
  "2 vanishes": { connection: 2 },
  "1 comes back": { connection: 1 },
  "2 takes over": { connection: 2 },
  "the daemon restarts": {},
  "2 guesses": { connection: 2 },
  "nobody comes back": { abandons: true },
  "1 is answered": { token: "rpl_1", outcome: "accepted" },
  "4 is accepted": { token: "rpl_4", outcome: "accepted" },
  "4 is accepted by default": { token: "rpl_4", outcome: "accepted", isDefault: true },
  "5 is accepted": { token: "rpl_5", outcome: "accepted" },
  "6 is accepted": { token: "rpl_6", outcome: "accepted" },
  "5 is rejected": { token: "rpl_5", outcome: "rejected" },
  "8 is accepted": { token: "rpl_8", outcome: "accepted" },
  "8 is rejected": { token: "rpl_8", outcome: "rejected" },
  "9 is rejected": { token: "rpl_9", outcome: "rejected" },
  "7 is rejected": { token: "rpl_7", outcome: "rejected" },
};

/** `who: words`. */
export type Said = string;

/** One event, several in an array, or something else that happens. */
export type Step = string | readonly Said[];

export interface Plan {
  readonly steps: readonly Step[];
}

const BY_PLANNER = Object.keys(SAYS).map((words) => `planner: ${words}`);
const BY_HELPER = [
  "idle>thinking",
  "awaiting_input>deciding",
  "calls x",
  "ends x",
  "sends y for good",
  "sends y for good by 4",
  "notes as number 5",
  "notes as number 7",
  "begins",
  "asks 1",
  "asks 2",
  "confirms 5 of x",
];
const OTHERS = ["begins", "notes", "completes"];

/** Everything that can be said by one publish. */
export const PUBLISHES: readonly Said[] = [...BY_PLANNER, ...BY_HELPER.map((words) => `helper: ${words}`)];

export const ALPHABET: readonly string[] = [
  ...PUBLISHES,
  ...OTHERS.flatMap((words) => [`stranger: ${words}`, `heir: ${words}`]),
  ...Object.keys(DOES),
];
