// `aaepd conformance` with real targets.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { registerConformance } from "../../../src/cli/conformance/conformance.js";
import { itInFull } from "../../support/extent.js";
import { shared, sideBySide } from "../../support/lifetime.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, runtimeEnvironment, type Stage, serve } from "../command-stage.js";

async function conformance(...argv: readonly string[]): Promise<Stage> {
  const stage = createStage();
  await run(registerConformance, stage, ...argv);
  return stage;
}

// The cases of the suite wait for what must not come.
const begun = sideBySide({
  producer: async () => {
    const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
    const endpoint = ["--endpoint", `unix:${socketPath}`, "--agent", `unix:${socketPath}`, "--name", "aaepd"];
    const folder = temporaryDirectory();
    const stage = await conformance("producer", ...endpoint, "--case", "P2-reject,P1-schema", "--report", folder);
    return { stage, folder };
  },
  tail: async () =>
    conformance(
      ...["subscriber", "--endpoint", `unix:${join(temporaryDirectory(), "s")}/suite.sock`],
      ...["--start", `exec ${process.execPath} bin/aaepd.js tail --interactive`],
      ...["--announcements", "stdout", "--accept", "accept"],
      ...["--case", "S1-announces,S2-token,S3-closes,S2-clarification"],
    ),
});

test("a producer: a line for each case, the verdict, the reports, and their comparison", async () => {
  const { stage, folder } = await begun.producer();
  expect(stage.out()).toMatch(/^passed {2}P2-reject: .*\(AAEP §6\.1\)$/m);
  expect(stage.out()).toContain("PASS: 2 passed, 0 failed, 0 skipped.\n");
  expect(stage.out()).toContain("No claim: Cases were chosen.");
  expect(stage.exitCode()).toBe(0);
  const path = join(folder, "conformance-report.json");
  const report = JSON.parse(readFileSync(path, "utf8"));
  expect(report).toMatchObject({ verdict: "PASS", conformance_level: 3, metadata: { target_name: "aaepd" } });

  expect((await conformance("compare", path, folder)).exitCode()).toBe(0);
  const missing = await conformance("compare", path, join(folder, "none.json"));
  expect([missing.exitCode(), missing.err()]).toEqual([2, expect.stringContaining("none.json cannot be read")]);
  report.test_results[0].outcome = "failed";
  const changed = join(folder, "changed.json");
  writeFileSync(changed, JSON.stringify(report));
  const compared = await conformance("compare", path, changed);
  expect(compared.out()).toContain("newly failing: P1-schema");
  expect(compared.exitCode()).toBe(1);
});

test("a subscriber: aaepd's own tail", async () => {
  const stage = await begun.tail();
  expect(stage.out()).toMatch(/^skipped S2-clarification: .*\n {8}Nothing stands for the user's answer/m);
  expect(stage.out()).toContain("PASS: 3 passed, 0 failed, 1 skipped.");
  expect(stage.exitCode()).toBe(0);
});

itInFull("a subscriber's announcements come from a log, or from a person who is asked", async () => {
  const folder = temporaryDirectory();
  const log = join(folder, "said.log");
  const tailed = `exec ${process.execPath} bin/aaepd.js tail`;
  const at = ["subscriber", "--endpoint", `unix:${folder}/s/suite.sock`, "--case", "S1-announces,S3-deduplicates"];
  const logged = await conformance(...at, "--start", `${tailed} >> ${log}`, "--announcements", log);
  expect(logged.out()).toContain("PASS: 2 passed, 0 failed, 0 skipped.");

  const stage = createStage({ input: "y\nyes\nn\n" });
  await run(registerConformance, stage, ...at, "--start", tailed, "--ask");
  expect(stage.err()).toContain('Was something announced with "marble"? (y or n)\n');
  expect(stage.out()).toMatch(/^failed {2}S1-announces: /m);
  expect(stage.out()).toMatch(/^skipped S3-deduplicates: .*\n {8}The case compares the texts of announcements\./m);
  expect(stage.exitCode()).toBe(1);
});

const PRODUCER = "examples/conformance/producer.py";

/** Starts the producer in Python, and returns its socket. */
async function vendorsProducer(): Promise<string> {
  const socket = join(temporaryDirectory(), "p.sock");
  const producer = spawn("python3", [PRODUCER, "serve", socket], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void producer.kill());
  await new Promise((resolve) => producer.stdout.once("data", resolve));
  return socket;
}

test("--user-input asks a producer that is an agent itself", async () => {
  const at = ["producer", "--endpoint", `unix:${await vendorsProducer()}`, "--user-input", "--level", "2"];
  const stage = await conformance(...at, "--case", "P2-accept,P2-reject");
  expect(stage.out()).toMatch(/^passed {2}P2-accept: /m);
});

itInFull("a vendor's producer that is made from the chapters alone passes level 2 by its control command", async () => {
  const socket = await vendorsProducer();
  const control = `python3 ${PRODUCER} perform ${socket}`;
  const stage = await conformance(
    "producer",
    "--endpoint",
    `unix:${socket}`,
    "--control",
    control,
    "--level",
    "2",
    "--name",
    "p",
  );
  expect(stage.out()).toMatch(/^PASS: \d+ passed, 0 failed, 3 skipped\.\np passes the aaepd suite /m);
});

itInFull("a subscriber that is made from the chapters alone passes level 3", async () => {
  const folder = join(temporaryDirectory(), "s");
  const start = 'exec python3 examples/conformance/subscriber.py "$AAEPD_SOCKET"';
  const hooks = ["--announcements", "stdout", "--accept", "yes", "--answer", "{text}"];
  const stage = await conformance("subscriber", "--endpoint", `unix:${folder}/s.sock`, "--start", start, ...hooks);
  expect(stage.out()).toMatch(/^PASS: \d+ passed, 0 failed, 1 skipped\.$/m);
});

itInFull("a subscriber that does not connect is one reason to skip", async () => {
  const at = ["subscriber", "--endpoint", `unix:${temporaryDirectory()}/s/suite.sock`, "--start", "true"];
  const stage = await conformance(...at, "--announcements", "stdout", "--case", "S1-announces");
  expect(stage.out()).toMatch(/^ {8}The subscriber did not connect to unix:.* within 8000 ms\.$/m);
  expect(stage.exitCode()).toBe(1);
});

/** For one run of the suite after another. */
const daemon = shared(() => serve(runtimeEnvironment().XDG_RUNTIME_DIR));

test("wrong options end with 2 and say what to give; a target that is not there with 1", async () => {
  const { socketPath } = await daemon();
  const at = ["--endpoint", `unix:${socketPath}`];
  for (const [argv, sentence] of [
    [["producer", "--endpoint", "nowhere"], '"nowhere" is no endpoint. Give one such as unix:/path'],
    [["producer", ...at, "--case", "P9-x"], "There is no case P9-x for a producer. Give some of P1-envelope-fields"],
    [["producer", ...at, "--extensions", "medai"], "There is no set medai. Give some of aaepd."],
    [
      ["producer", ...at, "--agent", "unix:/a", "--control", "true"],
      "Give one of --agent, --control and --user-input.",
    ],
    [["producer", ...at, "--agent", "grpc://a:1"], "An agent publishes at a socket or a named pipe."],
    [
      ["producer", ...at, "--report", "package.json/reports"],
      "The reports cannot be written into package.json/reports: ",
    ],
    [["producer", ...at, "--token-file", "/nowhere/token"], "/nowhere/token"],
    [["subscriber", "--endpoint", "stdio:true", "--start", "true"], "A subscriber starts its producer by itself"],
    [["compare", "/nowhere/a.json", "/nowhere/b.json"], "/nowhere/a.json"],
    [["compare", "package.json", "package.json"], "package.json is no conformance report."],
  ] as const) {
    const stage = await conformance(...argv);
    expect(stage.err()).toMatch(/^Error: /);
    expect(stage.err()).toContain(sentence);
    expect(stage.exitCode()).toBe(2);
  }
  const nowhere = await conformance("producer", "--endpoint", "unix:/nowhere/a.sock", "--quiet", "--level", "1");
  expect(nowhere.out()).toMatch(/^SKIPPED: 0 passed, 0 failed, \d+ skipped\.\nNo claim: /);
  expect(nowhere.exitCode()).toBe(1);
});

test("a control command that ends with 3 is waited for no longer", async () => {
  const { socketPath } = await daemon();
  const stage = await conformance(
    ...["producer", "--endpoint", `unix:${socketPath}`, "--control", "exit 3", "--patience", "600"],
    ...["--case", "P2-reject"],
  );
  expect(stage.out()).toContain('The control command cannot show the scenario "confirmation".');
});

test("--framing newline sends each message as a line", async () => {
  const { socketPath } = await daemon();
  const endpoint = ["--endpoint", `unix:${socketPath}`, "--agent", `unix:${socketPath}`, "--framing", "newline"];
  const stage = await conformance("producer", ...endpoint, "--case", "P2-reject,P3-ids-differ");
  expect(stage.out()).toContain("PASS: 2 passed, 0 failed, 0 skipped.\n");
});

test("the manifest is fetched where the transport has a call for it", async () => {
  const folder = temporaryDirectory();
  const services = ["--grpc", `unix:${folder}/g.sock`, "--http", `unix:${folder}/h.sock`];
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, ...services);
  const judged = async (endpoint: string): Promise<string> =>
    (await conformance("producer", "--endpoint", endpoint, "--case", "P3-manifest-form")).out();
  for (const endpoint of [`grpc://unix:${folder}/g.sock`, `http://unix:${folder}/h.sock`])
    expect(await judged(endpoint)).toMatch(/^passed {2}P3-manifest-form: /m);
  expect(await judged(`unix:${socketPath}`)).toMatch(/^skipped P3-manifest-form: .*\n {8}No manifest comes over this/m);
});

test("without a source of sessions the cases that need one are skipped with that reason", async () => {
  const { socketPath } = await daemon();
  const stage = await conformance(
    "producer",
    "--endpoint",
    `unix:${socketPath}`,
    "--case",
    "P2-accept,P3-accepted-form",
  );
  expect(stage.out()).toMatch(
    /^skipped P2-accept: .*\n {8}Nothing makes the producer show it\. Give --agent, --control or --user-input\.$/m,
  );
  expect(stage.out()).toContain("PASS: 1 passed, 0 failed, 1 skipped.");
});
