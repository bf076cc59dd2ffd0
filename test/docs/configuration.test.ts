import { expect, it } from "vitest";
import type { OptionName } from "../../src/daemon/config/config.js";
import { OPTION_NAMES, OPTIONS } from "../../src/daemon/config/config-schema.js";
import { fallbackOf, flagOf, keyOf, measureOf, variableOf } from "../../src/daemon/config/option-names.js";
import { OPTION_GROUPS } from "../../src/daemon/config/option-row.js";

const INTRODUCTION = `# Configuration

An *option* is a setting of \`aaepd serve\` and \`aaepd stdio\`. Set it on the command line, by an environment variable, or in the configuration file. An option on
the command line wins over a variable, a variable over the file, and the file over the default:

\`\`\`sh
aaepd serve --max-hold-ms 2000 --log-level debug
AAEPD_MAX_HOLD_MS=2000 aaepd serve
echo '{"max_hold_ms": 2000, "log_level": "debug"}' > aaepd.json && aaepd serve --config aaepd.json
\`\`\`

The file is one JSON object. Comments and a comma behind the last member are allowed. Write numbers, \`true\` and \`false\` without quotes. The daemon takes the
first of these files:

1. The file that \`--config\` or \`AAEPD_CONFIG\` names. It must exist.
2. \`aaepd/config.json\` in \`$XDG_CONFIG_HOME\` or \`~/.config\`, on Windows in \`%APPDATA%\`, if there is one.

The file names programs that the daemon starts. The daemon therefore refuses a file that belongs to neither you nor root, and a file that others can write to
or replace in its folder.

Relative paths begin in the folder in which the daemon was started. In the file, in a variable and on the command line, \`~/\` at the beginning of a path means
your home folder. The daemon replaces no variables: it refuses a path with \`$HOME\`.

The daemon refuses an unknown name, and suggests the nearest known one. It also refuses a value out of range and a key that stands twice. It reports every fault,
starts nothing and exits with 2. 0 never means "no limit". If an option allows 0, its text gives the meaning.

## Commands

\`\`\`sh
aaepd config init               # writes a file with every option as a comment
aaepd config check              # lists every fault of the file, with its line
aaepd config show --changed     # prints every value that is no default, and where it comes from
\`\`\`

The command \`config\` is explained in [the command line](command-line.md#configure).

## Changes while it runs

Send \`SIGHUP\` to \`aaepd serve\`. The daemon reads its configuration again, from the same options, variables and file. Connections, subscriptions, sessions and
questions continue.

\`\`\`sh
kill -HUP "$(jq .pid "$XDG_RUNTIME_DIR/aaep/aaepd.manifest.json")"
\`\`\`

- A changed option applies at once if it can. One line of the log names all of these: \`"applied":["log_level"],"msg":"the configuration was read again"\`.
- A line \`"options":["socket"],"msg":"takes effect at the next start"\` names the other changed options, at each SIGHUP until the next start. Each option below says
  when a change applies.
- An option that the command line or a variable sets keeps its value, whatever the file says.
- If the configuration has a fault, an error line describes it and nothing changes.
- The daemon makes a new token for services over TCP and writes its file. If \`http_token_file\` names a file, the daemon reads that file again. Admitted
  connections keep their admission. New connections need the new token (\`docs/services.md\`).

Under \`stdio\` and \`replay\`, SIGHUP stops the daemon in order. On Windows, closing the console stops it. A terminal that closes sends SIGHUP too, so a daemon that was
started in a terminal outlives it. SIGTERM stops such a daemon.
`;

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
  return [INTRODUCTION, ...groups].join("\n");
}

it("docs/configuration.md says what the table says", async () => {
  await expect(page()).toMatchFileSnapshot("../../docs/configuration.md");
});
