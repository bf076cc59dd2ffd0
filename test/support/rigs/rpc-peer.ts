// A peer of JSON-RPC on an engine, without a socket.
import type { CallSession } from "../../../src/contracts/call-protocol.js";
import { BOUNDARIES } from "../../../src/engine/terms/terms.js";
import { createRpcProtocol } from "../../../src/protocols/aaep/sessions/rpc-session.js";
import { createSpokenLanguages } from "../../../src/protocols/aaep/subscriber/spoken-languages.js";
import { SAME_USER_MAY_ALL } from "../../../src/security/access.js";
import { type EngineRig, SILENT_LOG } from "./engine-rig.js";

/** What a daemon of these tests grants. */
export const OFFER = {
  maxEventsPerSecond: undefined,
  isSpoken: () => true,
  coalesceBoundaries: BOUNDARIES,
  conformanceLevels: [1, 2],
  signedManifest: false,
  burst: 1,
} as const;

/** A stream of deliveries that nobody reads. */
const DEAF_STREAM = { join: () => undefined, wake: () => undefined, ended: () => undefined } as const;

/** Ids that count, each as long as it has to be. */
export function countedIds(): { readonly hex: (bytes: number) => string } {
  let given = 0;
  return { hex: (bytes) => String(++given).padStart(bytes * 2, "0") };
}

export interface RpcPeer {
  readonly session: CallSession;
  /** The notifications that it got. */
  readonly told: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[];
}

/** @param ids of all peers of an engine */
export function openRpcPeer({ engine }: EngineRig, ids = countedIds()): RpcPeer {
  const told: RpcPeer["told"] = [];
  const session = createRpcProtocol({
    engine,
    access: SAME_USER_MAY_ALL,
    ids,
    offer: { ...OFFER },
    producer: () => ({ agent_id: "daemon" }),
    languages: createSpokenLanguages("en-US"),
    manifestUri: () => undefined,
    log: SILENT_LOG,
    manifest: () => ({}),
    status: () => ({}),
    hook: async () => ({}),
    relay: () => undefined,
    manifestDeclared: () => undefined,
    agentIdentity: undefined,
  }).open(
    { label: "peer", trust: "same-user" },
    {
      notify: (method, params) => told.push({ method, params: params as RpcPeer["told"][number]["params"] }) > 0,
      notifyBatch: () => true,
      openStream: () => ({ ...DEAF_STREAM, stop: () => undefined, handOver: async () => 0 }),
    },
  );
  return { session, told };
}
