// Parses the options of A2E: lists of names, a token, and the providers that the daemon runs.
import { given, type ReadValue, refused, textValue, type ValueType } from "./config-values.js";

/** An A2E host that the daemon runs as a child (docs/a2e.md). */
export interface ProviderChoice {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly priority: number;
  /** The capabilities that the daemon asks for; undefined: all. */
  readonly capabilities: readonly string[] | undefined;
  /** The token that the host wants. */
  readonly authToken: string;
}

const MOST_NAMES = 1024;
const LONGEST_NAME = 1024;
const MOST_PROVIDERS = 64;
const MOST_PARAMETERS = 1024;
const HIGHEST_PRIORITY = 1_000_000;
/** Stands for a text that opens something. */
const SET = "(set)";

/** Names, in the file as a list, elsewhere with commas between them. */
export const namesChoice: ValueType<readonly string[]> = {
  placeholder: "NAMES|none",
  range: "none, or names with commas between them",
  fromText: (text) => (text === "none" ? given([]) : namesOf(text.split(",").map((name) => name.trim()))),
  fromJson: (json) => (json === "none" ? given([]) : namesOf(json)),
  toText: (names) => (names.length === 0 ? "none" : names.join(",")),
  toJson: (names) => names,
};

function isName(name: unknown): name is string {
  return typeof name === "string" && name !== "" && name.length <= LONGEST_NAME;
}

function namesOf(json: unknown): ReadValue<readonly string[]> {
  const isNames = Array.isArray(json) && json.length <= MOST_NAMES && json.every(isName);
  return isNames ? given([...new Set(json as readonly string[])]) : refused("a list of names, or none");
}

export const tokenChoice: ValueType<string | undefined> = {
  isSecret: true,
  ...textValue<string | undefined>({
    placeholder: "TOKEN|any",
    range: "any, or a text of 1 to 1,024 characters",
    read: (text) => {
      if (text === "any") return given(undefined);
      return isName(text) ? given(text) : refused("a token of 1 to 1,024 characters, or any");
    },
    toText: (token) => token ?? "any",
  }),
  toJson: (token) => (token === undefined ? "any" : SET),
};

const WANTED_PROVIDERS =
  'a list of objects such as {"command": ["python3", "/opt/host.py"], "name": "files", "priority": 1}. Only command is required; capabilities and auth_token may stand beside';

/** Providers, in the file as a list of objects, elsewhere as the JSON of one. */
export const providersChoice: ValueType<readonly ProviderChoice[]> = {
  placeholder: "JSON",
  range: "a list of objects with command, and if wanted name, priority, capabilities, auth_token",
  isSecret: true,
  fromText: providersIn,
  fromJson: (json) => (typeof json === "string" ? providersIn(json) : providersOf(json)),
  toText: (providers) => JSON.stringify(shownProviders(providers)),
  toJson: shownProviders,
};

function shownProviders(providers: readonly ProviderChoice[]): readonly object[] {
  return providers.map(({ name, command, priority, capabilities, authToken }) => ({
    name,
    command,
    priority,
    capabilities,
    ...(authToken === "" ? {} : { auth_token: SET }),
  }));
}

function providersIn(text: string): ReadValue<readonly ProviderChoice[]> {
  try {
    return providersOf(JSON.parse(text));
  } catch {
    return refused(WANTED_PROVIDERS);
  }
}

function providersOf(json: unknown): ReadValue<readonly ProviderChoice[]> {
  if (!Array.isArray(json) || json.length > MOST_PROVIDERS) return refused(WANTED_PROVIDERS);
  const providers: ProviderChoice[] = [];
  for (const [index, one] of json.entries()) {
    const provider = providerOf(one, index);
    if (provider === undefined) return refused(WANTED_PROVIDERS);
    providers.push(provider);
  }
  const names = new Set(providers.map(({ name }) => name));
  return names.size === providers.length
    ? given(providers)
    : refused(`${WANTED_PROVIDERS}, each with a name of its own`);
}

function providerOf(json: unknown, index: number): ProviderChoice | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const {
    command,
    name = `provider-${index + 1}`,
    priority = 0,
    capabilities,
    auth_token: authToken = "",
    ...others
  } = json as Readonly<Record<string, unknown>>;
  const isCommand =
    Array.isArray(command) &&
    command.length > 0 &&
    command.length <= MOST_PARAMETERS &&
    command.every((part) => typeof part === "string" && !part.includes("\0")) &&
    command[0] !== "";
  const isPriority = Number.isSafeInteger(priority) && Math.abs(Number(priority)) <= HIGHEST_PRIORITY;
  const asked = capabilities === undefined ? undefined : namesOf(capabilities);
  if (!isCommand || !isPriority || !isName(name) || typeof authToken !== "string") return undefined;
  if (asked?.kind === "refused" || Object.keys(others).length > 0) return undefined;
  return { name, command, priority: Number(priority), capabilities: asked?.value, authToken };
}
