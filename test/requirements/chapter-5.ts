// The MUSTs of AAEP chapter 5.
import { type Proof, type Requirement, SUBSCRIBERS_OWN } from "./requirement.js";

const PERMISSIVE: Proof = [
  "protocols/aaep/subscriber/negotiate.property.test.ts",
  "AAEP §5.4.4: never more permissive than asked for",
];
const TAILORED: Proof = [
  "engine/properties/tailoring.test.ts",
  "R6, R15, R31, R32: an unlimited subscription gets exactly what its terms let through, in order",
];
const RATE: Proof = ["engine/properties/critical.test.ts", "R9: no window holds more than rate × time + burst"];
const CRITICAL: Proof = ["engine/properties/critical.test.ts", "R4: critical events go in their turn or first of all"];
const TEXT: Proof = ["engine/properties/text.test.ts", "R9, R10: is the same at one event a second"];
const MESSAGES: Proof = ["protocols/aaep/validation/validate-messages.test.ts", "bounds of messages"];

export const CHAPTER_5: readonly Requirement[] = [
  { id: "AAEP-5.2.1-a", says: "A request has type, version, subscriber and capabilities.", provedBy: [MESSAGES] },
  { id: "AAEP-5.3.1.1-a", says: "No faster than the rate, critical events aside.", provedBy: [RATE] },
  { id: "AAEP-5.3.1.4-a", says: "Who cannot answer confirmations is not sent them." },
  {
    id: "AAEP-5.3.1.4-b",
    says: "Where nobody can answer, the default applies at once.",
    provedBy: [["requirements/questions.test.ts", "AAEP-5.3.1.4-b"]],
  },
  { id: "AAEP-5.3.1.4-c", says: "Subscribers of level 2 declare that they can answer.", excluded: SUBSCRIBERS_OWN },
  { id: "AAEP-5.3.1.7-a", says: "Nothing is sent that a filter keeps away.", provedBy: [TAILORED] },
  { id: "AAEP-5.3.1.9-a", says: "Extension data that is not understood is ignored.", excluded: SUBSCRIBERS_OWN },
  {
    id: "AAEP-5.3.1.12-a",
    says: "Who wants a signed manifest only is rejected where there is none.",
    provedBy: [["protocols/aaep/subscriber/negotiate.test.ts", "AAEP §5.3.1.12"]],
  },
  { id: "AAEP-5.3.2-a", says: "Unknown capabilities reject nothing." },
  {
    id: "AAEP-5.4.1-a",
    says: "An acceptance has type, id, version, producer and what is honored.",
    provedBy: [["scenarios/handshakes.ts", "AAEP §5.11"]],
  },
  { id: "AAEP-5.4.4-a", says: "The honored rate is not above the requested one.", provedBy: [PERMISSIVE] },
  { id: "AAEP-5.4.4-b", says: "Honored languages were asked for.", provedBy: [PERMISSIVE] },
  { id: "AAEP-5.4.4-c", says: "Honored boundaries were asked for.", provedBy: [PERMISSIVE] },
  { id: "AAEP-5.4.4-d", says: "Honored filters let no more through than the requested ones.", provedBy: [PERMISSIVE] },
  { id: "AAEP-5.4.4-e", says: "What is sent keeps to what was honored.", provedBy: [TAILORED, RATE] },
  {
    id: "AAEP-5.5.1-a",
    says: "A rejection has type, code and message.",
    provedBy: [["protocols/aaep/validation/validate-messages.test.ts", "messages of the protocol"]],
  },
  { id: "AAEP-5.5.3-a", says: "The code of a rejection says what it was for." },
  { id: "AAEP-5.5.4-a", says: "Critical events pass filters and rates.", provedBy: [CRITICAL] },
  { id: "AAEP-5.5.4-b", says: "Subscribers are ready for critical events.", excluded: SUBSCRIBERS_OWN },
  {
    id: "AAEP-5.6.1-a",
    says: "Each subscription has a budget that is replenished smoothly.",
    provedBy: [RATE, ["engine/subscriptions/rate-budget.test.ts", "R9: in any window of T seconds"]],
  },
  { id: "AAEP-5.6.1-b", says: "Over budget, text is held, gathered, and sent at its boundary.", provedBy: [TEXT] },
  {
    id: "AAEP-5.6.1-c",
    says: "Over budget, what has no boundary goes as soon as the budget allows.",
    provedBy: [TEXT],
  },
  { id: "AAEP-5.6.1-d", says: "Critical events are never held.", provedBy: [CRITICAL] },
  { id: "AAEP-5.6.2-a", says: "Subscribers bear the rate they asked for.", excluded: SUBSCRIBERS_OWN },
  { id: "AAEP-5.6.2-b", says: "Subscribers drop no critical event.", excluded: SUBSCRIBERS_OWN },
  { id: "AAEP-5.7-a", says: "A renegotiation is answered by accepted, or by rejected, which ends the subscription." },
  {
    id: "AAEP-5.7.1-a",
    says: "What a renegotiation leaves out stays.",
    provedBy: [["protocols/aaep/subscriber/negotiate.test.ts", "AAEP §5.7.1: what is left out stays"]],
  },
  {
    id: "AAEP-5.7.2-a",
    says: "New terms hold for everything after their acceptance.",
    provedBy: [["engine/properties/renegotiation.test.ts", "keeps each era's terms"]],
  },
  { id: "AAEP-5.7.2-b", says: "Subscribers bear with what was under way.", excluded: SUBSCRIBERS_OWN },
  {
    id: "AAEP-5.8-a",
    says: "An abrupt end is borne with.",
    provedBy: [["hostile/bytes.test.ts", "a peer that ends its side after %s is let go"]],
  },
  { id: "AAEP-5.8.2-a", says: "Nothing goes to a subscription that was closed." },
  {
    id: "AAEP-5.8.2-b",
    says: "The default of an open question applies when the last that could answer it closes.",
    provedBy: [["requirements/questions.test.ts", "AAEP-5.8.2-b"]],
  },
  { id: "AAEP-5.9-a", says: "Subscriptions do not touch each other." },
  {
    id: "AAEP-5.9-b",
    says: "The first valid reply counts, later ones do not.",
    provedBy: [["requirements/questions.test.ts", "AAEP-5.9-b"]],
  },
];
