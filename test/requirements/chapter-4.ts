// The MUSTs of AAEP chapter 4.
import { AGENTS_OWN, type Proof, type Requirement, SUBSCRIBERS_OWN } from "./requirement.js";

const ORDER: Proof = [
  "engine/sessions/session-sequence.test.ts",
  "R3: what breaks the order is refused, and the session stays usable",
];
const LEGAL: Proof = [
  "engine/sessions/sessions.test.ts",
  "what goes out is legal: one start, one end, contiguous outputs, paired tools, states that follow",
];
const CRITICAL: Proof = ["protocols/aaep/validation/validate.test.ts", "%s is critical and nothing else"];
const SPOILT: Proof = [
  "protocols/aaep/validation/validate.test.ts",
  "%s: the fast answer and the full diagnosis agree however it is spoilt",
];
const CONFIRMED: Proof = ["engine/sessions/sessions.test.ts", "R5: irreversible means confirmed"];
const ENVELOPE: Proof = ["protocols/aaep/validation/validate.test.ts", "the defects of §3.11"];

export const CHAPTER_4: readonly Requirement[] = [
  { id: "AAEP-4-a", says: "Every event carries the envelope.", provedBy: [ENVELOPE, SPOILT] },
  { id: "AAEP-4.1-a", says: "A session begins with one started and ends with one terminal event.", provedBy: [LEGAL] },
  { id: "AAEP-4.1.1-a", says: "Started is the first event of its session.", provedBy: [ORDER, LEGAL] },
  { id: "AAEP-4.1.1-b", says: "Nothing of a session comes before its start.", provedBy: [ORDER] },
  { id: "AAEP-4.1.1-c", says: "A session starts once.", provedBy: [ORDER, LEGAL] },
  { id: "AAEP-4.1.2-a", says: "Completed is the last event of a session that succeeded.", provedBy: [ORDER, LEGAL] },
  { id: "AAEP-4.1.2-b", says: "Nothing is completed after it errored or was cancelled.", provedBy: [ORDER] },
  { id: "AAEP-4.1.2-c", says: "A session has one terminal event.", provedBy: [ORDER, LEGAL] },
  { id: "AAEP-4.1.3-a", says: "Errored is the last event of a session that failed.", provedBy: [ORDER, LEGAL] },
  { id: "AAEP-4.1.3-b", says: "Errored is critical.", provedBy: [CRITICAL] },
  { id: "AAEP-4.1.3-c", says: "Errors are announced promptly.", excluded: SUBSCRIBERS_OWN },
  { id: "AAEP-4.1.3-d", says: "Errors are never suppressed, however great the pressure.", excluded: SUBSCRIBERS_OWN },
  {
    id: "AAEP-4.1.4-a",
    says: "Cancelled is the last event of a session that was cancelled.",
    provedBy: [ORDER, LEGAL],
  },
  { id: "AAEP-4.2.1-a", says: "The first state change leaves idle.", provedBy: [ORDER] },
  {
    id: "AAEP-4.2.1-b",
    says: "Each state change leaves the state that was entered, or that later events imply.",
    provedBy: [ORDER, ["engine/sessions/session-sequence.test.ts", "R3a: states that other events imply"]],
  },
  {
    id: "AAEP-4.2.1-c",
    says: "States of any name are passed on.",
    provedBy: [
      ["hostile/agents.test.ts", "%s as a field, a prefix, a tool, a state, and inside extensions pollutes nothing"],
    ],
  },
  { id: "AAEP-4.2.1-d", says: "State changes are not silenced for good.", excluded: SUBSCRIBERS_OWN },
  { id: "AAEP-4.2.2-a", says: "Progress says one thing at least.", provedBy: [SPOILT] },
  {
    id: "AAEP-4.2.2-b",
    says: "Progress keeps to the negotiated rate.",
    provedBy: [["engine/properties/critical.test.ts", "R9: no window holds more than rate × time + burst"]],
  },
  { id: "AAEP-4.3.1-a", says: "Invoked goes out before the deed.", excluded: AGENTS_OWN },
  { id: "AAEP-4.3.1-b", says: "What cannot be undone is confirmed before it is invoked.", provedBy: [CONFIRMED] },
  { id: "AAEP-4.3.1-c", says: "A tool_call_id stands for one call, and its return bears it.", provedBy: [ORDER] },
  {
    id: "AAEP-4.3.1-d",
    says: "Summaries of arguments hold no secrets.",
    excluded: "the scan for secrets is optional (AAEP §10, T5), and this daemon has none",
  },
  { id: "AAEP-4.3.2-a", says: "A return names the tool that was invoked.", provedBy: [ORDER] },
  { id: "AAEP-4.3.2-b", says: "A return comes after its call.", provedBy: [ORDER, LEGAL] },
  {
    id: "AAEP-4.3.2-c",
    says: "A call that was given up is told as timed out.",
    provedBy: [["engine/sessions/session-sequence.test.ts", "R3a: before %s the daemon closes what is open"]],
  },
  {
    id: "AAEP-4.3.3-a",
    says: "Positions count from the start of their output.",
    provedBy: [ORDER, ["engine/sessions/session-sequence.test.ts", "each output counts for itself"]],
  },
  { id: "AAEP-4.3.3-b", says: "The last chunk of an output completes it.", provedBy: [LEGAL] },
  {
    id: "AAEP-4.3.3-c",
    says: "Text is coalesced as was negotiated.",
    provedBy: [["engine/properties/text.test.ts", "R10, R11, R30: is the published text"]],
  },
  { id: "AAEP-4.3.3-d", says: "Chunks hinted none are not announced by themselves.", excluded: SUBSCRIBERS_OWN },
  { id: "AAEP-4.4.1-a", says: "A question comes before what cannot be undone.", provedBy: [CONFIRMED] },
  { id: "AAEP-4.4.1-b", says: "The agent waits for the answer.", provedBy: [CONFIRMED] },
  { id: "AAEP-4.4.1-c", says: "Reply tokens are opaque.", excluded: SUBSCRIBERS_OWN },
  {
    id: "AAEP-4.4.1-d",
    says: "Silence rejects what is irreversible and of high risk.",
    provedBy: [["protocols/aaep/validation/validate.test.ts", "§6.4.1: default decisions"]],
  },
  { id: "AAEP-4.4.1-e", says: "Questions of consent are critical.", provedBy: [CRITICAL] },
  {
    id: "AAEP-4.4.1-f",
    says: "Questions are announced with prominence, and can be answered.",
    excluded: SUBSCRIBERS_OWN,
  },
  { id: "AAEP-4.4.1-g", says: "Nobody answers in the user's place.", excluded: SUBSCRIBERS_OWN },
  {
    id: "AAEP-4.4.2-a",
    says: "The agent waits for the clarification.",
    provedBy: [["engine/sessions/sessions.test.ts", "R6, R3a: waiting and restoring"]],
  },
  { id: "AAEP-4.4.2-b", says: "Questions of clarification are critical.", provedBy: [CRITICAL] },
  { id: "AAEP-4.4.3-a", says: "Handoffs are critical.", provedBy: [CRITICAL] },
  { id: "AAEP-4.5.1-a", says: "All events of a session stand between its start and its end." },
  { id: "AAEP-4.5.2-a", says: "No tool returns that was not invoked." },
  { id: "AAEP-4.5.3-a", says: "Without an accepted confirmation nothing irreversible goes on.", provedBy: [CONFIRMED] },
  { id: "AAEP-4.5.3-b", says: "Going on after an accept is told by an invocation.", excluded: AGENTS_OWN },
  {
    id: "AAEP-4.5.3-c",
    says: "Not going on is told by a follow-up event.",
    provedBy: [["engine/sessions/sessions.test.ts", "the last resolution restores the state, earlier ones leave it"]],
  },
  { id: "AAEP-4.5.4-a", says: "An output completes once, and nothing of it follows." },
];
