// Names that every object has, and values that refuse to become a text, in what commands read that others wrote: the files of `validate`, and the
// events of a producer that `tail` listens to.
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { registerValidate } from "../../src/cli/recordings/validate.js";
import { registerTail } from "../../src/cli/tail/tail.js";
import { createStage, run } from "../cli/command-stage.js";
import { fullDocument, hostileTexts } from "../support/hostile-documents.js";
import { flatSchemas } from "../support/schema-values.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const SCHEMAS = [...flatSchemas()].filter(([title]) => /Event$|^Subscription|Reply$/.test(title));
/** Members of the daemon that the schemas leave open, and that readers look into. */
const OWN = { aaepd: { by: "daemon", question: "x", gap: { events: 1 }, cursor: "x" } };

const MESSAGES = SCHEMAS.map(([title, schema]) => {
  const document = fullDocument(schema);
  return { title, texts: [...hostileTexts("extensions" in document ? { ...document, extensions: OWN } : document)] };
});

/** Whether a listener takes the text for an event; anything else ends its connection. */
function isEvent(text: string): boolean {
  const message = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
  return ["type", "event_id", "session_id"].every((name) => typeof message?.[name] === "string");
}

it("validate tells what is wrong, and nothing that went wrong in itself", async () => {
  for (const { title, texts } of MESSAGES) {
    const stage = createStage({ input: texts.join("\n") });
    await run(registerValidate, stage, "-");
    expect(stage.out(), title).not.toMatch(/internal|TypeError|Cannot convert|is not a function/);
    expect(stage.exitCode()).toBe(1);
  }
});

it("tail prints on to the producer's close", async () => {
  const path = join(temporaryDirectory(), "test.sock");
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      const events = MESSAGES.flatMap(({ texts }) => texts).filter(isEvent);
      const last = { event_id: "evt_last", session_id: "s", type: "x:last", summary_normal: "The last of all." };
      const terms = { subscription_id: "sub_1", aaep_version: "1.0.0", honored_capabilities: {} };
      const close = { type: "subscription.close", subscription_id: "sub_1", reason_code: "unknown" };
      const lines = [{ type: "subscription.accepted", producer: { agent_id: "a" }, ...terms }, last, close];
      const [accepted = "", ...ending] = lines.map((line) => JSON.stringify(line));
      socket.end(`${[accepted, ...events, ...ending].join("\n")}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const stage = createStage();
  await run(registerTail, stage, "--socket", path, "--no-reconnect");
  expect(stage.out()).toContain("The last of all.");
});
