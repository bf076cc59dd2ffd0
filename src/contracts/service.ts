import type { DescMethod } from "@bufbuild/protobuf";
import type { Fault } from "../base/errors.js";
import type { Millis } from "./clock.js";
import type { AbortSignalLike } from "./rpc.js";
import type { Connection, Listener, PeerIdentity } from "./transport.js";

/** The bytes of a message in protobuf; of a client that speaks JSON with what it wrote. No bytes where that has a fault, as two meanings (R19). */
export interface ServiceMessage extends Uint8Array {
  readonly written?: { readonly text: string; readonly fault?: Fault | undefined };
}

/** One call that is answered once. */
export interface ServiceCall {
  readonly peer: PeerIdentity;
  /** "cancelled": the peer took the call back. "ended": its deadline has passed, or its connection is gone. */
  readonly signal: AbortSignalLike;
}

/** A method of a service, in terms that every transport of services can serve. Messages are their bytes in protobuf, in and out. */
export type ServiceMethod =
  | {
      readonly kind: "unary";
      readonly descriptor: DescMethod;
      /** Throws a Fault, or rejects with one, which becomes the status of the call (R20). */
      readonly answer: (request: ServiceMessage, call: ServiceCall) => Uint8Array | Promise<Uint8Array>;
      /** What comes of a message in JSON that has a fault. As `answer`. Default: the fault. */
      readonly refused?: (text: string, fault: Fault) => Uint8Array;
    }
  | {
      readonly kind: "stream";
      readonly descriptor: DescMethod;
      /**
       * Whether frames put one behind the other are one message, so that a run of them can leave as few: what repeats in protobuf adds up. Else each
       * frame is a message of its own.
       */
      readonly joinsBatches: boolean;
      /**
       * One call. Its frames are what the client sends, each a `ServiceMessage`; where it may send one message only, that one. Their end is not the
       * end of the connection. A close is OK, one with a fault has the fault's status; either comes after what was handed over, and cuts off a peer
       * that does not read.
       */
      readonly accept: (connection: Connection<Uint8Array>) => void;
    };

/** A fault as the typed detail of a status: the full name of a message, and its bytes. */
export type DescribeFault = (fault: Fault) => { readonly typeName: string; readonly bytes: Uint8Array };

/** What a call says of itself before it is served. */
export interface CallHead {
  /** `Host`, or `:authority`. */
  readonly host: string | undefined;
  readonly authorization: string | undefined;
  /** As in `/aaep.v1.SubscriberService/Listen`. */
  readonly path: string;
}

/** Whether a call may be served at all; the fault says why not. */
export type Admit = (head: CallHead) => Fault | undefined;

/** Where a transport of services listens. */
export type ServiceAddress =
  | { readonly kind: "unix"; readonly path: string }
  /** Loopback only; port 0 takes a free one. */
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

export interface ServiceListener extends Listener {
  /** After `stop`, when its streams are being closed: waits, at most so long, for them and for answers, then ends every connection. Never rejects. */
  readonly drain: (withinMs?: Millis) => Promise<void>;
}
