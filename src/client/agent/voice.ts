// One AAEP session of an agent: renders intents into events, with the session's id, its chain of states, and what is open in it (AAEP §4.2.1, R3a).
import { wholeEnd } from "../../base/whole-end.js";
import type { PublishingClient } from "../agent-client.js";
import { newEventId } from "../random-ids.js";
import type { Fields, Voice } from "./intents.js";

/** UTF-16 units of one chunk: at most 48 KB of JSON, whatever the characters. */
const LONGEST_CHUNK = 8000;

export function createVoice(client: PublishingClient, sessionId: string): Voice {
  let outputs = new Set<string>();
  // The last state that was published, and the one that later events imply. Both are good as `from_state`.
  let told = "idle";
  let implied: string | undefined;

  const event: Voice["event"] = (type, members) => ({
    type: type.includes(":") ? type : `aaep:agent.${type}`,
    event_id: newEventId(),
    session_id: sessionId,
    ...members,
  });
  const state: Voice["state"] = (name, members) => {
    const from = implied ?? told;
    if (voice.openQuestions > 0 || (from === name && members === undefined)) return [];
    told = name;
    implied = undefined;
    return [event("state.changed", { from_state: from, to_state: name, ...members })];
  };
  const chunk = (outputId: string, text: string, complete: boolean): Fields =>
    event("output.streaming", { output_id: outputId, chunk: text, complete });

  const voice: Voice = {
    sessionId,
    client,
    hasStarted: false,
    isLost: false,
    openQuestions: 0,
    openTools: new Map(),
    event,
    state,
    implies: (name) => {
      implied = name;
    },
    endOutput: (outputId) => (outputs.delete(outputId) ? [chunk(outputId, "", true)] : []),
    endAll: () => {
      const tools = Array.from(voice.openTools.values(), (named) =>
        event("tool.completed", { ...named, status: "timeout" }),
      );
      voice.openTools.clear();
      return [...tools, ...[...outputs].flatMap(voice.endOutput)];
    },
    save: () => {
      const before = { outputs: new Set(outputs), told, implied, openTools: new Map(voice.openTools) };
      return () => {
        ({ outputs, told, implied, openTools: voice.openTools } = before);
      };
    },
    render: (intent) => {
      if (intent.kind === "question") return [];
      if (intent.kind === "events") return intent.render(voice);
      const { outputId } = intent;
      const begun = outputs.has(outputId) ? [] : state("writing_output");
      outputs.add(outputId);
      const chunks: Fields[] = [];
      for (let { text } = intent; text !== ""; ) {
        const end = wholeEnd(text, LONGEST_CHUNK);
        chunks.push(chunk(outputId, text.slice(0, end), false));
        text = text.slice(end);
      }
      return [...begun, ...chunks];
    },
  };
  return voice;
}
