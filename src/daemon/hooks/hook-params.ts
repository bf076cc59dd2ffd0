// The params of `aaepd.hook`: one message of a host, as the host wrote it.
import { HOOK_HOST_IDS, type HookHost } from "../../adapters/hooks/hook-host.js";
import { HOOK_HOSTS } from "../../adapters/hooks/hook-hosts.js";
import { givenName } from "../../adapters/names.js";
import { Fault } from "../../base/errors.js";
import { parseJsonDocument } from "../../base/json-document.js";
import { didYouMean } from "../../base/nearest.js";

export interface HookCall {
  readonly host: HookHost;
  readonly message: Readonly<Record<string, unknown>>;
  /** Whether the message can be read in one way only: no member twice (R19), and no number that a parser changes (R41). */
  readonly isClear: boolean;
  readonly name: string | undefined;
  readonly language: string | undefined;
  readonly locale: string | undefined;
  readonly pid: number | undefined;
  readonly answers: boolean;
}

/** UTF-16 units of a name, a language or a locale. */
const LONGEST_OPTION = 256;

/** Throws a Fault "invalid_params". */
export function readHookParams(params: unknown): HookCall {
  const given = (typeof params === "object" && params !== null ? params : {}) as Readonly<Record<string, unknown>>;
  const { host: id, message: text, name, pid, answers = false } = given;
  const hostId = HOOK_HOST_IDS.find((one) => one === id);
  if (hostId === undefined) {
    const near = typeof id === "string" ? didYouMean(id, HOOK_HOST_IDS) : "";
    throw refused("/host", `Name a known host: ${HOOK_HOST_IDS.join(" or ")}. ${near}`.trim());
  }
  if (typeof text !== "string") throw refused("/message", "Give the text of the host's message.");
  if (pid !== undefined && !(Number.isSafeInteger(pid) && Number(pid) > 0))
    throw refused("/pid", "Give the number of a process, or leave it out.");
  if (typeof answers !== "boolean") throw refused("/answers", "Set `answers` to true or false, or leave it out.");
  return {
    host: HOOK_HOSTS[hostId],
    ...read(text),
    name: nameIn(name),
    language: textAt("language", given.language),
    locale: textAt("locale", given.locale),
    pid: pid as number | undefined,
    answers,
  };
}

function nameIn(value: unknown): string | undefined {
  const name = textAt("name", value);
  if (name === undefined) return undefined;
  try {
    return givenName(name);
  } catch {
    throw refused("/name", "Give a name that is not empty, and not the daemon's own.");
  }
}

function textAt(name: string, value: unknown): string | undefined {
  if (value === undefined || (typeof value === "string" && value.length <= LONGEST_OPTION)) return value;
  throw refused(`/${name}`, `Set \`${name}\` to a text of at most ${LONGEST_OPTION} characters, or leave it out.`);
}

function read(text: string): Pick<HookCall, "message" | "isClear"> {
  try {
    return { message: objectIn(parseJsonDocument(text)), isClear: true };
  } catch (caught) {
    if (caught instanceof Fault && caught.rule === "AAEP §3.7" && caught.code === "invalid_message")
      throw refused("/message", caught.sentence);
    // Heard all the same, and not answered.
    return { message: objectIn(parsed(text)), isClear: false };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectIn(value: unknown): HookCall["message"] {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as HookCall["message"];
  throw refused("/message", "Give the text of a JSON object, as the host wrote it.");
}

function refused(pointer: string, sentence: string): Fault {
  return new Fault("invalid_params", sentence, { pointer, rule: "R8c" });
}
