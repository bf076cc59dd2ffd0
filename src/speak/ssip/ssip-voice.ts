// Speech Dispatcher as a voice. It uses neither PAUSE, after which version 0.11 is silent, nor marks within a text, of which it loses some.
import type { Duplex } from "node:stream";
import { Fault, faultFrom } from "../../base/errors.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Utterance, Voice } from "../voice.js";
import { SsipConnection } from "./ssip-connection.js";

export interface SsipVoiceOptions {
  /** The signal ends the attempt. */
  readonly connect: (signal: AbortSignal) => Promise<Duplex>;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  /** From -100 to 100. Default: the user's own. */
  readonly rate?: number | undefined;
  readonly volume?: number | undefined;
  /** The name of a voice of the synthesizer. Default: the user's own. */
  readonly voice?: string | undefined;
}

/** The pitch of the daemon's own words and of those of agents, from -100 to 100. No text of an agent can change it. */
const OWN_PITCH = -40;
const AGENTS_PITCH = 0;
/** An utterance waits while others speak. Whether Speech Dispatcher is still there is asked that often meanwhile. */
const ASKED_EVERY_MS: Millis = 5000;

export function createSsipVoice({ connect, clock, rate, volume, voice }: SsipVoiceOptions): Voice {
  let opening: Promise<SsipConnection> | undefined;
  let attempt = new AbortController();
  /** The settings that the connection has by now. */
  let told: readonly string[] = [];

  async function open(): Promise<SsipConnection> {
    attempt = new AbortController();
    const connection = new SsipConnection(await connect(attempt.signal), clock);
    told = [];
    await connection.command("SET SELF CLIENT_NAME aaepd:speak:main");
    await connection.command("SET SELF NOTIFICATION ALL on");
    const wanted = [
      ...(rate === undefined ? [] : [`SET SELF RATE ${rate}`]),
      ...(volume === undefined ? [] : [`SET SELF VOLUME ${volume}`]),
      ...(voice === undefined ? [] : [`SET SELF SYNTHESIS_VOICE ${voice}`]),
    ];
    for (const line of wanted) await connection.command(line).catch(() => {});
    return connection;
  }

  function connected(): Promise<SsipConnection> {
    if (opening === undefined) {
      const mine = open();
      opening = mine;
      const forget = (): void => {
        if (opening === mine) opening = undefined;
      };
      mine.then(({ closed }) => closed.then(forget), forget);
    }
    return opening;
  }

  /** Asks again and again, until the returned function is called: the connection ends if there is no answer. */
  function keepAsking(connection: SsipConnection): () => void {
    let isOver = false;
    let cancelTimer = (): void => {};
    const wait = (): void => {
      if (!isOver) cancelTimer = clock.wakeAt(clock.now() + ASKED_EVERY_MS, ask);
    };
    const ask = (): void => void connection.command("GET OUTPUT_MODULE").then(wait, wait);
    wait();
    return () => {
      isOver = true;
      cancelTimer();
    };
  }

  function close(): void {
    attempt.abort(given());
    opening?.then(
      (connection) => connection.close(given()),
      () => {},
    );
    opening = undefined;
  }

  return {
    open: async () => void (await connected()),
    speak: async ({ text, language, isOwn, priority }: Utterance, onBegun) => {
      let stopAsking = (): void => {};
      try {
        const connection = await connected();
        const settings = [
          `SET SELF PRIORITY ${priority}`,
          // A line break in the tag of an agent would be the end of the command.
          `SET SELF LANGUAGE ${language.replace(/[^A-Za-z0-9-]/g, "")}`,
          `SET SELF PITCH ${isOwn ? OWN_PITCH : AGENTS_PITCH}`,
        ];
        const changed = settings.filter((line) => !told.includes(line));
        told = settings;
        const message = await connection.speak(text, changed);
        stopAsking = keepAsking(connection);
        const end = await connection.ended(message, () => {
          stopAsking();
          onBegun?.();
        });
        return { kind: end === "END" ? "done" : "cancelled" };
      } catch (caught) {
        return { kind: "failed", fault: faultFrom(caught) };
      } finally {
        stopAsking();
      }
    },
    cancel: () => void opening?.then((connection) => connection.command("CANCEL SELF")).catch(() => {}),
    reset: close,
    close,
  };
}

function given(): Fault {
  return new Fault("cancelled", "The connection to Speech Dispatcher was given up.", { origin: "local" });
}
