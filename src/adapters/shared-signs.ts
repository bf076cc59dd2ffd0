// Signs that several hosts tell in one form.
import { type Members, someText } from "../base/members.js";
import type { Wording } from "../engine/messages/wording.js";
import type { Sign } from "./adapter.js";
import { announced, hostOf } from "./words.js";

/**
 * A form that a host shows, or an address that it opens: only its own window can take the answer. `params`: of `elicitation/create`, which ACP, MCP
 * and hooks have in one form. `inFront` puts the name of a subagent in front.
 */
export function elicited(turn: string, params: Members, words: Wording, inFront = (told: string) => told): Sign {
  const domain = params.mode === "url" ? hostOf(someText(params.url) ?? "") : undefined;
  const asking = announced(someText(params.message) ?? words.say("question"), words);
  const told = domain === undefined ? words.say("askedThere", { asking }) : words.say("askedToOpen", { domain });
  return { kind: "state", turn, state: "awaiting_input", words: announced(inFront(told), words) };
}

/** The agent's plan, as progress of its turn; none where everything is done, or nothing is planned. */
export function planned(turn: string, entries: readonly Members[], words: Wording): readonly Sign[] {
  const total = entries.length;
  const done = entries.filter(({ status }) => status === "completed").length;
  const current = entries.find(({ status }) => status === "in_progress");
  if (done === total) return [];
  const said = announced(someText(current?.activeForm) ?? someText(current?.content) ?? "", words);
  return [{ kind: "progress", turn, step: done + 1, total, ...(said === "" ? {} : { words: said }) }];
}
