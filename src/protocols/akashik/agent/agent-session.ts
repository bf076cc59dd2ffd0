// The session of one connection: one answer for each message, in the order of the messages, and notifications between them. A notification is sent
// only to a peer that takes it at once. Otherwise the Field keeps it as for an agent that is away, so that a peer that does not read costs no memory,
// and loses nothing when its connection breaks.
import { faultFrom } from "../../../base/errors.js";
import { parseJsonDocument } from "../../../base/json-document.js";
import { idIn } from "../../../base/json-members.js";
import { within } from "../../../base/time-limit.js";
import type { ExchangeHost, ExchangeProtocol, ExchangeSession } from "../../../contracts/exchange.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { Notification } from "../field/field-types.js";
import { type Address, addressOf, envelopeText, type Operation, repaired } from "../messages/envelope.js";
import { errorPayload, Refused, refusalOfFrame } from "../messages/error-codes.js";
import { isAkashik } from "../messages/protocol.js";
import { type AkashikServices, type Caller, carryOut } from "./operations.js";

/** Answers that wait for the disk or for a poll. The next message is taken when there are fewer. */
const MOST_PENDING = 16;

const NOBODY: Address = { id: null, operation: null, agentId: null, sessionId: null };

/** Operations whose answers announce notifications. */
const ANNOUNCING: ReadonlySet<string | null> = new Set(["REGISTER", "SUBSCRIBE"]);

/** The protocol of a peer whose first message is one of Akashik: each peer is an agent of the Field (R23). */
export function createAkashikProtocol(services: AkashikServices): ExchangeProtocol {
  return {
    recognizes: ({ members }) => isAkashik(members),
    open: (peer, host) => createAgentSession(services, peer, host),
  };
}

function createAgentSession(services: AkashikServices, peer: PeerIdentity, host: ExchangeHost): ExchangeSession {
  const { field, clock } = services;
  let agentId: string | undefined;
  /** Answers that announce notifications and have not been sent. Notifications come after them. */
  let announcingCount = 0;
  /** No further message is taken, and no notification is sent. */
  let isEnding = false;
  /** Answers that have not been sent. */
  let pendingCount = 0;
  let answered: Promise<void> = Promise.resolve();
  let tellRoom = (): void => {};

  const pushText = (notification: Notification): string => {
    const address = { ...NOBODY, id: services.newId(), operation: "SUBSCRIBE", agentId: agentId ?? null };
    return envelopeText(address, field.epoch(), notification);
  };

  const caller: Caller = {
    access: services.access.of(peer),
    agentId: () => agentId,
    // The Field keeps a notification that is not taken, so a peer that does not read costs no memory and loses nothing.
    push: (notification) => !isEnding && announcingCount === 0 && host.offer(pushText(notification)),
    becomes: (next) => {
      agentId = next;
    },
    isGone: host.isGone,
  };

  const sent = ({ operation }: Address): void => {
    pendingCount -= 1;
    if (pendingCount < MOST_PENDING) tellRoom();
    if (!ANNOUNCING.has(operation)) return;
    announcingCount -= 1;
    if (announcingCount === 0 && agentId !== undefined) field.resume(agentId);
  };

  const answer = (address: Address, payload: Promise<object>): void => {
    pendingCount += 1;
    if (ANNOUNCING.has(address.operation)) announcingCount += 1;
    const before = answered;
    answered = payload.then(async (made) => {
      await before;
      host.send(envelopeText(address, field.epoch(), made), true);
      sent(address);
    });
  };

  /** Takes nothing more. Resolves when every answer has been sent. */
  const end = (): Promise<void> => {
    isEnding = true;
    return answered;
  };

  return {
    receive: (message, text) => {
      if (isEnding) return;
      const whole = repaired(message, text);
      answer(addressOf(whole), carryOut(whole, caller, services));
    },
    refuse: (fault, text) => {
      if (!isEnding)
        answer({ ...NOBODY, id: idIn(text) ?? null }, Promise.resolve(errorPayload(refusalOfFrame(fault), null)));
    },
    isReadAlways: () => false,
    passesOn: () => false,
    room: () =>
      pendingCount < MOST_PENDING
        ? undefined
        : new Promise((resolve) => {
            tellRoom = resolve;
          }),
    isOpen: () => agentId !== undefined,
    inputEnded: () => void end().then(host.close),
    finish: (reason, until) => {
      if (reason === "handshake_timeout") services.engine.refused(reason);
      return within(until, end(), clock);
    },
    ended: () => {
      if (agentId !== undefined) field.left(agentId);
      agentId = undefined;
    },
  };
}

export interface SingleAnswer {
  /** The envelope of the answer. */
  readonly text: string;
  readonly isError: boolean;
}

/**
 * Carries out a message without a connection, which must be of the operation that its way names: one answer, and no notifications. An agent that
 * registers so only polls. Never rejects.
 */
export async function answerSingle(
  text: string,
  operation: Operation,
  peer: PeerIdentity,
  services: AkashikServices,
): Promise<SingleAnswer> {
  const { field } = services;
  let message: unknown;
  try {
    message = repaired(parseJsonDocument(text), text);
  } catch (caught) {
    return refusal(undefined, refusalOfFrame(faultFrom(caught)), operation, field.epoch());
  }
  const { agentId, operation: named } = addressOf(message);
  if (named !== operation) {
    const sentence = `Set \`operation\` to ${operation}, or use the path of the other one.`;
    return refusal(message, new Refused("INVALID_TYPE", sentence), operation, field.epoch());
  }
  const payload = await carryOut(
    message,
    {
      access: services.access.of(peer),
      // A connected agent speaks over its connection alone, and a registration takes over the id of any other.
      agentId: () => (operation !== "REGISTER" && isAway(agentId, field) ? agentId : undefined),
      push: undefined,
      becomes: () => {},
      isGone: () => false,
    },
    services,
  );
  const isError = "error" in payload;
  return { text: envelopeText(addressOf(message), field.epoch(), payload), isError };
}

function isAway(agentId: string | null, field: AkashikServices["field"]): agentId is string {
  return agentId !== null && field.has(agentId) && !field.isThere(agentId);
}

function refusal(message: unknown, why: Refused, operation: Operation, epoch: number): SingleAnswer {
  return { text: envelopeText(addressOf(message), epoch, errorPayload(why, operation)), isError: true };
}
