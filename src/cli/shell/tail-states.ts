// Describes the states of a subscription in sentences for people.

import { unreachable } from "../../base/exhaustive.js";
import { membersOf, ownMember, textOf } from "../../base/members.js";
import type { Interruption, SubscriberState } from "../../client/listener/types.js";
import { sentences, shownText } from "../terminal/shown-text.js";
import { termsInWords } from "./capability-options.js";

/** Empty if the state is not worth a line. `label` is the name in front of the line, if any. */
export function stateInWords(state: SubscriberState, label = ""): string {
  if (state.kind === "waiting") return waitingInWords(state.because);
  if (state.kind !== "active") return "";
  const { accepted } = state;
  const { agent_name: name, agent_id: id } = membersOf(accepted.producer);
  const notes = textOf(accepted.negotiation_notes);
  const { resumed } = accepted.honored_capabilities.aaepd ?? {};
  const what = resumed === "all" ? "Connected again" : "Connected";
  const producer = textOf(name) || textOf(id) || "a producer without a name";
  const to = producer === label ? "" : ` to ${producer}`;
  const sentence = `${what}${to}: ${termsInWords(accepted.honored_capabilities)}.`;
  const place = ownMember(PLACES, resumed ?? "") ?? "";
  return shownText(sentences(sentence, notes, place));
}

/** How the resume place was met; nothing is said if everything after the place follows (R17). */
const PLACES: Readonly<Record<string, string>> = {
  gap: "The daemon does not have everything that came after the last place: it was too old, or a crash took it back.",
  unknown:
    "The daemon has another journal than before, so it does not know what was told last. Events since then are not shown.",
};

/** One sentence for any number of attempts: a countdown would talk over everything else. */
function waitingInWords(because: Interruption): string {
  // A failure on this side says more than that the daemon has gone.
  if (because.kind === "fault" && because.fault.origin !== "local")
    return "The daemon has gone. Waiting for it to come back.";
  const next = because.kind === "closed" ? "Waiting for it to come back." : "Trying again.";
  return `${interruptionInWords(because)} ${next}`;
}

export function interruptionInWords(because: Interruption): string {
  switch (because.kind) {
    case "closed": {
      const { reason_code: code = "no reason given", reason_message: message } = because.close;
      return shownText(
        `The daemon has closed the subscription: ${textOf(message) || (ownMember(REASONS, code) ?? "it says no more")} (${code}).`,
      );
    }
    case "rejected": {
      const { reason_code: code, reason_message: message } = because.rejected;
      return shownText(`The daemon has rejected the subscription: ${textOf(message) || "it says no more"} (${code})`);
    }
    case "fault":
      return shownText(because.fault.sentence);
    default:
      return unreachable(because);
  }
}

/** The codes of a close, where the daemon says no more. */
const REASONS: Readonly<Record<string, string>> = {
  producer_shutdown: "it is shutting down",
  recording_ended: "the recording has ended",
  producer_error: "something went wrong in it",
  lagging: "this side reads too slowly",
};
