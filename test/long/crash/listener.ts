// A listener that comes back wherever it was cut off, says where it was (R17), and answers what it is asked after a while.

import type { Message, WireSniffer } from "../../support/oracles/wire-sniffer.js";
import type { MortalDaemon } from "../../support/peers/mortal-daemon.js";
import { placeOf } from "../../support/peers/returning.js";
import { pause } from "./agent.js";
import { type ListenerLink, type ListenerTransport, openListenerLink } from "./listener-links.js";
import type { Chance } from "./random.js";
import { type AskedQuestion, heardOf, isQuestion, isTerminal, type Listening, outcomeLine } from "./record.js";

export interface ListenerOptions {
  readonly name: string;
  readonly transport: ListenerTransport;
  readonly capabilities: Message;
  readonly resumesBy: "event" | "session";
  readonly isExact: boolean;
  readonly wants?: (type: string) => boolean;
  /** How often in a second it breaks its connection by itself. */
  readonly breaksPerSecond?: number;
  /** How long it stays away after each end, ms. Default hardly. */
  readonly awayMs?: number;
  /** How often in a second it stops reading for a while. */
  readonly stallsPerSecond?: number;
  /** Longest wait before it answers, ms. */
  readonly answersWithinMs?: number;
  readonly daemon: MortalDaemon;
  readonly sniffer: WireSniffer;
  readonly chance: Chance;
  readonly questions: readonly AskedQuestion[];
  readonly accidents: string[];
  readonly isStopping: () => boolean;
}

export interface RunningListener {
  readonly listening: Listening;
  /** Resolves when it has subscribed for the first time. */
  readonly joined: Promise<void>;
  readonly connections: () => number;
  /** Stays there from now on, and reads all the time. */
  readonly calmDown: () => void;
  readonly ended: Promise<void>;
}

const LOOK_MS = 4;
const RETRY_MS = 20;
/** Ended sessions that are still named when it comes back: their ends may overtake what was said before. */
const REMEMBERED_ENDED = 200;

export function startListener(options: ListenerOptions): RunningListener {
  const { name, transport, capabilities, resumesBy, isExact, daemon, sniffer, chance, accidents } = options;
  const { wants = () => true, awayMs = 0, answersWithinMs = 1200 } = options;
  const canAnswer = (type: string): boolean =>
    type === "aaep:agent.awaiting.confirmation"
      ? capabilities.supports_confirmation_reply === true
      : capabilities.supports_clarification_reply === true;
  const listening: Listening = { name, isExact, resumesBy, wants, canAnswer, heard: [] };
  const lastIds = new Map<string, string>();
  const endedSessions = new Set<string>();
  const ids = new Set<string>();
  let lastId: string | undefined;
  let connections = 0;
  let replies = 0;
  let isCalm = false;
  let tellJoined: () => void = () => {};
  const joined = new Promise<void>((resolve) => {
    tellJoined = resolve;
  });

  const request = (): Message => {
    const point = resumesBy === "event" ? lastId : lastIds.size > 0 ? Object.fromEntries(lastIds) : undefined;
    return {
      type: "subscription.request",
      aaep_version: "1.0.0",
      subscriber_id: name,
      capabilities,
      ...(point === undefined ? {} : { extensions: { aaepd: { resume_after: point } } }),
    };
  };

  const take = (link: ListenerLink, run: number): void => {
    const { events, closings } = link.take();
    for (const event of events) {
      const heard = heardOf(event, connections, run);
      listening.heard.push(heard);
      // A repeat does not say where it is: what came after it has been received.
      if (!ids.has(heard.id)) note(heard.id, heard.sessionId, heard.type);
      if (isQuestion(heard.type)) answerLater(link, event, chance.between(0, answersWithinMs));
    }
    for (const closing of closings) {
      if (closing.reason_code !== "producer_shutdown") accidents.push(`${name} was closed: ${JSON.stringify(closing)}`);
      lastId = placeOf(closing) ?? lastId;
    }
  };

  const note = (id: string, sessionId: string, type: string): void => {
    ids.add(id);
    lastId = id;
    lastIds.set(sessionId, id);
    if (!isTerminal(type)) return;
    endedSessions.add(sessionId);
    if (endedSessions.size <= REMEMBERED_ENDED) return;
    for (const oldest of endedSessions) {
      endedSessions.delete(oldest);
      lastIds.delete(oldest);
      break;
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
        (fate) => {
          const question = options.questions.find((one) => one.token === token);
          if (fate === "counted") question?.countedReplies.push(outcome);
        },
        () => {},
      );
    }, afterMs);
  };

  const listen = async (): Promise<void> => {
    await daemon.up();
    const run = daemon.run();
    const link = await openListenerLink(transport, daemon, sniffer, name);
    connections += 1;
    try {
      const answer = await link.subscribe(request());
      // A daemon that stops says so to who asks meanwhile.
      if (answer.code === "shutting_down" || answer.reason_code === "transport_unavailable") return;
      if (answer.type !== "subscription.accepted")
        accidents.push(`${name} was not accepted: ${JSON.stringify(answer)}`);
      tellJoined();
      while (!link.isOver() && !options.isStopping()) {
        await pause(LOOK_MS);
        take(link, run);
        const share = LOOK_MS / 1000;
        if (!isCalm && chance.isLikely((options.breaksPerSecond ?? 0) * share)) break;
        if (!isCalm && chance.isLikely((options.stallsPerSecond ?? 0) * share)) {
          link.stopReading();
          await pause(chance.between(100, 1000));
          link.readOn();
        }
      }
    } finally {
      await link.vanish();
      take(link, run);
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
    connections: () => connections,
    calmDown: () => {
      isCalm = true;
    },
    ended: run(),
  };
}
