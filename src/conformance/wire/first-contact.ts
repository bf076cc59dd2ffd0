// The first contact with the tested side shows whether cases can judge it at all. The finding is the one reason for which they are skipped.
import { Fault } from "../../base/errors.js";
import type { Millis } from "../../contracts/clock.js";
import { SPECIFICATION_VERSION } from "../findings/finding.js";
import type { Conversation, Message } from "./conversation.js";
import { accidentWords, isSetUpFault } from "./endpoint-faults.js";

/** The finding about a target that sends more than the suite keeps. */
export const FLOOD = "The target sent more on one connection than the suite keeps.";

const LONGEST_QUOTE = 200;

/** The beginning of the finding about messages that are no JSON. */
export const NO_JSON = "The target sends something that is no JSON object:";

/** The finding about a connection that can carry no case, as the target left it; undefined: it can. Throws the fault of a wrong set-up. */
export function brokenContact(conversation: Conversation): string | undefined {
  if (conversation.isFlooded()) return FLOOD;
  const accident = conversation.accident();
  if (isSetUpFault(accident)) throw accident;
  const isGone = accident instanceof Fault && accident.code === "peer_gone";
  if (accident !== undefined && !isGone) return accidentWords(accident);
  const received = conversation.record.filter(({ way }) => way === "received");
  const strange = received.find(({ message }) => message === undefined);
  if (strange !== undefined && received.every(({ message }) => message === undefined))
    return `${NO_JSON} ${quote(strange.text)}`;
  if (conversation.isOver()) return "The target ended the connection at once.";
  return undefined;
}

/** The finding about a message whose version of AAEP the suite does not test; undefined: it is tested, or the message names none. */
export function foreignVersion({ aaep_version: version }: Message): string | undefined {
  if (typeof version !== "string" || majorOf(version) === majorOf(SPECIFICATION_VERSION)) return undefined;
  return `The target speaks AAEP ${quote(version)}, and the suite tests AAEP ${SPECIFICATION_VERSION}.`;
}

/** The beginning of a text of the target. */
export function quote(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}

function majorOf(version: string): string {
  return version.split(".", 1)[0] ?? "";
}

/** The sentence behind a reason that slowness may have. */
export function patienceAdvice(patienceMs: Millis): string {
  const seconds = patienceMs / 1000;
  return `The suite waited ${seconds} ${seconds === 1 ? "second" : "seconds"}. Give a slow target more with --patience.`;
}
