// A form that a host shows, or an address that it opens: only its own window can take the answer.
import type { AdapterWords } from "../engine/messages/adapter-catalogues/adapter-words.js";
import type { Sign } from "./adapter.js";
import { announced, hostOf } from "./words.js";

/** The sign for the params of `elicitation/create`, which ACP and MCP have in one form. */
export function elicited(turn: string, params: Readonly<Record<string, unknown>>, words: AdapterWords): Sign {
  const { mode, message, url } = params;
  const domain = mode === "url" && typeof url === "string" ? hostOf(url) : undefined;
  const asking = announced(typeof message === "string" && message !== "" ? message : words.question, words);
  const told = domain === undefined ? words.askedThere(asking) : words.askedToOpen(domain);
  return { kind: "state", turn, state: "awaiting_input", words: announced(told, words) };
}
