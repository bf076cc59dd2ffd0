// The listener of docs/subscribing.md, run as it stands there, through kills of the daemon and of itself (R17).
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { AgentClient } from "../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../src/client/node.js";
import { eventually, runtimeEnvironment, serveProcess } from "../cli/command-stage.js";
import { docPage, projectOf } from "../support/doc-blocks.js";
import { itInFull } from "../support/extent.js";
import { type Program, startCommand } from "../support/peers/program.js";
import { type Came, RETURN_CASES } from "../support/return-cases.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const SESSION = { session_id: "sess_numbered", producer: { agent_id: "counter" } };

/** Everything that is published is numbered, texts by words in them, from 1 on. */
const numbersIn = ({ stdout }: Program): readonly number[] =>
  [...stdout().matchAll(/\bn(\d+)\b/g)].map(([, digits]) => Number(digits));

/** What comes of each case, in a session of its own. */
function messageOf(came: Came, session_id: string, number: number): object {
  if ("event" in came) return { type: "aaep:agent.progress.updated", session_id, event_id: came.event + session_id };
  if ("question" in came)
    return { type: "aaep:agent.awaiting.clarification", session_id, event_id: came.question + session_id };
  const { text, at, complete, id = `evt_t${number}` } = came;
  return { type: "aaep:agent.output.streaming", session_id, event_id: id, chunk: text, position: at, complete };
}

/** What the listener of the page prints of it. */
function lineOf(came: Came): string {
  if ("event" in came) return "progress.updated: aaep:agent.progress.updated";
  if ("question" in came) return "awaiting.clarification: aaep:agent.awaiting.clarification";
  return `output.streaming: ${came.text.trim()}`;
}

test("R12: the listener of the page drops what every client drops after a return", async () => {
  const folder = temporaryDirectory();
  const program = join(projectOf(docPage("subscribing.md"), "python", "reader.py"), "reader.py");
  const mostConnections = Math.max(...RETURN_CASES.map(({ came }) => came.length));
  let [connections, number] = [0, 0];
  /** Between the cases their names, so that what was printed can be told apart. */
  const nameOf = (index: number): object => ({
    type: "aaep:agent.session.started",
    session_id: "names",
    event_id: `evt_name${connections}_${index}`,
    summary_terse: String(index),
  });
  const server = createServer((socket) => {
    // A client that goes before it has read all resets the connection.
    socket.on("error", () => {});
    socket.once("data", () => {
      const messages = RETURN_CASES.flatMap(({ came }, index) => [
        nameOf(index),
        ...(came[connections] ?? []).map((one) => {
          number += 1;
          return messageOf(one, `sess_${index}`, number);
        }),
      ]);
      connections += 1;
      socket.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    });
  });
  onTestFinished(() => void server.close());
  await once(server.listen(join(folder, "aaepd.sock")), "listening");
  const reader = startCommand(["python3", "-S", program, join(folder, "aaepd.sock"), join(folder, "cursor")]);
  const printed = (): readonly string[] => reader.stdout().split("\n").slice(0, -1);
  const isNames = (line: string): boolean => line.startsWith("session.started: ");
  await eventually(() => expect(printed().filter(isNames)).toHaveLength(mostConnections * RETURN_CASES.length));
  await eventually(() => expect(connections).toBeGreaterThan(mostConnections));
  let current = 0;
  const lines = RETURN_CASES.map((): string[] => []);
  for (const line of printed())
    if (isNames(line)) current = Number(line.replace(/.*: /, ""));
    else lines[current]?.push(line);
  const expected = RETURN_CASES.map(({ name, news }) => [
    name,
    news.map(lineOf).filter((line) => !line.endsWith(": ")),
  ]);
  expect(RETURN_CASES.map(({ name }, index) => [name, lines[index]])).toEqual(expected);
  expect(reader.stderr()).toBe("");
});

itInFull(
  "R17: the listener of the page loses nothing in kills, and hears again only what its last checkpoint does not cover",
  async () => {
    const place = join(temporaryDirectory(), "cursor");
    const program = join(projectOf(docPage("subscribing.md"), "python", "reader.py"), "reader.py");
    const runtime = runtimeEnvironment();
    const begin = () => serveProcess(runtime.XDG_RUNTIME_DIR, "--agent-grace-seconds", "600");
    let daemon = await begin();
    const { socketPath } = daemon;
    const listeners: Program[] = [];
    const startListener = (): void => void listeners.push(startCommand(["python3", "-S", program, socketPath, place]));
    const listener = (): Program => listeners.at(-1) as Program;
    const heard = (): readonly number[] => listeners.flatMap(numbersIn);
    startListener();
    await eventually(() => expect(existsSync(place)).toBe(true));

    const agent = await AgentClient.open(ipcRpcConnector(socketPath));
    onTestFinished(() => agent.close());
    const publish = (kind: string, fields: object): Promise<unknown> =>
      agent.publish({ type: `aaep:agent.${kind}`, ...SESSION, ...fields });
    let [isEnough, number, acknowledged] = [false, 0, 0];
    const numbered = (kind: string, words: (name: string) => object): void => {
      number += 1;
      void publish(kind, words(`n${number}`)).then(() => {
        acknowledged += 1;
      });
    };
    /** A call of a tool, and an output in pieces; each piece begins the next sentence, or its next part. */
    const round = (id: number): void => {
      const call = { tool: "count", tool_call_id: `call_${id}` };
      numbered("tool.invoked", (name) => ({ ...call, summary_normal: `Begins ${name}.` }));
      numbered("tool.completed", (name) => ({ ...call, status: "success", summary_normal: `Ends ${name}.` }));
      const output = { output_id: `out_${id}`, complete: false };
      for (const end of [".", ",", "."])
        numbered("output.streaming", (name) => ({ ...output, chunk: `counts ${name}${end} It ` }));
      void publish("output.streaming", { ...output, chunk: "", complete: true });
    };
    const speak = async (): Promise<void> => {
      await publish("session.started", { summary_normal: "Counts." });
      for (let id = 1; !isEnough; id += 1) {
        round(id);
        // So many wait for their answers at a time, also while the daemon is away.
        do await delay(20);
        while (number - acknowledged > 50);
      }
      await publish("session.completed", { summary_normal: "Counted." });
    };
    const spoken = speak();

    const kept = (): string => readFileSync(place, "utf8");
    const nextCheckpoint = async (): Promise<void> => {
      const before = kept();
      await eventually(() => expect(kept()).not.toBe(before));
    };
    /** Until it has heard something since its last checkpoint. */
    const uncovered = async (): Promise<void> => {
      for (;;) {
        const [now, count] = [kept(), heard().length];
        do await delay(5);
        while (heard().length === count && kept() === now);
        // On a busy machine the checkpoint of what was heard may be there, too.
        if (kept() === now) return;
      }
    };
    const killListener = async (): Promise<readonly number[]> => {
      listener().child.kill("SIGKILL");
      await listener().ended;
      return heard();
    };

    await nextCheckpoint();
    await daemon.kill();
    daemon = await begin();
    await nextCheckpoint();
    await uncovered();
    const before = await killListener();
    startListener();
    await nextCheckpoint();
    isEnough = true;
    await spoken;
    await eventually(() => expect(listener().stdout()).toContain("session.completed: Counted."));
    await killListener();
    await agent.close();
    await daemon.stop();

    // Nothing is missing, and nothing stands before what came before it.
    expect(acknowledged).toBe(number);
    expect([...new Set(heard())]).toEqual(Array.from({ length: number }, (_, index) => index + 1));
    // What the second listener heard again is the end of what the first one had heard, in its order, and not all of it.
    const again = heard()
      .slice(before.length)
      .filter((one) => before.includes(one));
    expect(again.length).toBeGreaterThan(0);
    expect(again).toEqual([...new Set(before)].slice(-again.length));
    expect(again.length).toBeLessThan(new Set(before).size);
    // Nobody listens at the socket for a while; a line cut off in the middle is none.
    for (const { stderr } of listeners) expect(stderr()).not.toContain("Traceback");
  },
  180_000,
);
