// A listener that comes back wherever it was cut off, says where it was by the last cursor that it was told (R17), and answers what it is asked
// after a while.

import type { Chance } from "../../support/chance.js";
import { isQuestion } from "../../support/oracles/place-facts.js";
import type { Message, WireSniffer } from "../../support/oracles/wire-sniffer.js";
import type { MortalDaemon } from "../../support/peers/mortal-daemon.js";
import { pause } from "./agent.js";
import { type ListenerLink, type ListenerTransport, openListenerLink } from "./listener-links.js";
import { type AskedQuestion, heardOf, type Listening, outcomeLine, type PlaceTold } from "./record.js";

export interface ListenerOptions {
  readonly name: string;
  readonly transport: ListenerTransport;
  readonly capabilities: Message;
  readonly isExact: boolean;
  readonly wants?: (type: string) => boolean;
  /** How often in a second it breaks its connection by itself. */
  readonly breaksPerSecond?: number;
  /** How long it stays away after each end, ms. Default hardly. */
  readonly awayMs?: number;
  /** How often in a second it stops reading for a while, and for how long at most, ms. Default 1000. */
  readonly stallsPerSecond?: number;
  readonly longestStallMs?: number;
  /** How often in a second it asks for its place, where the protocol has a way to. */
  readonly pingsPerSecond?: number;
  /** Longest wait before it answers, ms. */
  readonly answersWithinMs?: number;
  readonly daemon: MortalDaemon;
  readonly sniffer: WireSniffer;
  readonly chance: Chance;
  readonly questions: readonly AskedQuestion[];
  readonly accidents: string[];
  /** The last epoch of which an agent knows. */
  readonly head: () => number;
  readonly isStopping: () => boolean;
}

export interface RunningListener {
  readonly listening: Listening;
  /** Resolves when it was accepted for the first time. */
  readonly joined: Promise<void>;
  /** It was told a place: from then on nothing is lost to it. */
  readonly hasPlace: () => boolean;
  readonly connections: () => number;
  readonly heardCount: () => number;
  /** Stays there from now on, and reads all the time. */
  readonly calmDown: () => void;
  readonly ended: Promise<void>;
}

const LOOK_MS = 4;
const RETRY_MS = 20;

export function startListener(options: ListenerOptions): RunningListener {
  const { name, transport, capabilities, isExact, daemon, sniffer, chance, accidents } = options;
  const { wants = () => true, awayMs = 0, answersWithinMs = 1200, longestStallMs = 1000 } = options;
  const listening: Listening = { name, isExact, wants, log: [] };
  const { log } = listening;
  let cursor: string | undefined;
  let connections = 0;
  let heardCount = 0;
  let replies = 0;
  let isCalm = false;
  let tellJoined: () => void = () => {};
  const joined = new Promise<void>((resolve) => {
    tellJoined = resolve;
  });

  const request = (): Message => ({
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: name,
    capabilities: { ...capabilities, aaepd: { checkpoints: true } },
    ...(cursor === undefined ? {} : { extensions: { aaepd: { resume_after: cursor } } }),
  });

  const noteBoot = (run: number, { honored_capabilities: honored }: Message): void => {
    const { resumed, cursor: first } = (honored as { readonly aaepd?: Message }).aaepd ?? {};
    const how = typeof resumed === "string" ? resumed : undefined;
    connections += 1;
    log.push({ kind: "joined", connection: connections, run, named: cursor, resumed: how });
    notePlace(first, "accepted");
    tellJoined();
  };

  const notePlace = (place: unknown, by: PlaceTold["by"]): void => {
    if (typeof place !== "string") return;
    log.push({ kind: "place", cursor: place, by, head: options.head() });
    cursor = place;
  };

  const take = (link: ListenerLink, run: number): void => {
    for (const message of link.take()) {
      const { type } = message;
      if (type === "subscription.accepted") noteBoot(run, message);
      else if (type === "aaepd.checkpoint") notePlace(message.cursor, "checkpoint");
      else if (type === "aaep.ping") notePlace(message.cursor, "ping");
      else if (type === "subscription.close") {
        if (message.reason_code !== "producer_shutdown")
          accidents.push(`${name} was closed: ${JSON.stringify(message)}`);
        notePlace((message.extensions as { readonly aaepd?: Message } | undefined)?.aaepd?.cursor, "close");
      } else if (String(type).startsWith("aaep:")) {
        heardCount += 1;
        log.push(heardOf(message, performance.now()));
        if (isQuestion(String(type))) answerLater(link, message, chance.between(0, answersWithinMs));
      }
    }
  };

  const answerLater = (link: ListenerLink, event: Message, afterMs: number): void => {
    setTimeout(() => {
      if (link.isOver()) return;
      replies += 1;
      const who = `${name} for the ${replies}th time`;
      const token = String(event.reply_token);
      const isConfirmation = event.type === "aaep:agent.awaiting.confirmation";
      const decision = chance.isLikely(0.5) ? "accept" : "reject";
      const common = { reply_token: token, timestamp: new Date().toISOString() };
      const reply = isConfirmation
        ? { ...common, type: "confirmation.reply", decision, decided_by: who }
        : { ...common, type: "clarification.reply", response: who };
      const outcome = isConfirmation
        ? outcomeLine({ decision, resolved_by: "reply", decided_by: who })
        : outcomeLine({ response: who, resolved_by: "reply" });
      link.reply(reply).then(
        (hasCounted) => {
          const question = options.questions.find((one) => one.token === token);
          if (hasCounted === true) question?.countedReplies.push(outcome);
        },
        () => {},
      );
    }, afterMs);
  };

  const listen = async (): Promise<void> => {
    await daemon.up();
    const run = daemon.run();
    const link = await openListenerLink(transport, daemon, sniffer);
    try {
      const answer = await link.subscribe(request());
      // A daemon that stops says so to who asks meanwhile.
      if (answer.code === "shutting_down" || answer.reason_code === "transport_unavailable") return;
      if (answer.type !== "subscription.accepted")
        accidents.push(`${name} was not accepted: ${JSON.stringify(answer)}`);
      while (!link.isOver() && !options.isStopping()) {
        await pause(LOOK_MS);
        take(link, run);
        const share = LOOK_MS / 1000;
        if (chance.isLikely((options.pingsPerSecond ?? 0) * share)) link.ping();
        if (!isCalm && chance.isLikely((options.breaksPerSecond ?? 0) * share)) break;
        if (!isCalm && chance.isLikely((options.stallsPerSecond ?? 0) * share)) {
          link.stopReading();
          await pause(chance.between(100, longestStallMs));
          link.readOn();
        }
      }
    } finally {
      await link.vanish();
      take(link, run);
      log.push({ kind: "left", at: performance.now() });
    }
  };

  const run = async (): Promise<void> => {
    while (!options.isStopping()) {
      // Nobody there, or cut off: both are what it is for.
      await listen().catch(() => {});
      await pause(isCalm ? RETRY_MS : chance.between(0, RETRY_MS) + awayMs);
    }
  };

  return {
    listening,
    joined,
    hasPlace: () => cursor !== undefined,
    connections: () => connections,
    heardCount: () => heardCount,
    calmDown: () => {
      isCalm = true;
    },
    ended: run(),
  };
}
