// Where text is kept, for how long, and how that is turned off.
import type { Configuration } from "../../daemon/config/config.js";
import { defaultConfigFile } from "../../daemon/config/config-sources.js";
import { hasNativeCode } from "../../storage/lmdb/native-code.js";
import { autoPath } from "../config/auto-paths.js";
import { span } from "../status/span.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownBytes } from "../terminal/shown-bytes.js";
import { shownText } from "../terminal/shown-text.js";

export function keptLines(
  configuration: Configuration,
  { environment }: Pick<CommandIo, "environment">,
): readonly string[] {
  const { journal, journalRetentionSeconds, journalRetentionBytes, audit } = configuration;
  const lines: string[] = [];
  // Without a database, auto is memory.
  if (journal.kind === "memory" || (journal.kind === "auto" && !hasNativeCode()))
    lines.push("What agents say is kept in memory only, and is gone when the daemon ends.");
  else {
    const folder = journal.kind === "directory" ? journal.path : autoPath("journal", configuration, environment);
    lines.push(
      `What agents say is kept for ${span(journalRetentionSeconds)}, at most ${shownBytes(journalRetentionBytes).replace(".0 ", " ")}, in ${shownText(folder ?? "")}. Only you can read it.`,
    );
  }
  if (audit.kind !== "off") {
    const folder = audit.kind === "directory" ? audit.path : autoPath("audit", configuration, environment);
    lines.push(`Questions and their answers are noted in ${shownText(folder ?? "")}.`);
  }
  const members = [
    ...(journal.kind === "memory" ? [] : ['"journal": "memory"']),
    ...(audit.kind === "off" ? [] : ['"audit": "off"']),
  ];
  if (members.length > 0)
    lines.push(
      `To keep nothing on the disk, write { ${members.join(", ")} } into ${shownText(defaultConfigFile(environment))}, and start the daemon again.`,
    );
  return lines;
}
