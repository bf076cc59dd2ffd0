// R19: `aaepd tail --interactive` asks to be told of answers that do not count, and tells the person. The producer is the test's own: with a real one
// it is chance whether an answer comes too late.
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { registerTail } from "../../../src/cli/tail/tail.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, eventually, run } from "../command-stage.js";

type Message = Readonly<Record<string, unknown>>;

const QUESTION = {
  "@context": "https://aaep-protocol.org/context/v1",
  type: "aaep:agent.awaiting.clarification",
  event_id: "evt_q",
  session_id: "sess_1",
  producer: { agent_id: "bank" },
  urgency: "critical",
  question: "Which account?",
  accepted_response_kinds: ["freetext"],
  reply_token: "rpl_1",
  timeout_seconds: 300,
};

/** Takes no reply, and says so. `isOpen` is how it answers the question for what is open. */
async function producer(isOpen: () => boolean) {
  const received: Message[] = [];
  const path = join(temporaryDirectory(), "test.sock");
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const say = (message: Message): void => void socket.write(`${JSON.stringify(message)}\n`);
    const question = { ...QUESTION, timestamp: new Date().toISOString() };
    createInterface({ input: socket }).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      received.push(message);
      switch (message.type) {
        case "subscription.request":
          say({
            type: "subscription.accepted",
            subscription_id: "sub_1",
            aaep_version: "1.0.0",
            producer: { agent_id: "bank" },
            honored_capabilities: {},
          });
          say(question);
          break;
        case "clarification.reply":
          say({ type: "aaepd.reply_not_taken", reply_token: message.reply_token });
          break;
        case "aaepd.list_pending":
          say({ type: "aaepd.pending", questions: isOpen() ? [question] : [] });
          break;
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { path, received };
}

async function person(path: string) {
  const stage = createStage();
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  const argv = ["--interactive", "--socket", path, "--framing", "newline"];
  const done = run(registerTail, { ...stage, io: { ...stage.io, stdin } }, ...argv);
  onTestFinished(async () => {
    stage.interrupt();
    await done;
  });
  await eventually(() => expect(stage.err()).toContain("Which account?"));
  return { stage, type: (line: string) => void stdin.write(`${line}\n`) };
}

test("an answer that did not count: the person is told, and asked again, as the question is open", async () => {
  const { path, received } = await producer(() => true);
  const one = await person(path);
  expect(received[0]).toMatchObject({ capabilities: { aaepd: { reply_status: true } } });
  one.type("the first");
  await eventually(() => expect(one.stage.err()).toContain("Question 1 is still open: the answer has not counted."));
  expect(one.stage.err().match(/Which account\?/g)).toHaveLength(2);
  one.type("the second");
  await eventually(() => expect(one.stage.err().match(/the answer has not counted/g)).toHaveLength(2));
  expect(received.flatMap(({ response }) => response ?? [])).toEqual(["the first", "the second"]);
});

test("an answer that came too late: the person is told so, and is not asked again", async () => {
  const { path } = await producer(() => false);
  const one = await person(path);
  one.type("the first");
  await eventually(() =>
    expect(one.stage.err()).toContain("Your answer to question 1 has not counted: it had ended already."),
  );
  expect(one.stage.err().match(/Which account\?/g)).toHaveLength(1);
});
