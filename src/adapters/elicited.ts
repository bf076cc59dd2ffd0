// A form that a host shows, or an address that it opens: only its own window can take the answer.
import type { Wording } from "../engine/messages/wording.js";
import type { Sign } from "./adapter.js";
import { announced, hostOf } from "./words.js";

/** The sign for the params of `elicitation/create`, which ACP and MCP have in one form. */
export function elicited(turn: string, params: Readonly<Record<string, unknown>>, words: Wording): Sign {
  const { mode, message, url } = params;
  const domain = mode === "url" && typeof url === "string" ? hostOf(url) : undefined;
  const asking = announced(typeof message === "string" && message !== "" ? message : words.say("question"), words);
  const told = domain === undefined ? words.say("askedThere", { asking }) : words.say("askedToOpen", { domain });
  return { kind: "state", turn, state: "awaiting_input", words: announced(told, words) };
}
