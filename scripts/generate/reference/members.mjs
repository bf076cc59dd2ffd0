// The members of a schema as rows of a table, nested ones by their path: `choices[].value` is the member `value` of each entry of `choices`.
import { code, link, paragraph, sentence, table } from "./markdown.mjs";
import { defaultOf, words } from "./values.mjs";

/** Parts that many messages share, each with its own table: the heading and the page of the table. */
const HOMES = {
  Producer: ["The producer", "events.md"],
  LocalizationHints: ["Localization hints", "events.md"],
  Capabilities: ["Capabilities", "capabilities.md"],
  AaepdCapability: ["The capability aaepd", "capabilities.md"],
};

function homeOf({ title }, page) {
  const home = HOMES[title];
  if (home === undefined) return undefined;
  const [heading, file] = home;
  return link(heading, file === page ? "" : file);
}

function requirement(schema, name) {
  if (schema.required?.includes(name)) return "yes";
  const needs = Object.entries(schema.dependentRequired ?? {}).find(([, names]) => names.includes(name));
  return needs === undefined ? "no" : `with ${code(needs[0])}`;
}

/** A schema with the members of the parts of its `allOf`. Parts that only narrow a member have no description of it. */
function merged(schema) {
  if (schema.allOf === undefined) return schema;
  const parts = schema.allOf.flatMap(({ properties = {} }) => Object.entries(properties));
  const described = parts.filter(([, { description }]) => description !== undefined);
  const required = schema.allOf.flatMap((part) => part.required ?? []);
  return { ...schema, required, properties: Object.fromEntries(described) };
}

/**
 * One row for each member: `path`, `type`, `required`, `meaning`, and `name`, the name of the member at the top. `page`: the page that the rows are
 * for.
 */
export function membersOf(schema, page, path = "", top = undefined) {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const at = `${path}${name}`;
    const home = homeOf(member, page);
    const preset = defaultOf(member);
    const meaning = [
      sentence(member.description),
      ...(preset === undefined ? [] : [`Default: ${preset}.`]),
      ...(home === undefined ? [] : [`See ${home}.`]),
    ].join(" ");
    const row = {
      path: at,
      name: top ?? name,
      type: words(member),
      required: requirement(schema, name),
      meaning,
    };
    if (home !== undefined) return [row];
    const [inner, mark] = member.items === undefined ? [member, "."] : [member.items, "[]."];
    return [row, ...membersOf(merged(inner), page, `${at}${mark}`, top ?? name)];
  });
}

/** The table of a schema's members; undefined if it has none. */
export function memberTable(schema, page) {
  const rows = membersOf(schema, page).map(({ path, type, required, meaning }) => [
    code(path),
    type,
    required,
    meaning,
  ]);
  return rows.length === 0 ? undefined : table(["member", "type", "required", "meaning"], rows);
}

/** A sentence about the texts that may come in further languages; undefined if there are none (§11.2). */
export function variantsOf(schema) {
  const patterns = Object.entries(schema.patternProperties ?? {}).filter(([, form]) => form !== false);
  const names = Object.keys(schema.properties ?? {}).filter((name) =>
    patterns.some(([pattern]) => new RegExp(pattern).test(`${name}_yo`)),
  );
  if (names.length === 0) return undefined;
  const [first] = names;
  const all = names.map(code);
  const last = all.pop();
  const some = all.length === 0 ? last : `${all.join(", ")} and ${last}`;
  return paragraph(
    `The event may have ${some} in further languages, under the name with a language tag, as in \`${first}_yo\`.`,
  );
}
