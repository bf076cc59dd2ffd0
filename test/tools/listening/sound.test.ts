// What is heard of `aaepd speak`: the real Speech Dispatcher and eSpeak NG play into a null sink of PulseAudio, which is recorded.
import { expect, it } from "vitest";
import { startDispatcher, startRecorder, startSink } from "../../../bench/sound.mjs";
import { eventually } from "../../cli/command-stage.js";
import { stageOf } from "../../cli/speak/speak-stage.js";
import { whenFinished } from "../../support/lifetime.js";
import { isMissing } from "../../support/missing-tool.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

/** No silence within a speech is as long, ms. */
const SILENCE_MS = 2000;

it.skipIf(["speech-dispatcher", "parec"].some(isMissing))(
  "a text is heard until hush, and a question over a text until mute",
  async () => {
    const folder = temporaryDirectory();
    const sink = await startSink(folder);
    whenFinished(sink.stop);
    const dispatcher = await startDispatcher(folder, sink);
    whenFinished(dispatcher.stop);
    const recorder = startRecorder(sink);
    whenFinished(recorder.stop);
    const isHeard = (from: number) => eventually(() => expect(recorder.first(from)).toBeDefined());
    const isSilent = () => eventually(() => expect(performance.now() - recorder.last(0)).toBeGreaterThan(SILENCE_MS));

    const variables = { SPEECHD_ADDRESS: `unix_socket:${dispatcher.path}` };
    const { agent, key } = await stageOf({ path: folder, options: ["--mode", "sentence"], variables });
    const session = (await agent("Sheila")).session("Mows.");
    await isSilent();
    // Minutes of vowels, without one hiss.
    const long = ["A new moon may loom low in an aerial lane all morning. ".repeat(100)];
    const begin = performance.now();
    await session.say(long);
    await isHeard(begin);
    await key("hush");
    await isSilent();

    const again = performance.now();
    await session.say(long);
    await isHeard(again);
    expect(recorder.firstHiss(again)).toBeUndefined();
    void session.confirm({ action: "Sheila mows", consequence: "Short grass.", timeout_seconds: 600 }).catch(() => {});
    await eventually(() => expect(recorder.firstHiss(again)).toBeDefined());

    await key("mute");
    await isSilent();
  },
);
