// Examples and tables of docs/reference say what the code does. The schemas are read here by themselves, not by the generator's code.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import members from "../../scripts/generate/data/members.json" with { type: "json" };
import messages from "../../scripts/generate/data/messages.json" with { type: "json" };
import { referencePages } from "../../scripts/generate/reference/pages.mjs";
import { topicKind } from "../../src/engine/event/event.js";
import { completeEvent } from "../../src/engine/sessions/event-intake.js";
import { AGENTS_MEMBERS } from "../../src/protocols/aaep/validation/agents-members.js";
import { assertPublishedEvent } from "../../src/protocols/aaep/validation/validate.js";
import { codeBlocks, type Section, sectionsOf, type Table, tablesIn } from "../support/markdown.js";

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
  for (const step of fragment.split("/").slice(1)) target = (target as Fields)[step];
  return resolved({ schema: target as Schema, base: document });
}

/** The members of an object with their descriptions, and those of all parts within. */
function membersIn(place: Place, seen: Set<Schema>): readonly (readonly [name: string, description: string])[] {
  const { schema, base } = resolved(place);
  if (seen.has(schema)) return [];
  seen.add(schema);
  const inherited = (schema.allOf ?? []).filter(({ $ref }) => $ref !== undefined);
  const parts = [...inherited, ...(schema.items === undefined ? [] : [schema.items])];
  return [
    ...parts.flatMap((part) => membersIn({ schema: part, base }, seen)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
      const { description = resolved({ schema: member, base }).schema.description ?? "" } = member;
      return [[name, description] as const, ...membersIn({ schema: member, base }, seen)];
    }),
  ];
}

const sections = (page: string): readonly Section[] => sectionsOf(pageText(page));
/** The section of what the daemon and agents mark in events. */
const EXTENSION_MARKS = sections("events.md").find(({ anchor }) => anchor === "members-of-extensionsaaepd")?.text ?? "";
const EVENTS = [...SCHEMAS].filter(([name]) => name.startsWith("aaep/core/")).map(([, schema]) => schema);
const PLAIN_TITLES = new Set<string>(
  Object.values({ ...messages.DAEMON_GUIDE, ...messages.SUBSCRIBER_GUIDE }).map(({ schema }) => schema),
);
const localName = (schema: Schema) => (schema.properties?.type?.enum?.[0] ?? "").slice("aaep:".length);
const anchorOf = (name: string) => name.replaceAll(/[^a-z0-9_]/g, "");

function tableAt(page: string, anchor: string): Table {
  const table = tablesIn(sections(page).find((one) => one.anchor === anchor)?.text ?? "")[0];
  if (table === undefined) throw new Error(`${page}#${anchor} has no table`);
  return table;
}

it("R31: the members of extensions.aaepd are those that the code knows", () => {
  const tables = tablesIn(EXTENSION_MARKS);
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
  // Three are set by themselves.
  expect(code).toMatch(/\{ by: BY_DAEMON,/);
  const added = [...code.matchAll(/withOwnMark\([^{]*\{ (\w+)/g)].map(([, name = ""]) => name);
  expect([...new Set([...marks, ...added, "by"])].sort()).toEqual(daemons.toSorted());
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
    "that of %s is valid, and on its page",
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
        Object.fromEntries(Object.entries(example).filter(([member]) => !Object.hasOwn(members.FILLED_IN, member))),
        topicKind(`aaep:${name}`),
        undefined,
        FACTS,
      );
      const names = new Set(membersIn({ schema, base: schema.$id ?? "" }, new Set()).map(([member]) => member));
      const either = Object.entries(members.FILLED_IN).filter(
        ([member, filler]) => filler === "either" && names.has(member),
      );
      expect(either.map(([member]) => member).filter((member) => filled[member] === undefined)).toEqual([]);
    },
  );
});
