// The session of one connection: answers in the order of the requests, and notifications to its agent.
import type { ExchangeHost, ExchangeSession } from "../../../contracts/exchange.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { AkashikServices } from "../host/akashik-services.js";
import { type Address, addressOf, envelopeText } from "../messages/envelope.js";
import { errorPayload, refusalOfFrame } from "../messages/error-codes.js";
import { type Caller, carryOut } from "./operations.js";

/** Answers that wait for the disk or for a poll. The next message is taken when there are fewer. */
const MOST_PENDING = 64;

const NOBODY: Address = { id: null, operation: null, agentId: null, sessionId: null };

export function createAgentSession(services: AkashikServices, peer: PeerIdentity, host: ExchangeHost): ExchangeSession {
  const { field, clock } = services;
  let agentId: string | undefined;
  /** Whether the answer to REGISTER has left. Notifications come after it. */
  let isAnswered = false;
  let isOver = false;
  /** Answers that have not been sent. */
  let pendingCount = 0;
  let answered: Promise<void> = Promise.resolve();
  let tellRoom: (() => void) | undefined;

  const caller: Caller = {
    access: services.access.of(peer),
    agentId: () => agentId,
    link: {
      push: (notification) =>
        isAnswered &&
        host.send(
          envelopeText(
            { id: services.newId(), operation: "SUBSCRIBE", agentId: agentId ?? null, sessionId: null },
            field.epoch(),
            notification,
          ),
        ),
    },
    becomes: (next) => {
      agentId = next;
      isAnswered = false;
    },
  };

  const sent = (): void => {
    pendingCount -= 1;
    if (pendingCount < MOST_PENDING) {
      tellRoom?.();
      tellRoom = undefined;
    }
    if (agentId === undefined || isAnswered || pendingCount > 0) return;
    isAnswered = true;
    field.resume(agentId);
  };

  const answer = (address: Address, payload: Promise<object>): void => {
    pendingCount += 1;
    const before = answered;
    answered = payload.then(async (made) => {
      await before;
      if (!isOver) host.send(envelopeText(address, field.epoch(), made), true);
      sent();
    });
  };

  return {
    receive: (message) => answer(addressOf(message), carryOut(message, caller, services)),
    refuse: (fault) => answer(NOBODY, Promise.resolve(errorPayload(refusalOfFrame(fault), null))),
    isReadAlways: () => false,
    room: () =>
      pendingCount < MOST_PENDING
        ? undefined
        : new Promise((resolve) => {
            tellRoom = resolve;
          }),
    isOpen: () => agentId !== undefined,
    inputEnded: () => void answered.then(host.close),
    finish: async (reason, until) => {
      if (reason === "handshake_timeout") services.engine.refused(reason);
      await Promise.race([answered, new Promise<void>((resolve) => clock.wakeAt(until, resolve))]);
    },
    ended: () => {
      isOver = true;
      if (agentId !== undefined) field.left(agentId);
      agentId = undefined;
      tellRoom?.();
    },
  };
}
