// An agent is never in the way of its program: it ends nobody's process, and keeps nobody's process running.
import { expect, test } from "vitest";
import { eventually } from "../../cli/command-stage.js";
import { isWhole } from "../../support/extent.js";
import { accepts, listenAt, openedAt, PATIENT_MS } from "./agent-stage.js";
import { type AuthorProgram, startAuthorProgram, WAITS } from "./author-program.js";
import { SERVED_WAYS, type ServedWay, serveFor, sharedWays } from "./ways.js";

/** Of the daemon that the tests share which leave it running. */
const reach = sharedWays();
/** Of one that ends the sessions of a lost agent soon. */
const reachStrict = sharedWays("--agent-grace-seconds", "0", "--agent-idle-seconds", "1");

/** The ways take turns from test to test. */
const inTurn = (row: number): readonly ServedWay[] =>
  SERVED_WAYS.filter((_, column) => (row + column) % SERVED_WAYS.length < (isWhole ? 3 : 1));

/** Likewise, of two ends of a daemon. */
const HANGS_OR_IS_GONE = (["SIGKILL", "SIGSTOP"] as const).flatMap((how, row) =>
  inTurn(2 * row).map((way) => [way, how] as const),
);

/** Runs an author's program, in which `agent` is open. It begins when `goOn` is called. */
function host(options: string, work: string): AuthorProgram & { readonly opened: () => Promise<unknown> } {
  const program = startAuthorProgram(
    `import { readFileSync } from "node:fs";
     import { grpcRpcConnector, httpRpcConnector, ipcRpcConnector, openAgent } from "aaepd";
     const agent = await openAgent({ id: "guest", searchMs: ${PATIENT_MS}, ${options} });
     console.log(agent.status.kind);
     ${WAITS}
     ${work}
     console.log("done");`,
  );
  return { ...program, opened: async () => (await program.stdoutLines(1))[0] };
}

function connectorFor(
  way: ServedWay,
  { address, socketPath, tokenFile }: { address: string; socketPath: string; tokenFile: string },
  httpOptions = "",
) {
  const token = `token: () => readFileSync(${JSON.stringify(tokenFile)}, "utf8").trim()`;
  const connect = {
    socket: `ipcRpcConnector(${JSON.stringify(socketPath)})`,
    "gRPC, Unix socket": `grpcRpcConnector(${JSON.stringify(address)})`,
    "gRPC, TCP": `grpcRpcConnector(${JSON.stringify(address)}, { ${token} })`,
    "HTTP, Unix socket": `httpRpcConnector(${JSON.stringify(address)}, { ${httpOptions} })`,
    "HTTP, TCP": `httpRpcConnector(${JSON.stringify(address)}, { ${token}, ${httpOptions} })`,
  }[way];
  return `connectors: [{ connect: ${connect} }]`;
}

test.each(SERVED_WAYS)(
  "over %s, a program ends by itself without agent.close, and what it said is heard",
  async (way) => {
    const served = await reach(way);
    const heard = await listenAt(served.socketPath);
    const running = host(
      connectorFor(way, served),
      `await agent.session("Nods.", async (s) => { s.text("Here I am."); await s.tool("nod", async () => 1); });`,
    );
    expect(await running.opened()).toBe("connected");
    running.goOn();
    expect(await running.ended).toEqual({ code: 0, out: "connected\ndone\n", err: "" });
    await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
    expect(heard.text()).toBe("Here I am.");
  },
);

test.each(inTurn(0))("over %s, a program that waits for an answer goes on until it is there", async (way) => {
  const served = await reach(way);
  await listenAt(served.socketPath, { answer: accepts });
  const running = host(
    connectorFor(way, served),
    `const s = agent.session("Asks.");
     const { decision } = await s.confirm({ action: "A", consequence: "B" });
     console.log(decision, await s.tool("act", () => "acted", { irreversible: true }));
     s.complete();`,
  );
  expect(await running.opened()).toBe("connected");
  running.goOn();
  expect(await running.ended).toEqual({ code: 0, out: "connected\naccept acted\ndone\n", err: "" });
});

test.each(HANGS_OR_IS_GONE)(
  "over %s, a daemon that hangs or is gone keeps no program running: %s",
  async (way, how) => {
    const served = await serveFor(way);
    // The program is not freed by a time limit of its connection.
    const limitless = "timers: { now: () => 0, wakeAt: () => () => {} }";
    const running = host(
      connectorFor(way, served, limitless),
      `const s = agent.session("Nods.");
     for (let count = 0; count < 1000; count += 1) s.text("Is anybody there? ");
     s.complete();`,
    );
    expect(await running.opened()).toBe("connected");
    served.signal(how);
    running.goOn();
    expect(await running.ended).toEqual({ code: 0, out: "connected\ndone\n", err: "" });
  },
);

test.each(inTurn(0))("over %s, agent.close ends although the daemon hangs", async (way) => {
  const served = await serveFor(way);
  const { agent, troubles } = await openedAt(undefined, { connectors: [served.connector] });
  const s = agent.session("Writes.");
  s.text("Heard. ");
  await s.confirm({ action: "A", consequence: "B" });
  served.signal("SIGSTOP");
  s.text("Unheard.");
  void s.confirm({ action: "A", consequence: "B" });
  await agent.close(100);
  expect(agent.status).toEqual({ kind: "closed" });
  expect(troubles.map(({ droppedCharacters }) => droppedCharacters)).toEqual(["Unheard.".length]);
  served.signal("SIGKILL");
});

test.each(inTurn(0))("R8: over %s, the sessions of a program that is killed end", async (way) => {
  const served = await reachStrict(way);
  const heard = await listenAt(served.socketPath);
  const running = host(
    connectorFor(way, served),
    `agent.session("Goes on and on.").text("I begin.");
     await new Promise(() => setInterval(() => {}, 1000));`,
  );
  expect(await running.opened()).toBe("connected");
  running.goOn();
  await eventually(() => expect(heard.text()).toBe("I begin."));
  running.child.kill("SIGKILL");
  await eventually(() => expect(heard.lines.at(-1)).toMatch(/^session\.errored/));
  expect(heard.events.at(-1)).toMatchObject({ error_code: "AGENT_DISCONNECTED" });
});

test("many sessions and questions with one signal are no leak of listeners, and all end with it", async () => {
  const served = await reach("socket");
  const heard = await listenAt(served.socketPath, { answer: () => undefined });
  const running = host(
    connectorFor("socket", served),
    `const stop = new AbortController();
     const many = Array.from({ length: 30 }, () => agent.session("One of many.", { signal: stop.signal }));
     const asking = many.map((s) => s.confirm({ action: "A", consequence: "B" }, { signal: stop.signal }));
     agent.session("Is over.", { signal: stop.signal }).complete();
     await many[29].tool("wait", () => new Promise((resolve) => setTimeout(resolve, 100)));
     stop.abort();
     const outcomes = await Promise.all(asking);
     console.log(new Set(outcomes.map(({ resolved_by: by }) => by)));`,
  );
  await running.opened();
  running.goOn();
  expect(await running.ended).toEqual({ code: 0, out: "connected\nSet(1) { 'cancelled' }\ndone\n", err: "" });
  const count = (start: string): number => heard.lines.filter((line) => line.startsWith(start)).length;
  await eventually(() => expect(count("session.cancelled")).toBe(30));
  expect(count("session.completed")).toBe(1);
});

const MISTAKES = `
  void agent.session("Declined.", (s) => s.tool("delete", () => {}, { irreversible: true }));
  const s = agent.session("Makes mistakes.", { signal: AbortSignal.abort() });
  s.text("After its end.");
  const t = agent.session("Makes mistakes.");
  t.state("No state.");
  t.publish({ type: "aaep:agent.state.changed", from_state: "nowhere", to_state: "deciding" });
  void t.tool("delete", () => {}, { irreversible: true });
  void t.confirm({ action: "A", consequence: "B" });
  void t.clarify({ question: "" });
  for (const chunk of [undefined, null, 5, {}, Symbol("text"), ""]) t.text(chunk);
  const circle = {};
  circle.circle = circle;
  t.publish({ type: "example:thing", value: 1n });
  t.publish({ type: "example:thing", value: circle });
  t.publish({ type: "nonsense" });
  agent.session("Has no signal.", { signal: null }).complete();
  t.publish({});
  t.publish(undefined);
  void t.confirm();
  void t.clarify({ question: "Q" }, null);
  await t.tool("throw", () => { throw Object.create(null); }).catch(() => {});
  t.progress({ percent: Number.NaN });
  t.handoff({});
  void t.confirm({ action: 1n, consequence: circle });
  void t.confirm({ action: "A", consequence: "B", timeout_seconds: Number.NaN });
  await t.tool("", () => 1, { summary: "", completed: () => { throw new Error("No summary."); } });
  await t.tool("count", () => 1, { completed: () => 5, invoked: { nonsense: true } });
  t.text("Heard.");
  t.complete("x".repeat(100_000));
  t.complete();
  t.fail(circle);
  await t[Symbol.asyncDispose]?.();
  await agent.close(30_000);
  agent.session("Afterwards.").text("Unheard.");
`;
const THROWING = `
  onError: async () => { throw new Error("onError"); },
  onStatus: () => { throw new Error("onStatus"); },
  onWaiting: async () => { throw new Error("onWaiting"); }`;

test.each([undefined, ...inTurn(1)])(
  "over %s, no mistake of an author ends the program, or the session too early",
  async (way) => {
    const served = way === undefined ? undefined : await reach(way);
    const heard = served && (await listenAt(served.socketPath));
    const connectors = way === undefined || served === undefined ? "connectors: []" : connectorFor(way, served);
    const running = host(`${THROWING}, ${connectors}`, MISTAKES);
    expect(await running.opened()).toBe(way === undefined ? "silent" : "connected");
    running.goOn();
    expect(await running.ended).toMatchObject({ code: 0, out: expect.stringMatching(/done\n$/), err: "" });
    if (heard === undefined) return;
    await eventually(() =>
      expect(heard.lines.filter((line) => line.startsWith("session.completed | x"))).toHaveLength(1),
    );
    expect(heard.text()).toBe("Heard.");
    expect(heard.lines).toContain("state.changed | deciding");
    expect(heard.lines.filter((line) => line.startsWith("session.started"))).toHaveLength(4);
  },
);
