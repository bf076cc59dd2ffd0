// `aaepd conformance` with real targets.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { registerConformance } from "../../../src/cli/conformance/conformance.js";
import { runSuite, type SuiteOptions } from "../../../src/cli/conformance/run-suite.js";
import type { CaseResult, Severity, Verdict } from "../../../src/conformance/findings/finding.js";
import { itInFull } from "../../support/extent.js";
import { shared, sideBySide, whenFinished } from "../../support/lifetime.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, runtimeEnvironment, type Stage, serve } from "../command-stage.js";

async function conformance(...argv: readonly string[]): Promise<Stage> {
  const stage = await run(registerConformance, createStage(), ...argv);
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
      ...["--start", `exec ${process.execPath} bin/aaepd.js tail --interactive 2>&1`],
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

  const same = await conformance("compare", path, folder);
  expect([same.exitCode(), same.out()]).toEqual([0, "The reports say the same.\n"]);
  const missing = await conformance("compare", path, join(folder, "none.json"));
  expect([missing.exitCode(), missing.err()]).toEqual([2, expect.stringContaining("none.json cannot be read")]);
  report.test_results[0].outcome = "failed";
  const changed = join(folder, "changed.json");
  writeFileSync(changed, JSON.stringify(report));
  const compared = await conformance("compare", path, changed);
  expect(compared.out()).toMatch(/^P1-schema: passed → failed \(/m);
  expect(compared.exitCode()).toBe(1);
  const other = join(folder, "other.json");
  writeFileSync(other, JSON.stringify({ ...report, metadata: { ...report.metadata, target_kind: "subscriber" } }));
  const strange = await conformance("compare", path, other);
  expect(strange.err()).toContain("report.json is about a producer, and ");
  expect(strange.err()).toContain("other.json about a subscriber. ");
  expect(strange.exitCode()).toBe(2);
});

const ABOUT = { title: "It holds.", paragraphs: ["AAEP §3"], role: "producer", level: 1, severity: "error" } as const;
const SIDE = { role: "producer", cases: [], defaultName: "p" } as const;
const OPTIONS = { endpoint: "unix:/p", level: 1, patience: 8 } as const;

/** The lines and the exit code of a run with these results. */
async function told(results: readonly CaseResult[], options: Partial<SuiteOptions> = {}) {
  const stage = createStage();
  const run = async (tell: (result: CaseResult) => void) => {
    for (const result of results) tell(result);
    return results;
  };
  const exitCode = await runSuite({ ...OPTIONS, ...options }, stage.io, { ...SIDE, run });
  return [...stage.out().trimEnd().split("\n"), exitCode];
}

const result = (id: string, verdict: Verdict, severity: Severity = "error"): CaseResult => ({
  about: { ...ABOUT, id, severity },
  verdict,
  durationMs: 1,
});
const passed = (id: string) => result(id, { kind: "passed" });
const skipped = (id: string, reason = "Nobody is there.") => result(id, { kind: "skipped", reason });
const MISSED = { kind: "failed", expected: "More.", seen: "Less." } as const;
const WARNED = result("P1-b", { ...MISSED, evidence: [] }, "warning");

test("a warning has the same weight in the verdict, the sentence and the exit code", async () => {
  expect(await told([passed("P1-a"), WARNED])).toEqual([
    "passed  P1-a: It holds. (AAEP §3)",
    "warning P1-b: It holds. (AAEP §3)",
    "        expected: More.",
    "        seen: Less.",
    "PASS: 1 passed, 0 failed, 1 warning, 0 skipped.",
    expect.stringContaining("p passes the aaepd suite"),
    0,
  ]);
  expect(await told([passed("P1-a"), WARNED], { failOnWarning: true, quiet: true })).toEqual([
    "failed  P1-b: It holds. (AAEP §3)",
    "        expected: More.",
    "        seen: Less.",
    "FAIL: 1 passed, 1 failed, 0 skipped.",
    "No claim: 1 recommended case failed: P1-b.",
    1,
  ]);
});

test("a failure is told in a few short lines", async () => {
  const evidence = [{ note: "received", text: "x".repeat(501) }, { note: "answered" }];
  expect(await told([result("P1-a", { ...MISSED, expected: ABOUT.title, evidence })], { quiet: true })).toEqual([
    "failed  P1-a: It holds. (AAEP §3)",
    "        seen: Less.",
    `        received: ${"x".repeat(500)}…`,
    "        answered: nothing",
    "FAIL: 0 passed, 1 failed, 0 skipped.",
    "No claim: 1 required case of the level failed: P1-a.",
    1,
  ]);
});

test("one reason for skipping is told once, and by a quiet run that judged nothing too", async () => {
  const all = ["skipped all 2 cases", "        Nobody is there."];
  const end = ["SKIPPED: 0 passed, 0 failed, 2 skipped.", "No claim: No case of the level passed.", 1];
  for (const options of [{}, { quiet: true }] as const)
    expect(await told([skipped("P1-a"), skipped("P1-b")], options)).toEqual([...all, ...end]);
  const many = Array.from({ length: 13 }, (_, index) => skipped(`P1-${index}`));
  expect(await told([skipped("P1-a", "It is not there."), passed("P1-b"), ...many, skipped("P1-c", "Slow.")])).toEqual([
    "skipped P1-a: It holds. (AAEP §3)",
    "        It is not there.",
    "passed  P1-b: It holds. (AAEP §3)",
    "skipped 13 cases: P1-0, P1-1, P1-2 and 10 more",
    "        Nobody is there.",
    "skipped P1-c: It holds. (AAEP §3)",
    "        Slow.",
    "PASS: 1 passed, 0 failed, 15 skipped.",
    expect.stringContaining("No claim: 15 cases of level 1 were skipped"),
    0,
  ]);
  expect(await told([passed("P1-b"), skipped("P1-a")], { quiet: true })).toHaveLength(3);
});

test("a subscriber: aaepd's own tail", async () => {
  const stage = await begun.tail();
  expect(stage.out()).toMatch(/^skipped S2-clarification: .*\n {8}Nothing stands for the user's answer/m);
  expect(stage.out()).toContain("PASS: 3 passed, 0 failed, 1 skipped.");
  expect(stage.exitCode()).toBe(0);
});

itInFull("--framing newline: a subscriber of level 1 that reads lines need not say anything first", async () => {
  const reads = `require("net").connect(process.env.AAEPD_SOCKET).on("data", (text) => process.stdout.write(text))`;
  const stage = await conformance(
    ...["subscriber", "--endpoint", `unix:${temporaryDirectory()}/s/suite.sock`, "--level", "1"],
    ...["--framing", "newline"],
    ...["--start", `exec ${process.execPath} -e '${reads}'`, "--announcements", "stdout", "--case", "S1-announces"],
  );
  expect(stage.out()).toMatch(/^passed {2}S1-announces: /m);
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
  expect(stage.err()).toContain('Was something announced with "marble"? (yes or no; y or n does too)\n');
  expect(stage.out()).toMatch(/^failed {2}S1-announces: /m);
  expect(stage.out()).toMatch(/^skipped S3-deduplicates: .*\n {8}The case compares the texts of announcements\./m);
  expect(stage.exitCode()).toBe(1);
});

const PRODUCER = "examples/conformance/producer.py";

/** Starts the producer in Python, and returns its socket. */
async function vendorsProducer(): Promise<string> {
  const socket = join(temporaryDirectory(), "p.sock");
  const producer = spawn("python3", [PRODUCER, "serve", socket], { stdio: ["ignore", "pipe", "inherit"] });
  whenFinished(() => void producer.kill());
  await new Promise((resolve) => producer.stdout.once("data", resolve));
  return socket;
}

itInFull("--user-input asks a producer that is an agent itself", async () => {
  const at = ["producer", "--endpoint", `unix:${await vendorsProducer()}`, "--user-input", "--level", "2"];
  const stage = await conformance(...at, "--case", "P2-accept,P2-reject");
  expect(stage.out()).toMatch(/^passed {2}P2-accept: /m);
});

// Each waits for most of its time.
const inFull = sideBySide({
  producer: async () => {
    const socket = await vendorsProducer();
    const control = `python3 ${PRODUCER} perform ${socket}`;
    const at = ["producer", "--endpoint", `unix:${socket}`, "--control", control];
    return conformance(...at, "--level", "2", "--name", "p");
  },
  subscriber: async () => {
    const folder = join(temporaryDirectory(), "s");
    const start = 'exec python3 examples/conformance/subscriber.py "$AAEPD_SOCKET"';
    const hooks = ["--announcements", "stdout", "--accept", "yes", "--answer", "{text}"];
    return conformance("subscriber", "--endpoint", `unix:${folder}/s.sock`, "--start", start, ...hooks);
  },
});

itInFull("a vendor's producer that is made from the chapters alone passes level 2 by its control command", async () => {
  const stage = await inFull.producer();
  expect(stage.out()).toMatch(/^PASS: \d+ passed, 0 failed, 3 skipped\.\np passes the aaepd suite /m);
});

itInFull("a subscriber that is made from the chapters alone passes level 3", async () => {
  const stage = await inFull.subscriber();
  expect(stage.out()).toMatch(/^PASS: \d+ passed, 0 failed, 1 skipped\.$/m);
});

itInFull("a subscriber that does not connect is one reason to skip", async () => {
  const at = ["subscriber", "--endpoint", `unix:${temporaryDirectory()}/s/suite.sock`, "--start", "exec sleep 60"];
  const stage = await conformance(...at, "--patience", "1", "--announcements", "stdout", "--case", "S1-announces");
  expect(stage.out()).toMatch(
    /^ {8}The subscriber did not connect to unix:.*sock\. The suite waited 1 second\. Give a slow target more with --patience\.$/m,
  );
  expect(stage.exitCode()).toBe(1);
});

/** For one run of the suite after another. */
const daemon = shared(() => serve(runtimeEnvironment().XDG_RUNTIME_DIR));
/** A subscriber that does something at the suite's socket. */
const connecting = (then: string): string =>
  `exec ${process.execPath} -e 'const socket = require("net").connect(process.env.AAEPD_SOCKET, () => { ${then} })'`;

itInFull("a subscriber that cannot be judged is one finding, with its exit code and its last words", async () => {
  const at = ["subscriber", "--endpoint", `unix:${temporaryDirectory()}/s/suite.sock`, "--quiet", "--start"];
  const request = '{"type":"subscription.request","aaep_version":"9.0.0","subscriber_id":"s","capabilities":{}}';
  for (const [start, reason] of [
    ['echo "no such module" >&2; exit 4', "exit code 4. The end of its standard error: no such module"],
    [
      connecting('socket.write("GET / HTTP/1.1")'),
      "The target's bytes cannot be read. The stream begins with byte 0x47",
    ],
    [
      connecting(`socket.write(${JSON.stringify(`${request}\n`)})`),
      "The target speaks AAEP 9.0.0, and the suite tests",
    ],
    [connecting("process.exit(5)"), "The target ended the connection at once. The command ended with exit code 5."],
  ] as const) {
    const stage = await conformance(...at, start);
    expect(stage.out()).toMatch(/^skipped all \d+ cases\n/);
    expect(stage.out()).toContain(reason);
    expect(stage.exitCode()).toBe(1);
  }
});

test("wrong options end with 2 and say what to give; a target that is not there with 1", async () => {
  const { socketPath } = await daemon();
  const at = ["--endpoint", `unix:${socketPath}`];
  const folder = temporaryDirectory();
  for (const [line, sentence] of [
    ["producer --endpoint nowhere", '"nowhere" is no endpoint. Give one such as unix:/path'],
    ["producer AT --case P9-x", "There is no case P9-x for a producer. Give some of P1-envelope-fields"],
    ["producer AT --case P2-acept", "There is no case P2-acept for a producer. Did you mean P2-accept?"],
    ["producer AT --extensions medai", "There is no set medai. Give some of aaepd."],
    [`producer --endpoint unix:/${"a".repeat(120)}`, "a socket's path may have "],
    ["producer --endpoint stdio:exit_127", 'The command "exit 127" of --endpoint cannot be run. The shell does'],
    ["producer AT --agent unix:/nowhere/a.sock", "No connection is taken at unix:/nowhere/a.sock. Start"],
    ["subscriber --endpoint unix:/tmp/a.sock --start true", "The folder /tmp has mode "],
    [
      `subscriber --endpoint unix:${folder}/s/a.sock --start /tmp`,
      "The command of --start cannot be run. The shell may not run it, or a program that it calls (exit code 126). The end of its standard error: ",
    ],
    ["producer AT --agent unix:/a --control true", "Give one of --agent, --control and --user-input."],
    ["producer AT --agent grpc://a:1", "An agent publishes at a socket or a named pipe."],
    ["producer AT --report package.json/reports", "The reports cannot be written into package.json/reports: "],
    ["producer AT --token-file /nowhere/token", "/nowhere/token"],
    ["subscriber --endpoint stdio:true --start true", "A subscriber starts its producer by itself"],
    ["compare /nowhere/a.json /nowhere/b.json", "/nowhere/a.json"],
    ["compare package.json package.json", "package.json is no conformance report."],
  ] as const) {
    const stage = await conformance(
      ...line.split(" ").flatMap((word) => (word === "AT" ? at : word.replace("_", " "))),
    );
    expect(stage.err()).toMatch(/^Error: /);
    expect(stage.err()).toContain(sentence);
    expect(stage.exitCode()).toBe(2);
  }
  for (const [endpoint, reason] of [
    [
      "unix:/nowhere/a.sock",
      "No connection is taken at unix:/nowhere/a.sock. Start the target, or correct --endpoint.",
    ],
    ["http://unix:/nowhere/h.sock", "No connection is taken at http://unix:/nowhere/h.sock. Start the target, or "],
    ["stdio:exit 5", 'The command "exit 5" of --endpoint ended with exit code 5.'],
  ] as const) {
    const nowhere = await conformance("producer", "--endpoint", endpoint, "--quiet", "--level", "1");
    expect(nowhere.out()).toMatch(/^skipped all \d+ cases\n.*\nSKIPPED: 0 passed, 0 failed, \d+ skipped\.\nNo claim: /);
    expect(nowhere.out()).toContain(reason);
    expect(nowhere.exitCode()).toBe(1);
  }
});

/** The lines of a run whose source of sessions shows nothing. */
async function shownNothing(...options: readonly string[]): Promise<string> {
  const { socketPath } = await daemon();
  return (await conformance("producer", "--endpoint", `unix:${socketPath}`, ...options)).out();
}

itInFull(
  "a control command that ends with 3 is waited for no longer, and one that cannot be run is run once",
  async () => {
    const { socketPath } = await daemon();
    const stage = await conformance(
      ...["producer", "--endpoint", `unix:${socketPath}`, "--control", "exit 3", "--patience", "600"],
      ...["--case", "P2-reject"],
    );
    expect(stage.out()).toContain('The control command cannot show the scenario "confirmation".');

    const log = join(temporaryDirectory(), "runs");
    const at = ["producer", "--endpoint", `unix:${socketPath}`, "--quiet", "--case"];
    const broken = await conformance(
      ...at,
      "P2-reject,P2-accept,P1-schema",
      "--control",
      `echo $AAEP_SCENARIO >> ${log}; exit 127`,
    );
    expect(readFileSync(log, "utf8")).toBe("confirmation\n");
    expect(broken.out()).toMatch(/^skipped all 3 cases\n {8}The control command cannot be run\. /);
    expect(broken.err()).toBe(
      "Error: The control command cannot be run. The shell does not find it, or a program that it calls (exit code 127).\n",
    );
    expect(broken.exitCode()).toBe(2);

    const failing = await conformance(...at, "P2-reject", "--control", "exit 5");
    expect(failing.err()).toBe('Warning: The control command failed at the scenario "confirmation" (exit code 5).\n');

    const idle = await conformance(...at, "P2-reject", "--control", "true", "--patience", "1");
    expect(idle.out()).toContain(
      'The scenario "confirmation" was asked for, and no event of it came. The suite waited 1 second. Give a slow target more with --patience.',
    );
  },
);

itInFull("a scenario at which no session began is asked for once", async () => {
  const twice = ["--patience", "1", "--case", "P2-accept,P2-reject"];
  const late = 'The scenario "confirmation" was asked for, and no event of it came.';
  const hanging = await shownNothing("--control", "exec sleep 600", ...twice);
  expect(hanging).toContain(late);
  expect(hanging).toContain('No session began at the scenario "confirmation", and the control command did not end.');
  const deaf = await shownNothing("--user-input", ...twice);
  expect(deaf).toContain(late);
  expect(deaf).toContain('No session began after the user_input of the scenario "confirmation".');
});

test("--framing newline sends each message as a line", async () => {
  const { socketPath } = await daemon();
  const endpoint = ["--endpoint", `unix:${socketPath}`, "--agent", `unix:${socketPath}`, "--framing", "newline"];
  const stage = await conformance("producer", ...endpoint, "--case", "P2-reject,P3-ids-differ");
  expect(stage.out()).toContain("PASS: 2 passed, 0 failed, 0 skipped.\n");
});

itInFull("the manifest is fetched where the transport has a call for it", async () => {
  const folder = temporaryDirectory();
  const services = ["--grpc", `unix:${folder}/g.sock`, "--http", `unix:${folder}/h.sock,127.0.0.1:0`];
  const { socketPath, http } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, ...services);
  const at = (endpoint: string) => conformance("producer", "--endpoint", endpoint, "--case", "P3-manifest-form");
  const judged = async (endpoint: string): Promise<string> => (await at(endpoint)).out();
  for (const endpoint of [`grpc://unix:${folder}/g.sock`, `http://unix:${folder}/h.sock`])
    expect(await judged(endpoint)).toMatch(/^passed {2}P3-manifest-form: /m);
  expect(await judged(`unix:${socketPath}`)).toMatch(/^skipped P3-manifest-form: .*\n {8}No manifest comes over this/m);

  for (const endpoint of [`grpc://${http[1]}`, `http://${http[1]}`]) {
    const stranger = await at(endpoint);
    expect(stranger.err()).toContain(
      `${endpoint} does not take the call without a valid token. Give the file that has`,
    );
    expect(stranger.exitCode()).toBe(2);
  }
});

itInFull("without a source of sessions the cases that need one are skipped with that reason", async () => {
  const { socketPath } = await daemon();
  const at = ["producer", "--endpoint", `unix:${socketPath}`];
  const stage = await conformance(...at, "--case", "P2-accept,P3-accepted-form");
  expect(stage.out()).toMatch(
    /^skipped P2-accept: .*\n {8}Nothing makes the producer show a scenario\. Give --agent, --control or --user-input\.$/m,
  );
  expect(stage.out()).toContain("PASS: 1 passed, 0 failed, 1 skipped.");
});
