import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import {
  manifestPath,
  removeRuntimeFile,
  removeStaleRuntimeFiles,
  writeRuntimeFile,
} from "../../../src/daemon/presence/runtime-files.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

/** Above what any system gives out, so no process has it. */
const DEAD_PID = 0x7fff_fff0;

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

const fileOf = (directory: string, name: string) => manifestPath(join(directory, `${name}.sock`));

describe("the file beside a socket", () => {
  it("appendix B: is the manifest, with pid and framings, for its owner alone", () => {
    const directory = temporaryDirectory();
    const path = fileOf(directory, "planner");
    expect(path).toBe(join(directory, "planner.manifest.json"));
    writeRuntimeFile(path, { agent_id: "planner" });
    expect(read(path)).toStrictEqual({
      agent_id: "planner",
      pid: process.pid,
      framings: ["length-prefixed", "newline", "content-length"],
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toStrictEqual(["planner.manifest.json"]);
  });

  it("is replaced whole, and removed at the end", () => {
    const directory = temporaryDirectory();
    const path = fileOf(directory, "x");
    writeRuntimeFile(path, { agent_id: "x" });
    writeRuntimeFile(path, { agent_id: "planner" });
    expect(read(path)).toMatchObject({ agent_id: "planner", pid: process.pid });
    removeRuntimeFile(path);
    removeRuntimeFile(path);
    expect(readdirSync(directory)).toStrictEqual([]);
  });

  it("is left alone once another process has the name", () => {
    const path = fileOf(temporaryDirectory(), "x");
    writeRuntimeFile(path, { agent_id: "y" }, 1);
    removeRuntimeFile(path);
    expect(read(path)).toMatchObject({ agent_id: "y", pid: 1 });
  });

  it("of a killed daemon goes with the next start, that of a live one stays, and so does everything else", () => {
    const directory = temporaryDirectory();
    writeRuntimeFile(fileOf(directory, "dead"), {}, DEAD_PID);
    for (const name of ["dead.token", "live.token"]) writeFileSync(join(directory, name), "");
    writeRuntimeFile(fileOf(directory, "live"), {});
    writeFileSync(join(directory, "odd.manifest.json"), "not JSON");
    writeFileSync(join(directory, "other.json"), JSON.stringify({ pid: DEAD_PID }));
    removeStaleRuntimeFiles(directory);
    expect(readdirSync(directory).sort()).toStrictEqual([
      "live.manifest.json",
      "live.token",
      "odd.manifest.json",
      "other.json",
    ]);
    removeStaleRuntimeFiles(join(directory, "missing"));
  });

  it("stands in a folder of its own for a pipe, which has none", () => {
    const directory = join(temporaryDirectory(), "AAEP");
    const pipe = "\\\\.\\pipe\\aaep\\planner";
    expect(manifestPath(pipe, directory)).toBe(join(directory, "planner.manifest.json"));
  });

  it("says what is wrong where it cannot be written, and leaves nothing", () => {
    const directory = temporaryDirectory();
    expect(() => writeRuntimeFile(join(directory, "no", "x.manifest.json"), {})).toThrow(Fault);
    expect(readdirSync(directory)).toStrictEqual([]);
  });
});
