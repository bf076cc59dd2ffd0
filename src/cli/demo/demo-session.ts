// The session that the demo plays.
import { createReadStream, existsSync, readdirSync } from "node:fs";
import type { Envelope } from "#gen/aaep/types.js";
import { usage } from "../../base/errors.js";
import { type Members, membersOf, textOf } from "../../base/members.js";
import { didYouMean } from "../../base/nearest.js";
import { packagePath } from "../shell/program-paths.js";
import { chunkOf } from "../terminal/event-text.js";
import { readJson, readLines } from "../terminal/read-lines.js";
import { sentences } from "../terminal/shown-text.js";

export interface DemoSession {
  readonly events: readonly Members[];
  /** Language of the first event (RFC 5646). */
  readonly language: string;
  readonly producer: Members & { readonly agent_id: string };
  readonly charCount: number;
  /** Whether the agent asks any question. */
  readonly hasQuestions: boolean;
  /** Time from the first timestamp to the last. */
  readonly durationMs: number;
}

const ENDING = ".ndjson";

/** Reads an example of examples/sessions by its name, or a file. Throws a Fault "usage" if there is neither, or if the file holds no events. */
export async function readDemoSession(name: string): Promise<DemoSession> {
  const path = pathOf(name);
  const events: Members[] = [];
  for await (const line of readLines(createReadStream(path), name)) {
    const read = readJson(line);
    if (read.kind !== "object") throw usage(`Line ${line.number} of ${name} is no event. aaepd validate says more.`);
    events.push(read.fields);
  }
  const [first] = events;
  const last = events.at(-1);
  if (first === undefined || last === undefined) throw usage(`${name} holds no events.`);
  const { primary_language: language } = membersOf(first.localization_hints);
  const producer = membersOf(first.producer);
  return {
    events,
    language: typeof language === "string" ? language : "en-US",
    producer: { ...producer, agent_id: typeof producer.agent_id === "string" ? producer.agent_id : "agent" },
    charCount: events.reduce((count, event) => count + [...(chunkOf(event as unknown as Envelope) ?? "")].length, 0),
    hasQuestions: events.some(isQuestion),
    durationMs: Math.max(0, Date.parse(textOf(last.timestamp)) - Date.parse(textOf(first.timestamp))) || 0,
  };
}

export function isQuestion({ type }: Members): boolean {
  return /agent\.awaiting\./.test(textOf(type));
}

/** Texts of outputs by their sessions and names, in the order of the outputs: played sessions have other ids. */
export class OutputTexts {
  readonly #texts = new Map<string, string>();

  /** Returns whether the event has text. */
  note(event: Envelope): boolean {
    const chunk = chunkOf(event);
    if (chunk === undefined) return false;
    const key = `${event.session_id} ${textOf(event.output_id)}`;
    this.#texts.set(key, (this.#texts.get(key) ?? "") + chunk);
    return true;
  }

  all(): readonly string[] {
    return [...this.#texts.values()];
  }
}

function pathOf(name: string): string {
  const directory = packagePath("examples", "sessions");
  const known = readdirSync(directory)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length));
  if (known.includes(name)) return packagePath("examples", "sessions", `${name}${ENDING}`);
  if (existsSync(name)) return name;
  const all = `There are: ${known.join(", ")}.`;
  throw usage(sentences(`There is no session ${JSON.stringify(name)}.`, didYouMean(name, known), all));
}
