// Each member of each schema has one row in docs/reference, under the heading of its message, and no row is about anything else. The schemas are read
// here by themselves, not by the generator's code.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { METHOD_GUIDE, NOTIFICATION_GUIDE } from "../../scripts/generate/data/calls.mjs";
import { DAEMON_GUIDE, SUBSCRIBER_GUIDE } from "../../scripts/generate/data/messages.mjs";
import { referencePages } from "../../scripts/generate/reference/pages.mjs";
import { topicKind } from "../../src/engine/event/event.js";
import { completeEvent } from "../../src/engine/sessions/complete-event.js";
import { FILLED_IN } from "../../src/protocols/aaep/agent/filled-in.js";
import { AGENTS_MEMBERS } from "../../src/protocols/aaep/validation/agents-members.js";
import { assertPublishedEvent } from "../../src/protocols/aaep/validation/validate.js";
import { codeBlocks, linksIn, type Section, sectionsOf, type Table, tablesIn } from "../support/markdown.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MADE: ReadonlyMap<string, string> = await referencePages(ROOT);
const pageText = (page: string): string => MADE.get(`docs/reference/${page}`) ?? "";

interface Schema {
  readonly $id?: string;
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly Fields[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly string[];
}
type Fields = Readonly<Record<string, unknown>>;

const FILES = readdirSync(join(ROOT, "schemas"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".schema.json"))
  .sort();
const SCHEMAS: ReadonlyMap<string, Schema> = new Map(
  FILES.map((name) => [name, JSON.parse(readFileSync(join(ROOT, "schemas", name), "utf8")) as Schema]),
);
const BY_ID = new Map([...SCHEMAS.values()].map((schema) => [schema.$id ?? "", schema]));

/** The `$id`s of the files whose members some section has. */
const covered = new Set<string>();
/** The headings, as page and anchor, that some schema has. */
const claimed = new Set<string>();

interface Place {
  readonly schema: Schema;
  /** The file that relative references begin in. */
  readonly base: string;
}

/** The schema behind its references, the descriptions beside them left out. */
function resolved({ schema, base }: Place): Place {
  if (schema.$ref === undefined) return { schema, base };
  const [id = "", fragment = ""] = schema.$ref.split("#");
  const document = id === "" ? base : id;
  let target: unknown = BY_ID.get(document);
  if (fragment === "") covered.add(document);
  for (const step of fragment.split("/").slice(1)) target = (target as Fields)[step];
  return resolved({ schema: target as Schema, base: document });
}

/** The members of an object, those of its `allOf` first. */
function membersOf(place: Place): readonly (readonly [string, Place])[] {
  const { schema, base } = resolved(place);
  const inherited = (schema.allOf ?? []).flatMap((part) =>
    part.$ref === undefined ? [] : membersOf({ schema: part, base }),
  );
  const own = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => [name, { schema: member, base }] as const,
  );
  return [...new Map([...inherited, ...own])];
}

/** The object within a member: itself, or each entry of a list. */
function within(member: Place): { readonly place: Place; readonly mark: string } {
  const { schema, base } = resolved(member);
  return schema.items === undefined
    ? { place: member, mark: "." }
    : { place: { schema: schema.items, base }, mark: "[]." };
}

const pages = new Map<string, readonly Section[]>();

function sections(page: string): readonly Section[] {
  const known = pages.get(page) ?? sectionsOf(pageText(page));
  pages.set(page, known);
  return known;
}

function tableAt(page: string, anchor: string, label?: string): Table {
  const section = sections(page).find((one) => one.anchor === anchor);
  if (section === undefined) throw new Error(`${page} has no heading #${anchor}`);
  claimed.add(`${page}#${anchor}`);
  const table = tablesIn(section.text).find((one) => label === undefined || one.label === label);
  if (table === undefined) throw new Error(`${page}#${anchor} has no table ${label ?? ""}`);
  return table;
}

const plain = (text: string) => text.replaceAll("`", "").toLowerCase();

/** Compares a table with the members of a schema, at every depth. A part with a table of its own is compared there, once. */
function compare(page: string, table: Table, root: Place, skipped: ReadonlySet<string> = new Set()): void {
  const rows = new Map(table.rows.map((row) => [row[0] ?? "", row]));
  expect(rows.size).toBe(table.rows.length);
  const expected: string[] = [];
  const visit = (place: Place, path: string): void => {
    for (const [name, member] of membersOf(place)) {
      if (path === "" && skipped.has(name)) continue;
      const at = `\`${path}${name}\``;
      expected.push(at);
      const meaning = rows.get(at)?.at(-1) ?? "";
      const { description = resolved(member).schema.description ?? "" } = member.schema;
      expect(description).not.toBe("");
      expect([at, plain(meaning)]).toEqual([at, expect.stringContaining(plain(description))]);
      const inner = within(member);
      const [first] = membersOf(inner.place);
      if (first === undefined) continue;
      const nested = `${path}${name}${inner.mark}`;
      if (rows.has(`\`${nested}${first[0]}\``)) visit(inner.place, nested);
      else compareElsewhere(page, meaning, inner.place);
    }
  };
  visit(root, "");
  expect([...rows.keys()].sort()).toEqual(expected.sort());
}

/** The rows of a part are behind the link in its row. */
function compareElsewhere(page: string, meaning: string, place: Place): void {
  const [link = ""] = linksIn(meaning.slice(meaning.lastIndexOf("See ")));
  const [file = "", anchor = ""] = link.split("#");
  const target = file === "" ? page : normalize(join(dirname(page), file));
  const { schema } = resolved(place);
  // Capabilities have a heading each, and their own test.
  if (schema.title === "Capabilities" || schema.title === "AaepdCapability") {
    expect(link).toBe(`capabilities.md#${schema.title === "Capabilities" ? "capabilities" : "the-capability-aaepd"}`);
    return;
  }
  compare(target, tableAt(target, anchor), place);
}

function placeOf(title: string): Place {
  const found = [...SCHEMAS.values()].find((schema) => schema.title === title);
  if (found === undefined) throw new Error(`there is no schema ${title}`);
  covered.add(found.$id ?? "");
  return { schema: found, base: found.$id ?? "" };
}

const filesOf = (folder: string) => [...SCHEMAS].filter(([name]) => name.startsWith(folder));
const EVENTS = filesOf("aaep/core/").map(([, schema]) => schema);
const ENVELOPE_NAMES = new Set(membersOf(placeOf("Envelope")).map(([name]) => name));
const localName = (schema: Schema) => (schema.properties?.type?.enum?.[0] ?? "").slice("aaep:".length);
const anchorOf = (name: string) => name.replaceAll(/[^a-z0-9_]/g, "");

const GUIDES = { ...DAEMON_GUIDE, ...SUBSCRIBER_GUIDE };
const PLAIN_TITLES = new Set<string>(Object.values(GUIDES).map(({ schema }) => schema));

/** The title of a schema, or members; `text` explains a form without any. */
type Form = string | Readonly<Record<string, unknown>>;

const FORMS: readonly (readonly [string, string, Form])[] = [
  ...Object.entries(METHOD_GUIDE).flatMap(
    ([name, { params, result }]) =>
      [
        [name, "Params:", params],
        [name, "Result:", result],
      ] as const,
  ),
  ...Object.entries(NOTIFICATION_GUIDE).map(([name, { params }]) => [name, "Params:", params] as const),
];

/** The params or the result of a call: a table of their own, or a link to that of the plain message. */
function checkForm(name: string, label: string, form: Form): void {
  const text = sections("messages.md").find((one) => one.anchor === anchorOf(name))?.text ?? "";
  if (typeof form === "string" && (PLAIN_TITLES.has(form) || form === "ProducerManifest")) {
    if (!Object.hasOwn(GUIDES, name)) expect(text).toMatch(new RegExp(`^${label} (the members of )?\\[`, "m"));
  } else if (typeof form === "string") {
    compare("messages.md", tableAt("messages.md", anchorOf(name), label), placeOf(form));
  } else if (typeof form.text === "string") {
    expect(text.replaceAll("\n", " ")).toContain(`${label} ${form.text}`);
  } else {
    const rows = tableAt("messages.md", anchorOf(name), label).rows.map(([member]) => member);
    expect(rows).toEqual(Object.keys(form).map((member) => `\`${member}\``));
  }
}

/** Each capability has a heading of its own. */
function checkCapabilities(): void {
  const core = membersOf(placeOf("Capabilities")).filter(([name]) => name !== "aaepd");
  const own = membersOf(placeOf("AaepdCapability")).map(([name, member]) => [`aaepd.${name}`, member] as const);
  const headings = sections("capabilities.md").filter(({ level }) => level > 1);
  expect(headings.map(({ title }) => title)).toEqual([
    ...core.map(([name]) => name),
    "The capability aaepd",
    ...own.map(([name]) => name),
  ]);
  for (const [name, member] of [...core, ...own]) {
    const section = headings.find(({ title }) => title === name)?.text ?? "";
    const text = plain(section.replaceAll("\n", " "));
    const nested = membersOf(within(member).place);
    expect((tablesIn(section)[0]?.rows ?? []).map(([row]) => row)).toEqual(nested.map(([inner]) => `\`${inner}\``));
    for (const [, { schema }] of [[name, member] as const, ...nested])
      expect(text).toContain(plain(schema.description ?? "-"));
  }
}

/** A page with a section for each schema of a folder, found by its description. */
function checkFolder(page: string, folder: string): void {
  const messages = filesOf(folder).filter(([, schema]) => schema.properties !== undefined);
  expect(sections(page).filter(({ level }) => level === 2)).toHaveLength(messages.length);
  for (const [, { title = "", description = "-" }] of messages) {
    const section = sections(page).find(({ text }) => plain(text.replaceAll("\n", " ")).includes(plain(description)));
    compare(page, tableAt(page, section?.anchor ?? ""), placeOf(title));
  }
}

const CHECKS: readonly (readonly [string, () => void])[] = [
  ["the envelope", () => compare("events.md", tableAt("events.md", "the-envelope"), placeOf("Envelope"))],
  [
    "events of extensions",
    () => compare("events.md", tableAt("events.md", "events-of-extensions"), placeOf("ExtensionEvent"), ENVELOPE_NAMES),
  ],
  ...EVENTS.map(
    (schema) =>
      [
        localName(schema),
        () => {
          const place = placeOf(schema.title ?? "");
          compare("events.md", tableAt("events.md", anchorOf(localName(schema))), place, ENVELOPE_NAMES);
        },
      ] as const,
  ),
  ...Object.entries(GUIDES).map(
    ([name, { schema }]) =>
      [name, () => compare("messages.md", tableAt("messages.md", anchorOf(name)), placeOf(schema))] as const,
  ),
  [
    "the manifest, which is also the params of aaep.set_manifest",
    () => {
      compare("messages.md", tableAt("messages.md", "the-manifest"), placeOf("ProducerManifest"));
      expect(resolved(placeOf("SetManifestParams"))).toEqual(placeOf("ProducerManifest"));
    },
  ],
  ...FORMS.map(([name, label, form]) => [`${name}, ${label}`, () => checkForm(name, label, form)] as const),
  ["capabilities", checkCapabilities],
  ["a2e", () => checkFolder("a2e.md", "a2e/")],
  ["akashik", () => checkFolder("akashik.md", "akashik/")],
  [
    "the conformance report",
    () => compare("conformance-report.md", tableAt("conformance-report.md", "members"), placeOf("ConformanceReport")),
  ],
];

describe("each member has a row, and each row a member:", () => {
  it.each(CHECKS)("%s", (_, check) => check());
});

it("every schema file has its members in the reference, and every table belongs to one", () => {
  for (const [, check] of CHECKS) check();
  const definitions = filesOf("").flatMap(([name, { $id = "" }]) =>
    name.endsWith("/definitions.schema.json") ? [$id] : [],
  );
  expect(definitions).toHaveLength(3);
  expect([...BY_ID.keys()].filter((id) => !covered.has(id) && !definitions.includes(id))).toEqual([]);
  const guided = new Set(["events.md#members-of-extensionsaaepd", "events.md#events"]);
  const unclaimed = ["events.md", "messages.md", "a2e.md", "akashik.md", "conformance-report.md"].flatMap((page) =>
    sections(page).flatMap(({ anchor, text }) =>
      tablesIn(text).length === 0 || claimed.has(`${page}#${anchor}`) || guided.has(`${page}#${anchor}`)
        ? []
        : [`${page}#${anchor}`],
    ),
  );
  expect(unclaimed).toEqual([]);
});

it("R31: the members of extensions.aaepd are those that the code knows", () => {
  const tables = tablesIn(
    sections("events.md").find(({ anchor }) => anchor === "members-of-extensionsaaepd")?.text ?? "",
  );
  const [agents = [], daemons = []] = tables.map(({ rows }) => rows.map(([name = ""]) => name.replaceAll("`", "")));
  expect(agents.toSorted()).toEqual([...Object.keys(AGENTS_MEMBERS), "resume_token"].sort());
  const engine = join(ROOT, "src/engine");
  const code = readdirSync(engine, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(engine, name), "utf8"))
    .join("\n");
  const marks = [...code.matchAll(/\bmarks(?::| =) \{([^}]*)\}/g)].flatMap(([, members = ""]) =>
    [...members.matchAll(/(\w+):/g)].map(([, name = ""]) => name),
  );
  // Two are set by themselves.
  expect(code).toMatch(/\{ by: BY_DAEMON,/);
  expect(code).toMatch(/, overtook: count \}/);
  expect([...new Set([...marks, "by", "overtook"])].sort()).toEqual(daemons.toSorted());
});

describe("examples", () => {
  const ajv = new Ajv2020({ strict: false, schemas: [...SCHEMAS.values()] });
  const withExamples = [...SCHEMAS.values()].filter(({ examples }) => examples !== undefined);

  it("every event and every plain message has one", () => {
    const titles = withExamples.map(({ title = "" }) => title);
    const needed = [...EVENTS.map(({ title = "" }) => title), ...PLAIN_TITLES];
    expect(needed.filter((title) => !titles.includes(title))).toEqual([]);
  });

  it.each(withExamples.map((schema) => [schema.title, schema] as const))(
    "M5: that of %s is valid, and on its page",
    (_, schema) => {
      const validate = ajv.getSchema(schema.$id ?? "");
      for (const example of schema.examples ?? []) {
        expect([validate?.(example), validate?.errors]).toEqual([true, null]);
        const shown = ["events.md", "messages.md", "capabilities.md"].flatMap((page) =>
          codeBlocks(pageText(page), "json").map((block) => JSON.parse(block) as unknown),
        );
        expect(shown).toContainEqual(example);
      }
    },
  );

  const FACTS = {
    agent: { agent_id: "librarian" },
    agentLanguage: undefined,
    producerId: undefined,
    wallTime: Date.parse("2026-11-24T09:30:00Z"),
    ids: { hex: (bytes: number) => "ab".repeat(bytes) },
  };

  function isPublishable(fields: Fields): boolean {
    const kind = topicKind(String(fields.type));
    try {
      assertPublishedEvent(completeEvent(fields, kind, undefined, FACTS));
      return true;
    } catch {
      return false;
    }
  }

  it.each(EVENTS.map((schema) => [localName(schema), schema] as const))(
    "R2: an agent of %s may leave out exactly the members that the tables say",
    (name, schema) => {
      const [example = {}] = schema.examples ?? [];
      expect(isPublishable(example)).toBe(true);
      const rows = ["the-envelope", anchorOf(name)].flatMap((anchor) => tableAt("events.md", anchor).rows);
      const isNeeded = new Map(
        rows.map(([member = "", , required, filler]) => [
          member.replaceAll("`", ""),
          required === "yes" && filler === "agent",
        ]),
      );
      for (const member of Object.keys(example)) {
        const { [member]: _, ...others } = example;
        expect([member, isPublishable(others)]).toEqual([member, isNeeded.get(member) === false]);
      }
      const filled = completeEvent(
        Object.fromEntries(
          Object.entries(example).filter(([member]) => FILLED_IN[member as keyof typeof FILLED_IN] === "agent"),
        ),
        topicKind(`aaep:${name}`),
        undefined,
        FACTS,
      );
      const names = new Set(membersOf(placeOf(schema.title ?? "")).map(([member]) => member));
      const either = Object.entries(FILLED_IN).filter(([member, filler]) => filler === "either" && names.has(member));
      expect(either.map(([member]) => member).filter((member) => filled[member] === undefined)).toEqual([]);
    },
  );
});
