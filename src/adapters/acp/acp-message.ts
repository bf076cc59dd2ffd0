// Messages of ACP that are made here, one to a line.
import type { Fields } from "../fields.js";
import type { MessageId } from "../rpc-message.js";

export function permissionAnswer(id: MessageId, outcome: Fields): string {
  return `{"jsonrpc":"2.0","id":${id.text},"result":${JSON.stringify({ outcome })}}`;
}

export function requestCancelled(id: MessageId): string {
  return `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${id.text}}}`;
}

export function sessionCancelled(sessionId: string): string {
  return JSON.stringify({ jsonrpc: "2.0", method: "session/cancel", params: { sessionId } });
}
