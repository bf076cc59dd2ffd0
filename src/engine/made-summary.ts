// The texts of the events that sessions make for their agents, in every language of the catalogue (R31).
import { unreachable } from "../base/exhaustive.js";
import { catalogueLanguage } from "./daemon-texts.js";
import type { Producer } from "./event.js";
import { type LocalizedTexts, localizedTexts } from "./localized-texts.js";
import type { MadeSummary, MadeText } from "./session-turn.js";
import { shortenedText } from "./shortened-text.js";

const NAME_LENGTH = 400;

/** What the sessions' own events say; the plain members are in `defaultLanguage`. */
export function createMadeSummary(defaultLanguage: string): MadeSummary {
  const audience = { kind: "everyone", primary: catalogueLanguage([defaultLanguage]) } as const;
  const nameOf = (producer: Producer) => shortenedText(producer.agent_name ?? producer.agent_id, NAME_LENGTH);
  const textsOf = (text: MadeText): LocalizedTexts => {
    switch (text.kind) {
      case "tool_abandoned":
        return localizedTexts(audience, "toolAbandoned", () => ({ tool: text.tool }));
      case "awaiting_input":
        return localizedTexts(audience, "awaitingInput", () => ({ agent: nameOf(text.question.producer) }));
      case "agent_disconnected":
        return localizedTexts(audience, "agentDisconnected", () => ({ agent: nameOf(text.producer) }));
      default:
        return unreachable(text);
    }
  };
  return (text) => {
    const { hints, summaries } = textsOf(text);
    return { localization_hints: hints, ...summaries };
  };
}
