// docs/services.md names what there is: options, files, services.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { AgentService } from "#gen/aaep/v1/agent_service_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import { OPTION_NAMES } from "../../src/daemon/config/config-schema.js";
import { flagOf, keyOf } from "../../src/daemon/config/option-names.js";
import { runtimeEnvironment } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { docPage } from "../support/doc-blocks.js";
import { startProgram } from "../support/peers/program.js";

const PAGE = docPage("services.md");

test("every JSON block is JSON", () => {
  const blocks = [...PAGE.matchAll(/```json[^\n]*\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) expect(() => JSON.parse(block), block).not.toThrow();
});

test("options and methods are called by their names", () => {
  const flags = new Set([...OPTION_NAMES.map(flagOf), "--no-compression"]);
  const told = [...PAGE.matchAll(/`(--[a-z-]+)`/g)].map(([, flag = ""]) => flag);
  expect(told.filter((flag) => !flags.has(flag))).toEqual([]);
  expect(PAGE.includes(keyOf("heartbeatSeconds")) && PAGE.includes(keyOf("agentIdleSeconds"))).toBe(true);
  const methods = [SubscriberService, AgentService, AaepService].flatMap(({ methods }) =>
    methods.map(({ name }) => name),
  );
  for (const method of methods) expect(PAGE, method).toContain(method);
});

test("what `curl` is shown to do is answered", async () => {
  ensureBuilt();
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  const environment = { PATH: process.env.PATH ?? "", XDG_RUNTIME_DIR, AAEPD_AUDIT: "off" };
  const daemon = startProgram(["serve", "--http", "127.0.0.1:0"], { environment });
  const [line = ""] = await daemon.stdoutLines(1);
  const [address = ""] = (JSON.parse(line) as { endpoints: { http: string[] } }).endpoints.http;
  const authorization = `Bearer ${readFileSync(join(directory, "aaepd.token"), "utf8").trim()}`;
  const calls = [...PAGE.matchAll(/-d '([^']*)' \\?\s*http:\/\/127\.0\.0\.1:8700(\/\S+)/g)];
  expect(calls.map(([, , path]) => path)).toEqual([
    "/aaep.v1.SubscriberService/GetManifest",
    "/aaep.v1.AgentService/PublishBatch",
  ]);
  const answers: unknown[] = [];
  for (const [, body = "", path = ""] of calls) {
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(`http://${address}${path}`, { method: "POST", headers, body });
    expect(response.status).toBe(200);
    answers.push(await response.json());
  }
  expect(answers).toMatchObject([{ manifest: { agentId: "aaepd" } }, { agentKey: expect.any(String) }]);
  const listening = new AbortController();
  const stream = await fetch(`http://${address}/aaep.v1.SubscriberService/Listen`, {
    method: "POST",
    headers: { authorization, "content-type": "application/connect+json" },
    body: "\0\0\0\0\u0002{}",
    signal: listening.signal,
  });
  const first = await stream.body?.getReader().read();
  expect(Buffer.from(first?.value ?? []).toString()).toContain('"accepted"');
  listening.abort();
});
