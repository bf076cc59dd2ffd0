// Puts our entries into a host's settings, or takes them out, and leaves every other byte as it is. Both hosts have one form:
// {"hooks": {EVENT: [{"hooks": [{"type": "command", "command": …}]}]}}, with comments and trailing commas if wanted.
import type { Node, ParseError } from "jsonc-parser";
import { Fault, usage } from "../../base/errors.js";
import { loadJsonc } from "../../daemon/config/load-jsonc.js";
import { append, remove } from "./text-edit.js";

export interface Entry {
  readonly type: "command";
  readonly command: string;
  readonly timeout: number;
  readonly async?: true;
}

/** A change of the settings, as a line for a person. */
export interface Change {
  readonly kind: "added" | "removed";
  readonly event: string;
  readonly command: string;
}

export interface EditedSettings {
  readonly text: string;
  readonly changes: readonly Change[];
}

/** Settings whose entries are ours by `isOurs`, which looks at the command. */
export interface Settings {
  readonly path: string;
  /** "" for a file that is not there. */
  readonly text: string;
  readonly isOurs: (command: string) => boolean;
}

const BOM = "\uFEFF";

/** The settings with exactly these entries of ours. Throws a Fault "usage" for settings that cannot be read. */
export function withEntries(settings: Settings, wanted: ReadonlyMap<string, Entry>): EditedSettings {
  const { path, isOurs } = settings;
  const marked = settings.text.startsWith(BOM) ? BOM : "";
  let text = settings.text.slice(marked.length);
  if (text.trim() === "") text = wanted.size === 0 ? text : "{}\n";
  const changes: Change[] = [];
  if (text.trim() === "") return { text: settings.text, changes };

  for (const event of new Set([...Object.keys(hooksIn(text, path)), ...wanted.keys()])) {
    const entry = wanted.get(event);
    const present = oursIn(groupsOf(text, path, event), isOurs);
    const [only] = present;
    if (present.length === 1 && only !== undefined && entry !== undefined && isSame(only.hook, entry)) continue;
    // From the end, so that the places of the others stay.
    for (const { group, index, isAlone, hook } of present.toReversed()) {
      text = remove(text, isAlone ? ["hooks", event, group] : ["hooks", event, group, "hooks", index]);
      changes.push({ kind: "removed", event, command: hook.command });
    }
    if (entry !== undefined) {
      if (groupsOf(text, path, event) !== undefined)
        text = append(text, ["hooks", event], undefined, { hooks: [entry] });
      else if (Object.hasOwn(rootOf(text, path), "hooks")) text = append(text, ["hooks"], event, [{ hooks: [entry] }]);
      else text = append(text, [], "hooks", { [event]: [{ hooks: [entry] }] });
      changes.push({ kind: "added", event, command: entry.command });
    } else if (present.length > 0 && groupsOf(text, path, event)?.length === 0) text = remove(text, ["hooks", event]);
  }
  if (changes.length > 0 && wanted.size === 0 && Object.keys(hooksIn(text, path)).length === 0)
    text = remove(text, ["hooks"]);
  return changes.length === 0 ? { text: settings.text, changes } : { text: marked + text, changes };
}

/** The entries of ours by their events. Throws as `withEntries` does. */
export function entriesIn({ path, text, isOurs }: Settings): ReadonlyMap<string, Entry> {
  const plain = text.replace(BOM, "");
  if (plain.trim() === "") return new Map();
  return new Map(
    Object.keys(hooksIn(plain, path)).flatMap((event) =>
      oursIn(groupsOf(plain, path, event), isOurs).map(({ hook }) => [event, hook] as const),
    ),
  );
}

interface Ours {
  readonly group: number;
  readonly index: number;
  /** Its group has no other hook. */
  readonly isAlone: boolean;
  readonly hook: Entry;
}

function oursIn(groups: readonly unknown[] | undefined, isOurs: Settings["isOurs"]): readonly Ours[] {
  return (groups ?? []).flatMap((group, at) => {
    const hooks = isObject(group) && Array.isArray(group.hooks) ? (group.hooks as readonly unknown[]) : [];
    return hooks.flatMap((hook, index): Ours[] =>
      isObject(hook) && typeof hook.command === "string" && isOurs(hook.command)
        ? [{ group: at, index, isAlone: hooks.length === 1, hook: hook as unknown as Entry }]
        : [],
    );
  });
}

function isSame(one: Entry, other: Entry): boolean {
  return (
    one.command === other.command && one.timeout === other.timeout && (one.async ?? false) === (other.async ?? false)
  );
}

function rootOf(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    return parsedRoot(text, path);
  } catch (caught) {
    if (caught instanceof Fault) throw caught;
    // The parser calls itself for each level.
    throw unfit(`${path} is nested too deep.`);
  }
}

function parsedRoot(text: string, path: string): Readonly<Record<string, unknown>> {
  const { getNodeValue, parseTree } = loadJsonc();
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root === undefined) {
    const line = text.slice(0, errors[0]?.offset ?? 0).split("\n").length;
    throw unfit(`${path} is not JSON: see line ${line}.`);
  }
  const doubled = doubledIn({
    ...root,
    children: root.children?.filter(({ children }) => children?.[0]?.value === "hooks"),
  });
  if (doubled !== undefined) throw unfit(`In ${path} the name ${JSON.stringify(doubled)} stands twice in one object.`);
  const value: unknown = getNodeValue(root);
  if (isObject(value)) return value;
  throw unfit(`${path} has no object of hooks.`);
}

/** A name that an object has twice: programs differ about which one counts, and so would we about what we change. */
function doubledIn({
  type,
  children = [],
}: Pick<Node, "type"> & { readonly children?: readonly Node[] | undefined }): string | undefined {
  const names = new Set<unknown>();
  for (const child of children) {
    const [name] = type === "object" ? (child.children ?? []) : [];
    if (name !== undefined && names.size === names.add(name.value).size) return String(name.value);
    const inner = doubledIn(child);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function hooksIn(text: string, path: string): Readonly<Record<string, unknown>> {
  const { hooks = {} } = rootOf(text, path);
  if (isObject(hooks)) return hooks;
  throw unfit(`${path} has no object of hooks.`);
}

function groupsOf(text: string, path: string, event: string): readonly unknown[] | undefined {
  const hooks = hooksIn(text, path);
  const groups = Object.hasOwn(hooks, event) ? hooks[event] : undefined;
  if (groups === undefined || Array.isArray(groups)) return groups;
  throw unfit(`In ${path} the hooks of ${event} are no list.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unfit(fault: string): Fault {
  return usage(`${fault} It stays as it is. Mend it, and run the command again.`);
}
