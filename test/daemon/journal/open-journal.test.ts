// What stands in a journal's folder where a daemon could not start: nothing that the next one has to wait for, or to doubt.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { resolveConfiguration } from "../../../src/daemon/config/config-sources.js";
import { startDaemon } from "../../../src/daemon/daemon.js";
import { journalOwner } from "../../../src/daemon/journal/journal-folder.js";
import { createClock } from "../../../src/daemon/platform/clock.js";
import { EXIT_CODES } from "../../../src/daemon/platform/exit-codes.js";
import { createIdSource, sha256Hex } from "../../../src/daemon/platform/ids.js";
import { ensureBuilt } from "../../support/built.js";
import { collectLog } from "../../support/collected-log.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

beforeAll(ensureBuilt);

it("a daemon that fails after it has opened its journal closes it and gives the folder back", async () => {
  const directory = temporaryDirectory();
  const { configuration } = resolveConfiguration({
    command: "serve",
    flags: { journal: directory, socket: "off", audit: "off" },
    environment: { XDG_CONFIG_HOME: "/nonexistent" },
  });
  const clock = createClock();
  const failing = {
    ...clock,
    wakeAt: () => {
      throw new Error("no clock");
    },
  };
  const options = { ...configuration, log: collectLog(), ids: createIdSource(), sha256Hex, version: "0" };
  const start = startDaemon({ ...options, clock: failing, declaredProducerId: undefined });
  await expect(start).rejects.toThrow("no clock");
  expect(journalOwner(directory)).toBeUndefined();
  expect(existsSync(join(directory, ".owner.pid"))).toBe(false);
  const daemon = await startDaemon({ ...options, clock, declaredProducerId: undefined });
  await daemon.stop("signal");
});

it("an owner who cannot be written down leaves no file that says that there was one", () => {
  const directory = temporaryDirectory();
  const module = pathToFileURL(join(import.meta.dirname, "../../../dist/src/daemon/platform/owner-file.js")).href;
  const script = `import(${JSON.stringify(module)}).then(({ takeOwnership }) => {
    try { takeOwnership(process.argv[1]); } catch (caught) { console.log(caught.code); }
  })`;
  // No file may have a byte, as where the disk is full.
  const limited = `trap '' XFSZ; ulimit -S -f 0; exec "$0" -e "$1" "$2"`;
  const { stdout } = spawnSync("sh", ["-c", limited, process.execPath, script, join(directory, ".owner.pid")], {
    encoding: "utf8",
  });
  expect(stdout.trim()).toBe("EFBIG");
  expect(readdirSync(directory)).toEqual([]);
});

it("a start on a full disk says so, and what to do", () => {
  const directory = temporaryDirectory();
  // The limit of a file's length stands for a disk that takes nothing.
  const limited = `trap '' XFSZ; ulimit -S -f 0; exec "$0" "$1" serve --socket off --grpc off --audit off --journal "$2"`;
  const program = join(import.meta.dirname, "../../../bin/aaepd.js");
  const { stderr, status } = spawnSync("sh", ["-c", limited, process.execPath, program, directory], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: directory, NODE_DISABLE_COMPILE_CACHE: "1" },
  });
  expect(stderr).toContain(`Error: The journal cannot stand in ${directory}. The file has reached the largest size`);
  expect(stderr).toContain("With --journal memory it needs no disk.");
  expect(status).toBe(EXIT_CODES.failed.code);
  expect(readdirSync(directory)).toEqual([]);
});
