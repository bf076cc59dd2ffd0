import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Log } from "../../../src/contracts/log.js";
import { announce } from "../../../src/daemon/presence/presence.js";
import { writeRuntimeFile } from "../../../src/daemon/presence/runtime-files.js";
import { currentPlace } from "../../../transports/ipc/paths.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const before = process.env.XDG_RUNTIME_DIR;

beforeEach(() => {
  process.env.XDG_RUNTIME_DIR = temporaryDirectory();
});
afterEach(() => {
  if (before === undefined) delete process.env.XDG_RUNTIME_DIR;
  else process.env.XDG_RUNTIME_DIR = before;
});

function options(more: Partial<Parameters<typeof announce>[0]> = {}): Parameters<typeof announce>[0] {
  return {
    producerId: "planner",
    place: currentPlace(),
    paths: [],
    token: undefined,
    endpoints: { grpc: ["127.0.0.1:50051"] },
    manifest: () => ({ agent_id: "planner" }),
    log: silent,
    ...more,
  };
}

it("writes manifest and token beside the socket, for this user alone, and removes both", () => {
  const directory = temporaryDirectory();
  const presence = announce(
    options({ paths: [join(directory, "x.sock")], token: { kind: "beside_socket", token: "secret" } }),
  );
  const manifest = join(directory, "x.manifest.json");
  expect(JSON.parse(readFileSync(manifest, "utf8"))).toMatchObject({
    agent_id: "planner",
    pid: process.pid,
    endpoints: { grpc: ["127.0.0.1:50051"] },
    token_file: join(directory, "x.token"),
  });
  expect(readFileSync(join(directory, "x.token"), "utf8")).toBe("secret\n");
  expect([manifest, join(directory, "x.token")].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  presence.remove();
  expect(existsSync(manifest) || existsSync(join(directory, "x.token"))).toBe(false);
});

it("stands where its socket would where it has none, beside those of others", () => {
  const directory = join(process.env.XDG_RUNTIME_DIR ?? "", "aaep");
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // The parent of this process lives as long as it does.
  const theirs = join(directory, "planner.manifest.json");
  writeRuntimeFile(theirs, {}, process.ppid);
  const presence = announce(options({ token: { kind: "beside_socket", token: "secret" } }));
  expect(presence.tokenPath).toBe(join(directory, "planner-2.token"));
  expect(presence.uri).toMatch(/planner-2\.manifest\.json$/);
  presence.remove();
  expect(existsSync(theirs)).toBe(true);
});

it("its URI names the file, whatever is in the path", () => {
  const { uri } = announce(options({ paths: [join(temporaryDirectory(), "a b#ñ?.sock")] }));
  expect(new URL(uri).hash).toBe("");
  expect(existsSync(fileURLToPath(uri))).toBe(true);
});

it("leaves no token behind where the manifest cannot be written", () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "x.manifest.json"));
  expect(() =>
    announce(options({ paths: [join(directory, "x.sock")], token: { kind: "beside_socket", token: "secret" } })),
  ).toThrow();
  expect(existsSync(join(directory, "x.token"))).toBe(false);
});
