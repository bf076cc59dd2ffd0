// Joins the parts of the listener that speaks: the daemons, the narrator, the queue, the voice and the keys.
import type { Command } from "commander";
import type { Envelope } from "#gen/aaep/types.js";
import { assertNotBelowAgent } from "../../adapters/host-marks.js";
import { faultFrom, usage } from "../../base/errors.js";
import { BrailleDisplay } from "../../braille/braille-display.js";
import { brlttyOf } from "../../braille/brltty.js";
import { isCritical } from "../../client/event-types.js";
import type { ReceivedEvent } from "../../client/events.js";
import { subscribe } from "../../client/listener/subscribe.js";
import type { Terms } from "../../client/listener/terms.js";
import type { Source, SubscriberState, Subscription } from "../../client/listener/types.js";
import { ipcConnector } from "../../client/node.js";
import { createCommandVoice } from "../../speak/command-voice.js";
import { SpeechQueue } from "../../speak/speech-queue.js";
import { connectSpeechDispatcher, speechDispatcherPath } from "../../speak/ssip/speech-dispatcher.js";
import { createSsipVoice } from "../../speak/ssip/ssip-voice.js";
import type { Voice } from "../../speak/voice.js";
import { followedDaemons, isFrom } from "../shell/daemons-from.js";
import { chosenSocket, connectingTo } from "../shell/find-socket.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import { stateInWords } from "../shell/tail-states.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";
import { KeyActions } from "./key-actions.js";
import { keySocketPath } from "./key-place.js";
import { listenForKeys } from "./key-socket.js";
import type { Mode } from "./narration-table.js";
import { Narrator, type NarratorOptions } from "./narrator.js";
import { applySpeakFile } from "./speak-file.js";
import { createSpokenQuestions, type SpokenQuestions } from "./spoken-questions.js";

interface SpeakOptions {
  readonly mode: Mode;
  readonly aloud: NarratorOptions["aloud"];
  readonly rate?: number;
  readonly volume?: number;
  readonly voice?: string;
  readonly code: "announce" | "read" | "skip";
  readonly links: "text" | "host" | "full";
  readonly emoji: "name" | "drop";
  readonly to?: readonly string[];
  readonly speech: boolean;
  readonly braille?: boolean;
  readonly socket?: string;
  readonly from?: readonly string[];
  readonly local?: true;
}

export function runSpeak(command: Command, io: CommandIo): Promise<void> {
  return runCommand(io, async () => {
    assertNotBelowAgent(io.environment);
    applySpeakFile(command, io);
    return speakOn(command.opts<SpeakOptions>(), io);
  });
}

async function speakOn(options: SpeakOptions, io: CommandIo): Promise<ExitCode> {
  const { clock } = io;
  const status = createLineWriter(io.stderr);
  const report = (text: string): void => void status.write(shownText(text));
  const voice = voiceOf(options, io);
  const questions = createSpokenQuestions(clock);
  const queue: SpeechQueue = new SpeechQueue({
    voice,
    clock,
    onSilent: ({ sentence }) => report(`Nothing can be spoken: ${sentence} Trying again every 30 seconds.`),
    onHeard: () => report("Speaking again."),
    onUnbegun: () =>
      report("Speech Dispatcher has not begun to speak for 30 seconds. Another program speaks, or has paused it."),
    onParked: () => report("Another program speaks. The rest waits for: aaepd resume"),
  });
  const { mode, aloud, code, links, emoji } = options;
  const display =
    options.braille === true ? new BrailleDisplay({ brltty: brlttyOf(io.environment), clock, report }) : undefined;
  const isReadOnly = !options.speech;
  const narrator = new Narrator({
    ...{ display, isReadOnly },
    ...{ queue, questions, clock, mode, aloud, speakable: { code, links, emoji } },
    placeOf: (event) => {
      const source = subscription.sourceOf(event);
      return source !== undefined && isFrom(source) ? source.label : "";
    },
  });
  const subscription: Subscription = subscribe(daemonsOf(options, io, report), TERMS, {
    id: `aaepd-speak-${io.ids.hex(4)}`,
    name: "aaepd speak",
    timers: clock,
    onCritical: (event) => narrator.heard(event),
    onState: createStates({
      ...{ report, narrator, questions },
      openQuestions: () => subscription.listPending(),
      nameOf: (event) => subscription.sourceOf(event)?.name,
    }),
    onError: ({ answers, code, message }) => {
      if (answers !== "aaepd.stop") report(`The daemon did not accept a message: ${message}`);
      else
        narrator.tell(
          code === "unsupported" ? "It cannot be stopped from here. Use its own window." : "It has ended already.",
        );
    },
    onReplyNotTaken: (token) => narrator.tellNotTaken(token),
  });
  const keys = new KeyActions({ queue, narrator, questions, subscription, display, isReadOnly, clock });
  let stopKeys: () => Promise<void> = async () => {};
  const cancelInterrupt = io.onInterrupt(() => {
    // Its room is there then, for which the loop may wait.
    queue.close();
    void subscription.close();
  });
  voice.open?.().catch((caught) => {
    const { code, sentence } = faultFrom(caught);
    if (code !== "cancelled") report(`Nothing can be spoken yet: ${sentence}`);
  });
  try {
    stopKeys = await listenForKeys(
      keySocketPath(io.environment),
      (message, processId) => keys.pressed(message, processId),
      clock,
    );
    for await (const event of subscription) {
      if (!subscription.isRepeated(event)) {
        narrator.finishTexts(event);
        // Critical events were heard as soon as they came.
        if (!isCritical(event)) narrator.heard(event);
      }
      await queue.room();
    }
    return EXIT.ok;
  } finally {
    cancelInterrupt();
    narrator.close();
    queue.close();
    voice.cancel();
    voice.close();
    await Promise.all([stopKeys(), subscription.close(), display?.close()]);
    await status.flush();
  }
}

function daemonsOf({ socket: given, from, local }: SpeakOptions, io: CommandIo, report: (text: string) => void) {
  const socket = from === undefined ? chosenSocket(given, io.environment) : undefined;
  if (socket !== undefined)
    return { name: socket.path, label: "the daemon", connect: connectingTo(socket, ipcConnector(socket.path)) };
  let hasLooked = false;
  const onLooked = (daemonCount: number): void => {
    if (!hasLooked && daemonCount === 0)
      report(
        "No daemon runs yet; waiting for one. To start one: aaepd setup, or in a terminal of its own: aaepd serve",
      );
    hasLooked = true;
  };
  const warn = (sentence: string): void => void io.stderr.write(`${shownText(sentence)}\n`);
  return followedDaemons({ from, local, onLooked, warn }, io);
}

const TERMS: Terms = {
  supports_confirmation_reply: true,
  supports_clarification_reply: true,
  coalesce_boundaries: ["sentence", "completion"],
};

function voiceOf({ to, speech, rate, volume, voice }: SpeakOptions, { environment, clock }: CommandIo): Voice {
  if (!speech) return SILENCE;
  if (to === undefined) {
    const path = speechDispatcherPath(environment);
    return createSsipVoice({
      clock,
      rate,
      volume,
      voice,
      connect: (signal) => connectSpeechDispatcher({ path, clock, environment }, signal),
    });
  }
  const [way, command, ...more] = to;
  if (way === "command" && command?.trim() && more.length === 0) return createCommandVoice({ command, environment });
  throw usage("Give --to command and a program, in quotes if it has arguments.");
}

const SILENCE: Voice = {
  speak: async (_, onBegun) => {
    onBegun?.();
    return { kind: "done" };
  },
  cancel: () => {},
  reset: () => {},
  close: () => {},
};

interface StatesOptions {
  readonly report: (text: string) => void;
  readonly narrator: Narrator;
  readonly questions: SpokenQuestions;
  readonly openQuestions: () => Promise<readonly ReceivedEvent[]>;
  /** The name of the daemon that an event comes from. */
  readonly nameOf: (event: Envelope) => string | undefined;
}

/** Tells each connection that is made, lost or found again, once. */
function createStates({ report, narrator, questions, openQuestions, nameOf }: StatesOptions) {
  const waiting = new Set<string>();
  const known = new Set<string>();

  /** Forgets questions that ended while nobody here could hear it. */
  async function compare(name: string): Promise<void> {
    const before = questions.open().filter(({ asked }) => nameOf(asked.event) === name);
    if (before.length === 0) return;
    const open = new Set(
      (await openQuestions()).map((event) => (event as { readonly reply_token?: unknown }).reply_token),
    );
    for (const one of before) if (!open.has(one.asked.token)) narrator.endUnheard(one);
  }

  return (state: SubscriberState, { name, label }: Source): void => {
    if (state.kind === "waiting" && waiting.has(name) && state.because.kind === "fault") return;
    const words = stateInWords(state, label);
    if (words !== "") report(`${label}: ${words}`);
    if (state.kind === "waiting") {
      if (!waiting.has(name))
        narrator.tell(known.has(name) ? `The daemon ${label} has gone.` : `${label} does not answer yet.`);
      waiting.add(name);
    }
    if (state.kind !== "active") return;
    if (waiting.delete(name)) narrator.tell(known.has(name) ? `The daemon ${label} is back.` : `${label} answers now.`);
    known.add(name);
    if (state.isResumed) compare(name).catch(() => {});
  };
}
