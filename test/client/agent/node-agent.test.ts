// An agent's program in Node as a stranger writes it: it finds the daemon of its user, starts one of its own, or is silent.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { discoverDaemons, findAllDaemons } from "../../../src/client/discovery/discover-daemons.js";
import { ipcRpcConnector, openAgent, subscribe } from "../../../src/client/node.js";
import { eventually, runtimeEnvironment, serve } from "../../cli/command-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { cleanEnvironment } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { listenAt, PATIENT_MS } from "./agent-stage.js";
import { type AuthorProgram, startAuthorProgram, WAITS } from "./author-program.js";

/** Runs a program of an author's, which reads a line before it begins its session. */
function program(
  environment: Readonly<Record<string, string>>,
  options: string,
  work = 's.text("Here I am.")',
): AuthorProgram {
  return startAuthorProgram(
    `import { openAgent } from "aaepd";
     const troubles = [];
     const agent = await openAgent({ id: "nodder", searchMs: ${PATIENT_MS}, onError: ({ fault }) => troubles.push(fault.code), ${options} });
     console.log(agent.status.kind);
     ${WAITS}
     await agent.session("Nods.", async (s) => { ${work} });
     await agent.close();
     console.log(JSON.stringify(troubles));`,
    environment,
  );
}

test("it publishes to the daemon that serves this user", async () => {
  const runtime = runtimeEnvironment();
  const { socketPath, environment } = await serve(runtime.XDG_RUNTIME_DIR);
  const heard = await listenAt(socketPath);
  const running = program(environment, "");
  await eventually(() => expect(running.out()).toBe("connected\n"));
  running.goOn();
  expect(await running.ended).toEqual({ code: 0, out: "connected\n[]\n", err: "" });
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  expect(heard.text()).toBe("Here I am.");
});

test("R8a: a listener that waits hears the whole of a program that starts its daemon and ends at once, and the daemon ends with it", async () => {
  const runtime = runtimeEnvironment();
  const listener = subscribe(discoverDaemons({ directories: [runtime.directory] }), { coalesce_boundaries: ["none"] });
  onTestFinished(() => listener.close());
  const environment = cleanEnvironment(runtime.XDG_RUNTIME_DIR);
  const running = startAuthorProgram(
    `import { openAgent } from "aaepd";
     const agent = await openAgent({ id: "nodder", searchMs: ${PATIENT_MS} });
     await agent.session("Nods.", (s) => s.text("Here I am."));`,
    environment,
  );
  const types: string[] = [];
  for await (const { type } of listener) {
    types.push(type.replace("aaep:agent.", ""));
    if (types.at(-1) === "session.completed") break;
  }
  expect(types).toEqual([
    "session.started",
    "state.changed",
    "state.changed",
    "output.streaming",
    "output.streaming",
    "session.completed",
  ]);
  expect(await running.ended).toEqual({ code: 0, out: "", err: "" });
  await vi.waitFor(async () => expect(await findAllDaemons([runtime.directory])).toEqual([]), 60_000);
});

test("R8a: the daemon of an agent that is killed ends with it, after its listeners were told", async () => {
  const runtime = runtimeEnvironment();
  const running = program(
    cleanEnvironment(runtime.XDG_RUNTIME_DIR),
    "",
    "await new Promise(() => setInterval(() => {}, 1000))",
  );
  await eventually(() => expect(running.out()).toBe("connected\n"));
  const heard = await listenAt(join(runtime.directory, "nodder.sock"));
  running.goOn();
  await eventually(() => expect(heard.lines).toContain("state.changed | thinking"));
  running.child.kill("SIGKILL");
  await eventually(() => expect(heard.lines.at(-1)).toMatch(/^session\.errored/));
});

test("without a daemon and without a program to start, it is silent, and runs on", async () => {
  const runtime = runtimeEnvironment();
  const running = program(cleanEnvironment(runtime.XDG_RUNTIME_DIR), "spawn: false");
  await eventually(() => expect(running.out()).toBe("silent\n"));
  running.goOn();
  expect(await running.ended).toEqual({ code: 0, out: "silent\n[]\n", err: "" });
});

const NO_DAEMONS = [
  { options: { program: "/nowhere/aaepd.js" }, says: "Cannot find module", told: [] },
  { options: { argv: ["--nope"] }, says: "Unknown option '--nope'", told: ["usage"] },
  { options: { argv: ["--socket", "/tmp/nodder.sock"] }, says: "The folder /tmp", told: [] },
];

test("a program that is not there, a wrong option, and a socket for all are as no daemon, and said so", async () => {
  const running = startAuthorProgram(
    `import { openAgent } from "aaepd";
     for (const spawn of ${JSON.stringify(NO_DAEMONS.map(({ options }) => options))}) {
       const troubles = [];
       const agent = await openAgent({ id: "nodder", onError: ({ fault }) => troubles.push(fault.code), spawn });
       const said = agent.status.kind + " " + agent.status.because.sentence;
       await agent.session("Nods.", (s) => s.text("Nobody hears it."));
       await agent.close();
       console.log(JSON.stringify({ said, troubles }));
     }`,
    cleanEnvironment(runtimeEnvironment().XDG_RUNTIME_DIR),
  );
  const { code, out, err } = await running.ended;
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const lines = out.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    NO_DAEMONS.map(({ says, told }) => ({ said: expect.stringContaining(says), troubles: told })),
  );
  for (const line of lines) expect(line).toContain('"silent It could not be started: ');
});

test.each([
  { options: { language: "en-US-" }, says: "languages_supported" },
  { options: { manifest: { agent_version: 3 as never } }, says: "agent_version" },
])("an option that no daemon takes is told as it is: $options", async ({ options, says }) => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const told: string[] = [];
  const opening = openAgent({
    id: "nodder",
    mode: "required",
    connectors: [{ connect: ipcRpcConnector(socketPath) }],
    onError: ({ fault }) => void told.push(fault.sentence),
    ...options,
  });
  await expect(opening).rejects.toMatchObject({ code: "invalid_message", sentence: expect.stringContaining(says) });
  expect(told).toEqual([expect.stringContaining(says)]);
});

test.each([
  { format: "esm", name: "agent.mjs" },
  { format: "cjs", name: "agent.cjs" },
] as const)("a bundle in the form of $format starts a daemon, and ends with it", async ({ format, name }) => {
  const environment = cleanEnvironment(runtimeEnvironment().XDG_RUNTIME_DIR);
  const running = startAuthorProgram(await bundledAgent(format), environment, {}, name);
  expect(await running.ended).toEqual({ code: 0, out: "connected\n", err: "" });
});

/** A program with the whole client in its one file, as bundlers make it that know no `require` in a module. */
async function bundledAgent(format: "esm" | "cjs"): Promise<string> {
  ensureBuilt();
  const { rolldown } = await import("rolldown");
  const entry = join(temporaryDirectory(), "entry.mjs");
  const client = JSON.stringify(fileURLToPath(import.meta.resolve("aaepd")));
  writeFileSync(
    entry,
    `import { openAgent } from ${client};
     openAgent({ id: "bundled" }).then((agent) => { console.log(agent.status.kind); return agent.close(); });`,
  );
  const bundle = await rolldown({ input: entry, platform: "neutral", external: /^(node:|@)/, logLevel: "silent" });
  const { output } = await bundle.generate({ format, codeSplitting: false });
  expect(output).toHaveLength(1);
  return output[0].code;
}

test('the mode "required" rejects, and says what to do', async () => {
  const runtime = runtimeEnvironment();
  const running = program(cleanEnvironment(runtime.XDG_RUNTIME_DIR), 'mode: "required", spawn: false');
  const { code, err } = await running.ended;
  expect(code).toBe(1);
  expect(err).toContain("[not_found]");
  expect(err).toContain("Start aaepd serve");
});

test("gRPC without its packages is no way to a daemon, and says what to install", async () => {
  const without = `export function resolve(name, context, next) {
    if (name !== "@grpc/grpc-js") return next(name, context);
    throw Object.assign(new Error("Cannot find package '@grpc/grpc-js'"), { code: "ERR_MODULE_NOT_FOUND" });
  }`;
  const running = startAuthorProgram(
    // Node 20 has one of both functions, and later versions warn of it.
    `import * as module from "node:module";
     import { resolve } from "./without.mjs";
     if (module.registerHooks === undefined) module.register("./without.mjs", import.meta.url);
     else module.registerHooks({ resolve });
     const { grpcRpcConnector, openAgent } = await import("aaepd");
     const connectors = [{ connect: grpcRpcConnector("unix:/nowhere") }];
     const agent = await openAgent({ id: "nodder", connectors });
     console.log(agent.status.kind, agent.status.because.message);`,
    {},
    { "without.mjs": without },
  );
  expect(await running.ended).toEqual({
    code: 0,
    out: expect.stringMatching(/^silent \[usage\] Packages of gRPC are missing, .* npm install .*"@grpc\/grpc-js@/),
    err: "",
  });
});
