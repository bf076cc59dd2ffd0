// The MUSTs of AAEP chapter 9: what a producer of levels 1 to 3 owes. Those of subscribers bind assistive technology.
import { AGENTS_OWN, type Proof, type Requirement, SUBSCRIBERS_OWN } from "./requirement.js";

const LEGAL: Proof = [
  "engine/sessions/sessions.test.ts",
  "what goes out is legal: one start, one end, contiguous outputs, paired tools, states that follow",
];
const VALID: Proof = ["schemas/schemas.test.ts", "accept the chapters' example %s"];
const SUMMED_UP: Proof = [
  "protocols/aaep/validation/validate.test.ts",
  "%s: the fast answer and the full diagnosis agree",
];
const SUITE = "no claim of conformance is made yet; the suite of chapter 9 comes with a later issue";

const subscribers = (paragraph: string, says: readonly string[]): readonly Requirement[] =>
  says.map((one, index) => ({
    id: `AAEP-${paragraph}-${String.fromCharCode(97 + index)}`,
    says: one,
    excluded: SUBSCRIBERS_OWN,
  }));

export const CHAPTER_9: readonly Requirement[] = [
  { id: "AAEP-9.3.1-a", says: "Every session starts with its event.", provedBy: [LEGAL] },
  {
    id: "AAEP-9.3.1-b",
    says: "Every session ends with one terminal event, also where its agent vanished.",
    provedBy: [LEGAL, ["scenarios/publishing.ts", "R8, R3a: an agent that does not come back"]],
  },
  { id: "AAEP-9.3.1-c", says: "Substantive changes of state are told.", excluded: AGENTS_OWN },
  { id: "AAEP-9.3.1-d", says: "Tools are announced before they act.", excluded: AGENTS_OWN },
  {
    id: "AAEP-9.3.1-e",
    says: "Every invocation is answered by a return.",
    provedBy: [LEGAL, ["engine/sessions/session-sequence.test.ts", "R3a: before %s the daemon closes what is open"]],
  },
  {
    id: "AAEP-9.3.1-f",
    says: "Merged output says on what boundary it ends.",
    provedBy: [["engine/properties/text.test.ts", "R10, R11, R30"]],
  },
  {
    id: "AAEP-9.3.1-g",
    says: "Every event has the whole envelope.",
    provedBy: [["engine/sessions/complete-event.test.ts", "R2: what is missing is filled in"]],
  },
  {
    id: "AAEP-9.3.1-h",
    says: "Every event fits its schema.",
    provedBy: [VALID, ["support/rigs/daemon-rig.ts", "sniffer.violations()"]],
  },
  { id: "AAEP-9.3.1-i", says: "What is announced has a summary.", provedBy: [SUMMED_UP] },
  ...subscribers("9.3.2", [
    "Receive events over a conforming transport.",
    "Validate envelopes.",
    "Announce starts, ends and tools.",
    "Tell the three ends apart.",
    "Bear with unknown types.",
    "Bear with unknown extensions.",
    "Give critical events their prominence.",
  ]),
  { id: "AAEP-9.4.1-a", says: "All of level 1.", provedBy: [LEGAL] },
  {
    id: "AAEP-9.4.1-b",
    says: "A question before what cannot be undone.",
    provedBy: [["engine/sessions/sessions.test.ts", "R5: irreversible means confirmed"]],
  },
  {
    id: "AAEP-9.4.1-c",
    says: "The deed waits; silence means the default.",
    provedBy: [["engine/sessions/sessions.test.ts", "a default never counts, nor does a clarification"]],
  },
  {
    id: "AAEP-9.4.1-d",
    says: "The default is the right one.",
    provedBy: [["protocols/aaep/validation/validate.test.ts", "§6.4.1: default decisions"]],
  },
  {
    id: "AAEP-9.4.1-e",
    says: "Confirmation replies are checked in every respect.",
    provedBy: [
      ["engine/questions/reply-check.test.ts", "AAEP §6.3.4: when"],
      ["engine/questions/reply-check.test.ts", "AAEP §6.3.4, H11: what"],
      ["engine/questions/questions.test.ts", "R19, AAEP §6.3.4: replies"],
      ["protocols/aaep/sessions/question-methods.test.ts", "AAEP §6.3.4, R19: a reply that is none"],
    ],
  },
  { id: "AAEP-9.4.1-f", says: "Replies count once.", provedBy: [["requirements/questions.test.ts", "AAEP-5.9-b"]] },
  { id: "AAEP-9.4.1-g", says: "Clarifications say what answers will do.", excluded: AGENTS_OWN },
  {
    id: "AAEP-9.4.1-h",
    says: "Clarification replies are checked by kind.",
    provedBy: [["engine/questions/reply-check.test.ts", "AAEP §6.3.4, H11: what"]],
  },
  {
    id: "AAEP-9.4.1-i",
    says: "The end of a question is told.",
    provedBy: [["requirements/questions.test.ts", "AAEP-5.8.2-b"]],
  },
  { id: "AAEP-9.4.1-j", says: "Giving up is told by a handoff.", excluded: AGENTS_OWN },
  ...subscribers("9.4.2", [
    "All of level 1.",
    "Declare that confirmations can be answered.",
    "Send the user's decision.",
    "Echo the token unchanged.",
    "Give the user a way to answer.",
    "Do not answer for the user.",
    "The same for clarifications.",
    "Forward replies rightly.",
    "Notice cancelled questions.",
  ]),
  { id: "AAEP-9.5.1-a", says: "All of level 2, as far as it is there.", provedBy: [LEGAL] },
  {
    id: "AAEP-9.5.1-b",
    says: "Requests are taken on every transport.",
    provedBy: [["scenarios/handshakes.ts", "AAEP §5.11"]],
  },
  {
    id: "AAEP-9.5.1-c",
    says: "Each is accepted or rejected, never met with silence.",
    provedBy: [
      ["protocols/aaep/subscriber/negotiate.property.test.ts", "whatever is sent, the answer is one of the two"],
    ],
  },
  { id: "AAEP-9.5.1-d", says: "What is honored is no more than what was asked for, and is kept." },
  {
    id: "AAEP-9.5.1-e",
    says: "Renegotiations are taken and applied.",
    provedBy: [["scenarios/handshakes.ts", "AAEP-5.7-a, AAEP-5.7.2-a"]],
  },
  {
    id: "AAEP-9.5.1-f",
    says: "Closes are taken, and release what was held.",
    provedBy: [
      ["scenarios/handshakes.ts", "AAEP-5.8.2-a"],
      ["hostile/floods.test.ts", "500 connects and disconnects in a row"],
    ],
  },
  {
    id: "AAEP-9.5.1-g",
    says: "Languages choose the summaries.",
    provedBy: [["engine/terms/shape.test.ts", "R14: every event comes out as the rules, spelled out, say"]],
  },
  {
    id: "AAEP-9.5.1-h",
    says: "There is a manifest, and manifest_uri names it.",
    provedBy: [["daemon/presence/runtime-files.test.ts", "is what manifest_uri names, whatever is in the path"]],
  },
  {
    id: "AAEP-9.5.1-i",
    says: "Manifests are signed for those who ask for it.",
    excluded: "signed manifests are optional at level 3 and come with a later issue; who asks for one is rejected",
  },
  {
    id: "AAEP-9.5.1-j",
    says: "Back-pressure: a token bucket, boundaries, and critical events at once.",
    provedBy: [
      ["engine/properties/critical.test.ts", "R9: no window holds more"],
      ["engine/properties/text.test.ts", "R9, R10"],
    ],
  },
  ...subscribers("9.5.2", [
    "All of level 2.",
    "Ask before anything else.",
    "Abide by what was honored.",
    "Renegotiate rather than ignore.",
    "Notice events out of order.",
    "Notice events that come twice.",
    "Close in order.",
    "Verify signed manifests.",
    "Honor critical events under pressure.",
  ]),
  { id: "AAEP-9.6-a", says: "Profiles are claimed with all their tests passed.", excluded: SUITE },
  { id: "AAEP-9.7-a", says: "Claims rest on the published suite.", excluded: SUITE },
  { id: "AAEP-9.10-a", says: "Disputed claims are answered.", excluded: SUITE },
];
