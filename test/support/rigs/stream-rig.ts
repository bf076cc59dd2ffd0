// An engine with a virtual clock, and streams of the services over it, without a socket.
import type { Conversation } from "../../../src/contracts/protocol.js";
import { createUtf8 } from "../../../src/daemon/platform/utf8.js";
import { Turns } from "../../../src/engine/time/turns.js";
import type { PlainServices } from "../../../src/protocols/aaep/sessions/plain-session.js";
import { createStreamServer } from "../../../src/runtime/run-conversation.js";
import { SAME_USER_MAY_ALL } from "../../../src/security/access.js";
import { createEngineRig, type EngineRig, type RigOptions } from "./engine-rig.js";
import { OFFER } from "./rpc-peer.js";

export interface StreamRig extends EngineRig {
  readonly services: PlainServices;
  /** Streams that were handed to the daemon. */
  readonly served: readonly Conversation[];
  readonly serve: ReturnType<typeof createStreamServer>;
  /** Lets everything come about that is under way, without time passing. */
  readonly settle: () => Promise<void>;
  /** The same, before and after some time. */
  readonly pass: (ms: number) => Promise<void>;
  /** Errors of the log of streams. */
  readonly accidents: readonly string[];
}

export const HANDSHAKE_TIMEOUT_MS = 60_000;
export const utf8 = createUtf8();

export function createStreamRig(options: RigOptions = {}): StreamRig {
  const rig = createEngineRig(options);
  const served: Conversation[] = [];
  const accidents: string[] = [];
  let ids = 0;
  const silent = (): void => undefined;
  const log = {
    debug: silent,
    info: silent,
    warn: silent,
    error: (_: object, text: string) => void accidents.push(text),
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) {
      await new Promise(setImmediate);
      rig.clock.settle();
    }
  };
  return {
    ...rig,
    served,
    accidents,
    settle,
    services: {
      engine: rig.engine,
      access: options.access ?? SAME_USER_MAY_ALL,
      ids: {
        hex: (bytes) => {
          ids += 1;
          return ids.toString(16).padStart(bytes * 2, "k");
        },
      },
      offer: { ...OFFER },
      producer: () => ({ agent_id: "test-agent" }),
      manifestUri: () => undefined,
      log,
    },
    serve: createStreamServer({
      clock: rig.clock,
      log,
      handshakeTimeoutMs: () => HANDSHAKE_TIMEOUT_MS,
      readingTurns: new Turns(rig.clock, { most: 256 }),
      sendingTurns: new Turns(rig.clock),
      served: (stream) => void served.push(stream),
    }),
    pass: async (ms) => {
      await settle();
      rig.clock.advance(ms);
      await settle();
    },
  };
}
