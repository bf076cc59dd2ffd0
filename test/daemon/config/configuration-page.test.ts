// docs/configuration.md has every row of the table, word for word; `-u` writes them again. What stands before the rows is written by hand.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { OptionName } from "../../../src/daemon/config/config.js";
import { OPTION_GROUPS, OPTION_NAMES, OPTIONS } from "../../../src/daemon/config/config-schema.js";
import { fallbackOf, flagOf, keyOf, measureOf, variableOf } from "../../../src/daemon/config/option-names.js";

const PATH = fileURLToPath(new URL("../../../docs/configuration.md", import.meta.url));

function defaultText(name: OptionName): string {
  const serve = measureOf(name, fallbackOf(name, "serve"));
  const stdio = measureOf(name, fallbackOf(name, "stdio"));
  return serve === stdio ? `\`${serve}\`` : `\`${serve}\`, under \`stdio\` \`${stdio}\``;
}

function flagText(name: OptionName): string {
  const { placeholder } = OPTIONS[name].type;
  return placeholder === undefined
    ? `\`${flagOf(name)}\`, \`--no-${flagOf(name).slice(2)}\``
    : `\`${flagOf(name)} ${placeholder}\``;
}

function section(name: OptionName): string {
  const { meaning, atTheLimit, type, change, changeIsFor } = OPTIONS[name];
  const changes =
    change === "next_start"
      ? "at the next start"
      : changeIsFor === undefined
        ? "at once"
        : `at once, for ${changeIsFor}`;
  return `### ${keyOf(name)}

${meaning} ${atTheLimit}

- On the command line: ${flagText(name)}
- Variable: \`${variableOf(name)}\`
- Values: ${type.range}
- Default: ${defaultText(name)}
- A change applies: ${changes}
`;
}

function page(): string {
  const groups = OPTION_GROUPS.map((group) => {
    const names = OPTION_NAMES.filter((name) => OPTIONS[name].group === group);
    return `## ${group}\n\n${names.map(section).join("\n")}`;
  });
  const written = readFileSync(PATH, "utf8");
  return written.slice(0, written.indexOf(`## ${OPTION_GROUPS[0]}\n`)) + groups.join("\n");
}

it("docs/configuration.md says what the table says", async () => {
  await expect(page()).toMatchFileSnapshot(PATH);
});
