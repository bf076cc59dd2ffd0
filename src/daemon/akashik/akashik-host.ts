// Akashik in the daemon: the Field with its memory, its protocol, and the sessions that feed it.
import type { AccessPolicy } from "../../contracts/access.js";
import type { TextCodec } from "../../contracts/codec.js";
import type { Journal } from "../../contracts/journal.js";
import type { Conversation } from "../../contracts/protocol.js";
import type { Connection, PeerIdentity } from "../../contracts/transport.js";
import type { Engine } from "../../engine/engine.js";
import { answerSingle, createAkashikProtocol } from "../../protocols/akashik/agent/agent-session.js";
import type { AkashikServices } from "../../protocols/akashik/agent/operations.js";
import { Field } from "../../protocols/akashik/field/field.js";
import type { Operation } from "../../protocols/akashik/messages/envelope.js";
import type { ConversationServices } from "../../runtime/conversation.js";
import { readingTurnsBeside } from "../../runtime/frame-loop.js";
import { createWaitingRoom, Exchange } from "../../runtime/run-exchange.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { createFieldKept, readKeptField } from "./kept-field.js";
import { feedSessions } from "./session-feed.js";

export interface AkashikHostServices extends Pick<ConversationServices, "clock" | "handshakeTimeoutMs" | "log"> {
  readonly engine: Engine;
  readonly journal: Pick<Journal, "durableState" | "durable" | "refusal">;
  readonly access: AccessPolicy;
  readonly codec: TextCodec<Uint8Array>;
}

const ID_BYTES = 8;

/** Opens the Field that an earlier boot has left, or an empty one. */
export function startAkashikHost(options: DaemonOptions, by: AkashikHostServices) {
  const { clock, log, journal, engine } = by;
  const { durableState } = journal;
  const newId = (): string => options.ids.hex(ID_BYTES);
  const field = new Field(
    { clock, kept: createFieldKept(durableState), newId, maxUnits: () => options.akashikMaxUnits },
    readKeptField(durableState),
  );
  const services: AkashikServices = {
    engine,
    field,
    access: by.access,
    clock,
    log,
    newId,
    whenDurable: () => journal.durable(),
    assertKeeps: () => {
      const refusal = journal.refusal();
      if (refusal !== undefined) throw refusal;
    },
    persistence: durableState.isDurable ? "durable" : "memory",
  };
  const protocol = createAkashikProtocol(services);
  const sharing = { room: createWaitingRoom(), readingTurns: readingTurnsBeside(engine.sendingTurns, clock) };
  const endFeed = feedSessions(engine, field, { clock, log });
  return {
    serve: (connection: Connection<Uint8Array>, frames = by.codec): Conversation =>
      new Exchange(connection, frames, protocol, { ...by, ...sharing }),
    /** Answers one message that has no connection. */
    answer: (text: string, operation: Operation, peer: PeerIdentity) => answerSingle(text, operation, peer, services),
    /** The Field in the status. */
    report: () => {
      const { units, conflicts, agents, subscriptions, waiting } = field.counts();
      return {
        epoch: field.epoch(),
        units,
        max_units: options.akashikMaxUnits,
        conflicts,
        agents,
        subscriptions,
        waiting_notifications: waiting,
      };
    },
    /** Ends the feed of sessions. */
    stop: endFeed,
  };
}
