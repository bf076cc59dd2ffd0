import { expect, it } from "vitest";
import type { OptionName } from "../../src/daemon/config/config.js";
import { OPTION_NAMES, OPTIONS } from "../../src/daemon/config/config-schema.js";
import { fallbackOf, flagOf, keyOf, textOf, variableOf } from "../../src/daemon/config/option-names.js";
import { OPTION_GROUPS } from "../../src/daemon/config/option-row.js";

const INTRODUCTION = `# Configuration

Options of \`aaepd serve\` and \`aaepd stdio\`. Each can be set in three ways: as an option on the command line, as a variable of the environment, or in the
configuration file. An option wins over a variable, a variable over the file, the file over the default.

\`\`\`sh
aaepd serve --max-hold-ms 2000 --log-level debug
AAEPD_MAX_HOLD_MS=2000 aaepd serve
echo '{"max_hold_ms": 2000, "log_level": "debug"}' > aaepd.json && aaepd serve --config aaepd.json
\`\`\`

The file is JSON: one object, with numbers and \`true\` or \`false\` without quotes. It is the one that \`--config\` or \`AAEPD_CONFIG\` names, which must exist;
else \`aaepd/config.json\` in \`$XDG_CONFIG_HOME\` or \`~/.config\` (on Windows in \`%APPDATA%\`), where there is one. Paths that are not absolute begin where the
daemon was started.

What is not known is refused, with the nearest name that is, and so is a value out of its range: the daemon tells everything that is wrong, starts nothing and exits
with 2. Nothing is unlimited by being 0: where 0 may be given, its meaning is stated.

## Changes while it runs

\`SIGHUP\` makes \`aaepd serve\` read its configuration again, from the same options, variables and file. It stops nothing: connections, subscriptions, sessions and
questions go on.

\`\`\`sh
kill -HUP "$(jq .pid "$XDG_RUNTIME_DIR/aaep/aaepd.manifest.json")"
\`\`\`

- An option that has changed applies at once where it can. One line of the log names all of these: \`"applied":["log_level"],"msg":"the configuration was read again"\`.
- The other changed options are named in a line \`"options":["socket"],"msg":"takes effect at the next start"\`, at each SIGHUP until then. Each option says below which of both it is.
- An option that the command line or a variable sets stays as it is, whatever the file says.
- Where anything is wrong, an error line says what, and nothing changes.
- The token of services over TCP is made anew, and its file written. Connections that were let in go on with the token that they showed; new ones need the new one
  (\`docs/services.md\`).

Under \`stdio\` and \`replay\` SIGHUP stops the daemon in order, and on Windows the end of the console does. A terminal that is closed sends SIGHUP too: a daemon
that was started in it outlives it, and is stopped by SIGTERM.

This page is made from the table in \`src/daemon/config/config-schema.ts\`. After a change there, \`npx vitest run test/docs/configuration.test.ts -u\` writes it anew.
`;

function defaultText(name: OptionName): string {
  const serve = textOf(name, fallbackOf(name, "serve"));
  const stdio = textOf(name, fallbackOf(name, "stdio"));
  const { unit } = OPTIONS[name];
  const of = unit === undefined || serve === "unlimited" ? "" : ` ${unit}`;
  return serve === stdio ? `\`${serve}\`${of}` : `\`${serve}\`${of}, under \`stdio\` \`${stdio}\`${of}`;
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
  return [INTRODUCTION, ...groups].join("\n");
}

it("docs/configuration.md says what the table says", async () => {
  await expect(page()).toMatchFileSnapshot("../../docs/configuration.md");
});
