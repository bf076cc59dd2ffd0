// The calls of a session's author as intents, and the AAEP session that they become events of. Types only.
import type { PublishingClient } from "../agent-client.js";

/** An event as it is published, with its id. */
export type Fields = Readonly<Record<string, unknown>>;

/** How an intent ended: a daemon has it, a daemon refused it, or nobody takes it. */
export type Taken = "taken" | "refused" | "unheard";

/** A stretch of text. One output may change its id: text behind a hole goes on in a new one. */
export interface TextIntent {
  readonly kind: "text";
  readonly outputId: string;
  text: string;
}

export type Intent =
  | TextIntent
  | {
      readonly kind: "events";
      /** Renders the events when they are sent. Called again for another voice. */
      readonly render: (voice: Voice) => readonly Fields[];
      readonly settled?: ((taken: Taken) => void) | undefined;
    }
  | {
      readonly kind: "question";
      /** Asks, and returns at once. */
      readonly ask: (voice: Voice) => void;
      /** Nobody can be asked. */
      readonly unheard: () => void;
    };

/** One AAEP session of an agent. */
export interface Voice {
  readonly sessionId: string;
  readonly client: PublishingClient;
  /** A daemon has taken the start of the session. */
  hasStarted: boolean;
  /** A daemon has lost the session. */
  isLost: boolean;
  /** Questions that wait for their outcome. Meanwhile the state is the question's. */
  openQuestions: number;
  /** Open calls of tools: by a key of the call, the members of an event that name it. */
  openTools: Map<string, Fields>;
  /** Makes an event of this session. `type` is without "aaep:agent.", unless it has a colon. */
  readonly event: (type: string, members: Fields) => Fields;
  /** The event that changes the state, if it is another one. */
  readonly state: (name: string, members?: Fields) => readonly Fields[];
  /** An event implied this state. */
  readonly implies: (name: string | undefined) => void;
  /** Ends an output that has begun here. */
  readonly endOutput: (outputId: string) => readonly Fields[];
  /** Ends everything that is still open, before the session completes. */
  readonly endAll: () => readonly Fields[];
  /** The events of an intent; of a question none, because it is asked by a call. */
  readonly render: (intent: Intent) => readonly Fields[];
  /** Notes what is open. Returns the function that goes back to that, because what was rendered since was refused. */
  readonly save: () => () => void;
}
