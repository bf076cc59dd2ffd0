// Faults of a configuration that can be used all the same. A start of `serve` logs them, and `aaepd doctor` lists them.
import { statSync } from "node:fs";
import { isOpen, WAY_NAMES } from "../../../transports/ways.js";
import { type Complaint, problem, shellWord } from "../platform/finding.js";
import type { Configuration } from "./config.js";

/** `path`: the configuration file, which need not exist. */
export function configurationFindings(configuration: Configuration, path: string): readonly Complaint[] {
  const found: Complaint[] = [];
  if (!WAY_NAMES.some((name) => isOpen(name, configuration)))
    found.push(
      problem(
        "nobody_can_connect",
        "Nobody can connect: the local socket and all services are off.",
        "Leave --socket off out, or give --http or --grpc as well.",
      ),
    );
  const mode = process.platform === "win32" ? 0 : (statSync(path, { throwIfNoEntry: false })?.mode ?? 0);
  const hasSecret =
    configuration.a2eAuthToken !== undefined || configuration.a2eProviders.some(({ authToken }) => authToken !== "");
  if (hasSecret && (mode & 0o044) !== 0)
    found.push(
      problem(
        "file_readable",
        `Other users can read ${path}, in which a token stands.`,
        `Run: chmod 600 ${shellWord(path)}`,
      ),
    );
  return found;
}
