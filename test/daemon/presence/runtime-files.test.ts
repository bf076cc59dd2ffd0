import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { manifestPath, removeStaleRuntimeFiles, writeRuntimeFile } from "../../../src/daemon/presence/runtime-files.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

/** Above what any system gives out, so no process has it. */
const DEAD_PID = 0x7fff_fff0;

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

describe("the file beside a socket", () => {
  it("appendix B: is the manifest, with pid and framings, for its owner alone", () => {
    const directory = temporaryDirectory();
    const file = writeRuntimeFile(join(directory, "planner.sock"), { agent_id: "planner" });
    expect(file.path).toBe(join(directory, "planner.manifest.json"));
    expect(read(file.path)).toStrictEqual({
      agent_id: "planner",
      pid: process.pid,
      framings: ["length-prefixed", "newline", "content-length"],
    });
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toStrictEqual(["planner.manifest.json"]);
  });

  it("is what manifest_uri names, whatever is in the path", () => {
    const directory = temporaryDirectory();
    const file = writeRuntimeFile(join(directory, "a b#ñ?.sock"), { agent_id: "x" });
    expect(file.uri).toMatch(/^file:\/\/\//);
    expect(new URL(file.uri).hash).toBe("");
    expect(fileURLToPath(file.uri)).toBe(file.path);
  });

  it("is replaced whole, and removed at the end", () => {
    const directory = temporaryDirectory();
    const file = writeRuntimeFile(join(directory, "x.sock"), { agent_id: "x" });
    file.update({ agent_id: "planner" });
    expect(read(file.path)).toMatchObject({ agent_id: "planner", pid: process.pid });
    file.remove();
    file.remove();
    expect(readdirSync(directory)).toStrictEqual([]);
  });

  it("is left alone once another process has the name", () => {
    const path = join(temporaryDirectory(), "x.sock");
    const mine = writeRuntimeFile(path, { agent_id: "x" });
    const theirs = writeRuntimeFile(path, { agent_id: "y" }, { pid: 1 });
    mine.remove();
    expect(read(theirs.path)).toMatchObject({ agent_id: "y", pid: 1 });
  });

  it("of a killed daemon goes with the next start, that of a live one stays, and so does everything else", () => {
    const directory = temporaryDirectory();
    writeRuntimeFile(join(directory, "dead.sock"), {}, { pid: DEAD_PID });
    for (const name of ["dead.token", "live.token"]) writeFileSync(join(directory, name), "");
    writeRuntimeFile(join(directory, "live.sock"), {});
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
    const file = writeRuntimeFile(pipe, { agent_id: "planner" }, { pipeDirectory: directory });
    expect(read(file.path)).toMatchObject({ agent_id: "planner" });
  });

  it("says what is wrong where it cannot be written, and leaves nothing", () => {
    const directory = temporaryDirectory();
    expect(() => writeRuntimeFile(join(directory, "no", "x.sock"), {})).toThrow(Fault);
    expect(readdirSync(directory)).toStrictEqual([]);
  });
});
