// Connections of TCP can be made by every process of the machine. Until one has shown that its client has the token, it may neither stay silent, nor
// go on with what comes to nothing, nor take the places of those that have.
import type { Socket } from "node:net";
import type { Fault } from "../../src/base/errors.js";
import type { Admit, CallHead } from "../../src/contracts/service.js";
import type { PeerIdentity } from "../../src/contracts/transport.js";
import type { After } from "../framing/options.js";

/** A connection that calls come over. */
export interface ServiceConnection {
  readonly socket: Socket;
  readonly peer: PeerIdentity;
  /** Asks whether a call may be served, and remembers what that says of the connection. */
  readonly admit: (head: CallHead, admit: Admit) => Fault | undefined;
  /** A call is over. Where many more are than were admitted, and none of those has shown the token, the connection is cut off. */
  readonly ended: () => void;
  /** Ends the connection at once. */
  readonly cutOff: () => void;
  /** How it is cut off, where its protocol has words for that. Default: with none. */
  readonly cutOffBy: (end: () => void) => void;
}

export interface Connections {
  readonly all: ReadonlyMap<Socket, PeerIdentity>;
  /** Undefined: there is no place for it, and it was closed. */
  readonly add: (socket: Socket, peer: PeerIdentity) => ServiceConnection | undefined;
}

export interface ConnectionsOptions {
  /** How many there may be. Strangers may be half of them, of whom the oldest makes room for the next. */
  readonly most: number;
  /** How long one may stay without a call that is admitted, ms. Asked for each. */
  readonly silentMs: () => number;
  /** Whether everybody is known who can connect at all. */
  readonly areAllKnown: boolean;
  readonly after: After;
}

/** Calls of one connection that may come to nothing, before any has shown the token: refused ones, and those taken back before they were served. */
const MOST_WASTED = 200;
/** What is open to everybody is open by its path, and this is none. */
const NO_PATH = "";

export function createConnections({ most, silentMs, areAllKnown, after }: ConnectionsOptions): Connections {
  const all = new Map<Socket, PeerIdentity>();
  /** Oldest first. */
  const strangers = new Set<Socket>();
  const mostStrangers = Math.max(1, Math.floor(most / 2));

  function makeRoom(): boolean {
    const isFull = all.size >= most;
    if (areAllKnown || (!isFull && strangers.size < mostStrangers)) return !isFull;
    const [oldest] = strangers;
    if (oldest === undefined) return false;
    forget(oldest);
    oldest.destroy();
    return true;
  }

  function forget(socket: Socket): void {
    all.delete(socket);
    strangers.delete(socket);
  }

  return {
    all,
    add: (socket, peer) => {
      if (!makeRoom()) {
        socket.destroy();
        return undefined;
      }
      let isKnown = areAllKnown;
      // What its client has shown; undefined where nothing is to be.
      let shown: string | undefined;
      let isCutOff = false;
      let wasted = 0;
      let end = (): void => void socket.destroy();
      all.set(socket, peer);
      if (!isKnown) strangers.add(socket);
      const cancelSilence = isKnown ? () => {} : after(silentMs(), () => socket.destroy());
      socket.once("close", () => {
        cancelSilence();
        forget(socket);
      });
      const connection: ServiceConnection = {
        socket,
        peer,
        admit: (head, admit) => {
          const refusal = admit(head);
          const { authorization } = head;
          // Whoever was let in stays, though the token has been made anew since (R8b).
          if (refusal?.code === "unauthenticated" && isKnown && authorization !== undefined && authorization === shown)
            return undefined;
          if (refusal !== undefined || (isKnown && authorization === shown)) return refusal;
          if (!isKnown) {
            wasted -= 1;
            cancelSilence();
          }
          if (admit({ ...head, path: NO_PATH }) !== undefined) return undefined;
          isKnown = true;
          shown = authorization;
          strangers.delete(socket);
          return undefined;
        },
        ended: () => {
          wasted += 1;
          if (!isKnown && wasted > MOST_WASTED) connection.cutOff();
        },
        cutOff: () => {
          if (isCutOff) return;
          isCutOff = true;
          end();
        },
        cutOffBy: (given) => {
          end = given;
        },
      };
      return connection;
    },
  };
}
