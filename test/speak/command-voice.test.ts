// Another program as the voice: the contract, with a script of Node's and real pipes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createCommandVoice } from "../../src/speak/command-voice.js";
import type { Utterance, Voice } from "../../src/speak/voice.js";
import { whenFinished } from "../support/lifetime.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const utterance = (text: string): Utterance => ({ text, language: "en", isOwn: false, priority: "text" });

/** A voice whose program does with each message what `body` says; it has `say`, which writes a line. */
function voiceOf(body: string): Voice {
  const path = join(temporaryDirectory(), "speaks.mjs");
  writeFileSync(
    path,
    `import { createInterface } from "node:readline";
const say = (one) => console.log(typeof one === "string" ? one : JSON.stringify(one));
createInterface({ input: process.stdin }).on("line", (line) => { const message = JSON.parse(line); ${body} });`,
  );
  const voice = createCommandVoice({ command: `"${process.execPath}" "${path}"`, environment: process.env });
  whenFinished(() => voice.close());
  return voice;
}

it("a line for each utterance, and done for its end", async () => {
  const voice = voiceOf(`if (message.id) { say("speaking"); say([1]); say({ done: 99 }); say({ done: message.id }); }`);
  expect([await voice.speak(utterance("One.")), await voice.speak(utterance("Two."))]).toEqual([
    { kind: "done" },
    { kind: "done" },
  ]);
});

it("the next utterance ends the one before, and so does a silence", async () => {
  const voice = voiceOf(
    `if (message.cancel) say({ cancelled: message.cancel }); if (message.text === "End.") say({ done: message.id });`,
  );
  const first = voice.speak(utterance("One."));
  const second = voice.speak(utterance("Two."));
  expect(await first).toEqual({ kind: "cancelled" });
  voice.cancel();
  expect(await second).toEqual({ kind: "cancelled" });
  expect(await voice.speak(utterance("End."))).toEqual({ kind: "done" });
});

it("a program that ends has failed, and is started again for the next utterance", async () => {
  const voice = voiceOf(`if (message.text === "Die.") process.exit(3); say({ done: message.id });`);
  expect(await voice.speak(utterance("Die."))).toMatchObject({
    kind: "failed",
    fault: { sentence: expect.stringContaining("has ended with 3") },
  });
  expect(await voice.speak(utterance("Live."))).toEqual({ kind: "done" });
});

it("a program that is not there has failed", async () => {
  const voice = createCommandVoice({ command: "/nowhere/speaks", environment: {} });
  expect(await voice.speak(utterance("One."))).toMatchObject({
    kind: "failed",
    fault: { sentence: expect.stringContaining("/nowhere/speaks") },
  });
});

it("the end of a program that was given up is no failure of the next one", async () => {
  const voice = voiceOf(`if (message.text === "Slow.") setTimeout(() => say({ done: message.id }), 500);`);
  const first = voice.speak(utterance("One."));
  voice.reset();
  expect([await first, await voice.speak(utterance("Slow."))]).toEqual([{ kind: "cancelled" }, { kind: "done" }]);
});
