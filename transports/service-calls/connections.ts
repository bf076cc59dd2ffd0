// Limits connections over TCP, which every process of the machine can open. Until a client has shown the token, its connection may neither stay
// silent, nor continue with wasted calls, nor take the places of connections that have shown it.
import type { Socket } from "node:net";
import type { Fault } from "../../src/base/errors.js";
import type { Admit, CallHead } from "../../src/contracts/service.js";
import type { PeerIdentity } from "../../src/contracts/transport.js";
import type { After } from "../framing/options.js";

/** A connection that carries calls. */
export interface ServiceConnection {
  readonly socket: Socket;
  readonly peer: PeerIdentity;
  /** Whether it still exists. When a connection breaks, its calls learn of it first. */
  readonly isConnected: () => boolean;
  /** Decides whether a call may be served, and remembers whether the connection has shown the token. */
  readonly admit: (head: CallHead, admit: Admit) => Fault | undefined;
  /** Reports the end of a call. If far more calls have ended than were admitted, and none has shown the token, the connection is cut off. */
  readonly ended: () => void;
  /** Ends the connection at once. */
  readonly cutOff: () => void;
  /** Sets how the connection is cut off, if its protocol can give a reason. Default: without one. */
  readonly cutOffBy: (end: () => void) => void;
}

export interface Connections {
  readonly all: ReadonlyMap<Socket, PeerIdentity>;
  /** Undefined: there was no room, and the connection was closed. */
  readonly add: (socket: Socket, peer: PeerIdentity) => ServiceConnection | undefined;
}

export interface ConnectionsOptions {
  /** Most connections. At most half of them may belong to strangers, the oldest of whom makes room for the next. */
  readonly most: number;
  /** How long a connection may stay without an admitted call, ms. Read for each connection. */
  readonly silentMs: () => number;
  /** Whether every client that can connect is known. */
  readonly areAllKnown: boolean;
  readonly after: After;
}

/** Wasted calls of one connection before any has shown the token: refused calls, and calls cancelled before they were served. */
const MOST_WASTED = 200;
/** Open paths are admitted by their path; this one is not open. */
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
      // The authorization that the client has shown; undefined if none is required.
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
        isConnected: () => !socket.destroyed && !socket.readableEnded,
        admit: (head, admit) => {
          const refusal = admit(head);
          const { authorization } = head;
          // An admitted client stays, although the token has been replaced since (R8b).
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
