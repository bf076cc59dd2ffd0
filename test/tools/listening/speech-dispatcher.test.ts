// `aaepd speak` through the real Speech Dispatcher, whose module writes every word that would be heard.
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClock } from "../../../src/daemon/platform/clock.js";
import { connectSpeechDispatcher } from "../../../src/speak/ssip/speech-dispatcher.js";
import { createSsipVoice } from "../../../src/speak/ssip/ssip-voice.js";
import { eventually } from "../../cli/command-stage.js";
import { stageOf } from "../../cli/speak/speak-stage.js";
import { comparable, SESSIONS } from "../../cli/speak/spoken-sessions.js";
import { isMissing } from "../../support/missing-tool.js";
import { writtenDispatcher } from "./written-dispatcher.js";

describe.skipIf(isMissing("speech-dispatcher"))("Speech Dispatcher", () => {
  it.each(SESSIONS)("every word of a session: $name", async (session) => {
    const { words, environment } = await writtenDispatcher();
    const stage = await stageOf({ path: words, options: ["--mode", session.mode], variables: environment });
    await session.play(stage);
    const golden = readFileSync(session.golden, "utf8")
      .replace(/^([\w-]+)!?:/gm, (_, speaker) => `${speaker.toLowerCase()}:`)
      .trimEnd()
      .split("\n");
    // Words that only pass may come between, and those that were cut off.
    let found = 0;
    for (const line of comparable(stage.said())) if (line === golden[found]) found += 1;
    expect(golden.slice(found)).toEqual([]);
  });

  it("a question cuts text off, which is said again; a key answers; a killed Speech Dispatcher loses nothing", async () => {
    const speech = await writtenDispatcher();
    const variables = { ...speech.environment, PATH: "/nowhere" };
    const options = ["--mode", "sentence", "--rate", "100"];
    const { speaker, agent, hears, key } = await stageOf({ path: speech.words, options, variables });
    const session = (await agent()).session("Sort the books.");
    const long = `${"This sentence is so long that a question comes before its end, ".repeat(4)}and then it ends.`;
    await session.say([long]);
    await hears("en-us: Sort the books.");
    const asked = session.confirm({
      action: "Throw 40 books away",
      consequence: "They are gone.",
      timeout_seconds: 600,
    });
    await eventually(() => expect(speech.said().at(-1)).toMatch(/to answer\.$|^en-us: This/));
    await eventually(async () => expect((await key("answer", "reject")).code).toBe(0));
    expect(await asked).toMatchObject({ decision: "reject" });
    await hears(`en-us: ${long}`);
    await hears("aaepd: Sorter asks.");
    await speech.kill();
    session.complete("All the books are sorted now.");
    await eventually(() => expect(speaker.stderr()).toContain("Nothing can be spoken"));
    await speech.start();
    await hears("All the books are sorted now.");
  });

  it("another program that speaks goes first, and ours is told that it was cut off", async () => {
    const { path, said } = await writtenDispatcher();
    const clock = createClock();
    const voiceOf = () =>
      createSsipVoice({ clock, connect: () => connectSpeechDispatcher({ path, clock, environment: {} }) });
    const [ours, other] = [voiceOf(), voiceOf()];
    onTestFinished(() => {
      ours.close();
      other.close();
    });
    const text = (words: string) => ({ text: words, language: "en", isOwn: false, priority: "text" }) as const;
    await other.speak(text("First."));
    const spoken = ours.speak(
      text("A text that takes a while, because it has so many words that it cannot end soon, whoever speaks."),
    );
    await eventually(async () => {
      expect(await other.speak(text("A window has opened."))).toEqual({ kind: "done" });
    });
    expect(await spoken).toEqual({ kind: "cancelled" });
    expect(said().some((line) => line.startsWith("(cut) en: A text that takes"))).toBe(true);
  });
});
