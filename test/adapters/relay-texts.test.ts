// The text of a producer elsewhere, which comes in many small pieces.
import { expect, it, onTestFinished } from "vitest";
import { speechOf } from "../../src/adapters/language.js";
import { PerMinute } from "../../src/adapters/relay/per-minute.js";
import { Relay } from "../../src/adapters/relay/relay.js";
import { AgentClient } from "../../src/client/agent/agent-client.js";
import type { ReceivedEvent } from "../../src/client/events.js";
import { ipcRpcConnector } from "../../src/client/node.js";
import { PLATFORM_TIMERS } from "../../src/client/timers.js";
import { eventually, runCommandLine, serve, startCommandLine } from "../cli/command-stage.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { chunkOf, listen, type Producer, produce, relaysOf } from "./relay-stage.js";

function says({ says: say }: Producer, from: number, to: number): void {
  for (let word = from; word < to; word += 1)
    say("output.streaming", { output_id: `out_${from}`, chunk: `w${word} `, complete: false });
}

const words = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `w${from + index} `).join("");

const told = (heard: readonly ReceivedEvent[]): string =>
  heard
    .map(chunkOf)
    .filter((chunk) => typeof chunk === "string")
    .join("");

it("what is said too often is left out until the minute is over", () => {
  const most = new PerMinute(2);
  expect([0, 1, 60_000, 60_001, 60_002, 60_003].map((now) => most.take(now))).toEqual([
    true,
    true,
    false,
    true,
    true,
    false,
  ]);
});

it("a piece of text waits for no answer to the piece before it", async () => {
  const { base, producer } = await produce();
  const daemon = await serve(temporaryDirectory());
  const heard = await listen(daemon);
  const client = await AgentClient.open(ipcRpcConnector(daemon.socketPath));
  onTestFinished(() => client.close());
  let answerTexts = (): void => {};
  const mayAnswer = new Promise<void>((resolve) => {
    answerTexts = resolve;
  });
  const relay = new Relay({
    base,
    client: {
      confirm: (question) => client.confirm(question),
      clarify: (question) => client.clarify(question),
      cancel: (token) => client.cancel(token),
      publish: async (event) => {
        const result = await client.publish(event);
        if ("chunk" in (event as object)) await mayAnswer;
        return result;
      },
    },
    words: speechOf("en", {}).words,
    timers: PLATFORM_TIMERS,
    chance: Math.random,
    mayOpen: async () => {},
    onNews: () => {},
  });
  const running = relay.run();
  onTestFinished(async () => {
    relay.close();
    await running;
  });
  await eventually(() => expect(producer.posted.length).toBe(1));
  // A place that only daemons name.
  producer.saysText(`id: c1.${"0".repeat(32)}.7\n\n`);
  producer.says("session.started", { summary_normal: "Reads." });
  await eventually(() => expect(heard.length).toBe(1));
  says(producer, 0, 100);
  await eventually(() => expect(told(heard)).toContain("w1 "));
  answerTexts();
  producer.says("session.completed", { summary_normal: "The end." });
  await eventually(() => expect(heard.at(-1)?.summary_normal).toBe("The end."));
  expect(told(heard)).toBe(words(0, 100));
});

it("the order stays where pieces come under ids that are taken", async () => {
  const { base, producer } = await produce();
  const daemon = await serve(temporaryDirectory());
  const heard = await listen(daemon);
  const relay = startCommandLine(["relay", base], { environment: daemon.environment });
  await eventually(() => expect(producer.posted.length).toBe(1));
  producer.says("session.started", { summary_normal: "Reads.", session_id: "sess_one" });
  const piece = (session_id: string, id: number, chunk: string): void =>
    producer.says("output.streaming", {
      session_id,
      event_id: `evt_${id}`,
      output_id: "out_1",
      chunk,
      complete: false,
    });
  for (const id of [1, 2, 3]) piece("sess_one", id, `one${id} `);
  producer.says("session.started", { summary_normal: "Again.", session_id: "sess_two" });
  for (const id of [1, 2, 3, 4, 5, 6]) piece("sess_two", id, `w${id - 1} `);
  producer.says("session.completed", { session_id: "sess_two", summary_normal: "The end." });
  await eventually(() => expect(heard.at(-1)?.summary_normal).toBe("The end."));
  expect(told(heard)).toContain(words(0, 6));
  relay.signal("SIGTERM");
});

it("no piece is lost where the daemon has lost the session", async () => {
  const { base, producer } = await produce();
  const directory = temporaryDirectory();
  const one = await serve(directory, "--journal", "memory");
  const heard = await listen(one);
  const relay = startCommandLine(["relay", base], { environment: one.environment });
  await eventually(() => expect(producer.posted.length).toBe(1));
  producer.says("session.started", { summary_normal: "Reads." });
  says(producer, 0, 100);
  await eventually(() => expect(told(heard)).toBe(words(0, 100)));
  await one.stop();
  const two = await serve(directory, "--journal", "memory");
  await eventually(async () => expect((await relaysOf(two)).length).toBe(1));
  await eventually(async () =>
    expect((await runCommandLine(["status"], two.environment)).stdout).toContain("Subscriptions: 1"),
  );
  says(producer, 100, 200);
  await eventually(() => expect(told(heard)).toBe(words(0, 200)));
  relay.signal("SIGTERM");
});
