// An adapter makes signs of a host's messages, in the terms of AAEP's sessions and by the host's own ids. Types only.
import type { Speech } from "./language.js";

/** A question's answer by a person. */
export type Decision = "accept" | "reject";

/** How a call of a tool was allowed, where somebody was asked. "host": in the host's own dialog (R5a). Otherwise the id of the question sign. */
export type Consent = "host" | { readonly question: string };

/** `turn` is a request of the person, which becomes a session. All ids are the host's own, and good within their turn. */
export type Sign =
  | {
      readonly kind: "turn";
      readonly turn: string;
      readonly words: string;
      /** The host's id of the conversation. */
      readonly conversation?: string;
      /** The folder in which the agent works. */
      readonly folder?: string | undefined;
    }
  | { readonly kind: "text"; readonly turn: string; readonly output: string; readonly text: string }
  /** The text so far is whole: other text begins an output of its own. */
  | { readonly kind: "text-end"; readonly turn: string }
  | {
      readonly kind: "tool";
      readonly turn: string;
      readonly call: string;
      readonly name: string;
      readonly words: string;
      readonly irreversible?: boolean;
      readonly consent?: Consent;
    }
  | {
      readonly kind: "tool-end";
      readonly turn: string;
      readonly call: string;
      readonly status: "success" | "error" | "cancelled";
      readonly words?: string;
    }
  | {
      readonly kind: "progress";
      readonly turn: string;
      /** The call that it is about. Default: the whole turn. */
      readonly call?: string;
      readonly step?: number;
      readonly total?: number;
      readonly percent?: number;
      readonly words?: string;
    }
  /** `state` as in AAEP §4.2.1. */
  | { readonly kind: "state"; readonly turn: string; readonly state: string; readonly words?: string }
  /** A question for consent. */
  | {
      readonly kind: "question";
      readonly turn: string;
      readonly id: string;
      readonly call: string;
      readonly name: string;
      readonly action: string;
      readonly consequence: string;
      readonly risk: "low" | "medium" | "high";
      readonly irreversible: boolean;
      readonly seconds: number;
      /** Whether the host asks in a dialog of its own too (R5b). Default true. */
      readonly hasHostDialog?: boolean;
    }
  /** The host has an answer, or none is wanted any more. */
  | { readonly kind: "question-over"; readonly turn: string; readonly id: string; readonly decision?: Decision }
  | {
      readonly kind: "end";
      readonly turn: string;
      readonly how: "completed" | "cancelled" | "errored";
      readonly words: string;
      readonly code?: string;
    };

/** One message between a host and the child that it started, which is an agent or a server. */
export interface HostMessage {
  readonly from: "host" | "child";
  /** The text of the message: some members must not change on the way through a parser. */
  readonly text: string;
}

/** The consequences of a message, of an answer or of the time. */
export interface Reading {
  readonly signs: readonly Sign[];
  /** Whether the message goes on to the other side. Default "pass". */
  readonly verdict?: "pass" | "swallow";
  /** Messages of our own to each side. */
  readonly toChild?: readonly string[];
  readonly toHost?: readonly string[];
  /** The agent will work in this folder. */
  readonly folder?: string;
}

/** A program that aaepd starts, and how it is heard. */
export interface RunOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The name for people. Default: the program and its folder. */
  readonly name: string | undefined;
  readonly speech: Speech;
  /** The daemon's socket. Default: the usual one. */
  readonly socket: string | undefined;
  /** Where names in use are noted. */
  readonly runtimeFolder: string | undefined;
  /** The folder in which the program runs. */
  readonly folder: string;
  /** Receives each fault of aaepd. Must not throw. */
  readonly onFault: (caught: unknown) => void;
  /** Called with the running program. */
  readonly onStarted: (program: { readonly kill: (signal: NodeJS.Signals) => void }) => void;
}
