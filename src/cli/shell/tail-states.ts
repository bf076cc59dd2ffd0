// Describes the states of a subscription in sentences for people.
import { unreachable } from "../../base/exhaustive.js";
import type { Interruption, SubscriberState } from "../../client/listener/types.js";
import { shownText } from "../terminal/shown-text.js";
import { termsInWords } from "./capability-options.js";

/** Empty if the state is not worth a line. `label` is the name in front of the line, if any. */
export function stateInWords(state: SubscriberState, label = ""): string {
  switch (state.kind) {
    case "connecting":
      return "";
    case "active": {
      const { accepted } = state;
      const { agent_name: name, agent_id: id } = accepted.producer;
      const notes = accepted.negotiation_notes ?? "";
      const { resumed } = accepted.honored_capabilities.aaepd ?? {};
      const what = resumed === "all" || resumed === "rolled_back" ? "Connected again" : "Connected";
      const to = (name ?? id) === label ? "" : ` to ${name ?? id}`;
      const sentence = `${what}${to}: ${termsInWords(accepted.honored_capabilities)}.`;
      return shownText([sentence, notes, placeInWords(resumed)].filter((part) => part !== "").join(" "));
    }
    case "waiting":
      return waitingInWords(state.because);
    case "ended":
      return "";
    default:
      return unreachable(state);
  }
}

/** Describes how the resume place was met; empty if everything after the place follows (R17). */
function placeInWords(resumed: string | undefined): string {
  switch (resumed) {
    case "rolled_back":
      return "The daemon's journal ends before the last place, after a crash or because it was restored from a backup. The last events before are void.";
    case "gap":
      return "The daemon does not have everything that came after the last place: it was too old, or a crash took it back.";
    case "unknown":
      return "The daemon has another journal than before, so it does not know what was told last. Events since then are not shown.";
    default:
      return "";
  }
}

/** One sentence for any number of attempts: a countdown would talk over everything else. */
function waitingInWords(because: Interruption): string {
  switch (because.kind) {
    case "fault": {
      const { origin } = because.fault;
      // A failure on this side says more than that the daemon has gone.
      if (origin === "local") return `${interruptionInWords(because)} Trying again.`;
      return "The daemon has gone. Waiting for it to come back.";
    }
    case "closed":
      return `${interruptionInWords(because)} Waiting for it to come back.`;
    case "rejected":
      return `${interruptionInWords(because)} Trying again.`;
    default:
      return unreachable(because);
  }
}

export function interruptionInWords(because: Interruption): string {
  switch (because.kind) {
    case "closed": {
      const { reason_code: code = "no reason given", reason_message: message } = because.close;
      return shownText(`The daemon has closed the subscription: ${message ?? reasonInWords(code)} (${code}).`);
    }
    case "rejected": {
      const { reason_code: code, reason_message: message } = because.rejected;
      return shownText(`The daemon has rejected the subscription: ${message} (${code})`);
    }
    case "fault":
      return shownText(because.fault.sentence);
    default:
      return unreachable(because);
  }
}

function reasonInWords(code: string): string {
  switch (code) {
    case "producer_shutdown":
      return "it is shutting down";
    case "recording_ended":
      return "the recording has ended";
    case "producer_error":
      return "something went wrong in it";
    case "lagging":
      return "this side reads too slowly";
    default:
      return "it says no more";
  }
}
