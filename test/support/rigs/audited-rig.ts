import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Message } from "../oracles/wire-sniffer.js";
import { temporaryDirectory } from "../temporary-directory.js";
import { type DaemonRig, type RigOptions, startRig } from "./daemon-rig.js";

export interface AuditedRig {
  readonly rig: DaemonRig;
  /** Stops the daemon, and answers what its audit log says of replies. */
  readonly replies: () => Promise<readonly Message[]>;
}

/** A daemon with an audit log on a disk. */
export async function startAuditedRig(options: RigOptions = {}): Promise<AuditedRig> {
  const path = join(temporaryDirectory(), "audit");
  const rig = await startRig({
    ...options,
    configuration: { ...options.configuration, audit: { kind: "directory", path } },
  });
  return {
    rig,
    replies: async () => {
      await rig.stop();
      // A stop waits a moment for the disk. The name is claimed before the first line is written, and released when the last one is.
      const files = (): readonly string[] => readdirSync(path).filter((name) => /\.(?:pid|ndjson)$/.test(name));
      await expect.poll(files).toEqual([expect.stringMatching(/ndjson$/)]);
      const lines = files().flatMap((name) => readFileSync(join(path, name), "utf8").split("\n").slice(0, -1));
      return lines.map((line) => JSON.parse(line) as Message).filter(({ kind }) => kind === "reply");
    },
  };
}
