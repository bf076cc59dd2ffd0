// The agent's part in aaep.v1.AgentService that is the same over HTTP and gRPC.
import { Fault, faultFrom } from "../../base/errors.js";
import type { Members } from "../../base/members.js";
import type { RpcConnection } from "../../contracts/rpc.js";

/** Resolves with the connection when a daemon has answered over it. Rejects with `not_found` if none does. */
export async function answering(connection: RpcConnection, address: string): Promise<RpcConnection> {
  try {
    await connection.request("aaep.ping", {});
    return connection;
  } catch (caught) {
    await connection.close();
    const fault = faultFrom(caught);
    if (fault.code !== "peer_gone") throw fault;
    throw new Fault("not_found", `No daemon answers at ${address}.`, { cause: fault });
  }
}

/**
 * The event that asks. It is published in its place among the others, and its outcome is awaited apart from them. It has the defaults of the calls
 * that ask, because a call that waits for the same question has to equal it (R3).
 */
export function questionEvent(method: string, question: Members): Members {
  const isConfirmation = method === "aaep.confirm";
  return {
    timeout_seconds: 300,
    ...(isConfirmation ? { default_decision: "reject" } : {}),
    ...question,
    type: `aaep:agent.awaiting.${isConfirmation ? "confirmation" : "clarification"}`,
  };
}

/** The fault of an event that was published alone. Its pointer needs no index. */
export function aloneFault(caught: unknown): Fault {
  const fault = faultFrom(caught);
  return fault.with({ pointer: fault.pointer?.replace(/^\/0/, "") });
}
