// Messages of MCP that aaepd writes itself, and the members that tell its two eras apart: until revision 2025-11-25, and since 2026-07-28. Each
// message tells its era itself, and no option does.
import { eachMember, textsOf } from "../../base/json-members.js";
import { type Members, membersOf } from "../../base/members.js";
import { idKey, type MessageId } from "../rpc-message.js";

export const CALL = "tools/call";

/** The code of JSON-RPC for a message that is not taken. */
const INVALID_REQUEST = -32600;
const UNCLEAR =
  "While tools are held (--irreversible-tools), aaepd mcp passes one message a line that is read in one way, in UTF-8 and of at most 16 MiB.";

/** Whether the request is one of the newer era, whose results say what kind they are. */
export function isModern(params: Members): boolean {
  return "io.modelcontextprotocol/protocolVersion" in membersOf(params._meta);
}

/** The answer to a call that was not made. It is a normal result, so that the model reads it. An error would be taken for a broken server. */
export function notDone(id: MessageId, why: string, isOfNewerEra: boolean): string {
  const result = {
    content: [{ type: "text", text: `Not done: ${why}` }],
    isError: true,
    ...(isOfNewerEra ? { resultType: "complete" } : {}),
  };
  return `{"jsonrpc":"2.0","id":${id.text},"result":${JSON.stringify(result)}}`;
}

/** The answer to a line that does not pass while tools are held, and whose id is not certain. */
export function refusedLine(): string {
  return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message: UNCLEAR } });
}

/** The token under which a request wants progress: as it is written, and as a key. */
export function progressTokenIn(text: string, params: Members): MessageId | undefined {
  const token = membersOf(params._meta).progressToken;
  if (typeof token !== "string" && typeof token !== "number") return undefined;
  const [meta = ""] = textsOf(textsOf(text, "params")[0] ?? "", "_meta");
  const [written = JSON.stringify(token)] = textsOf(meta, "progressToken");
  return { text: written, key: idKey(token) };
}

export function progressed(token: MessageId, progress: number, message: string): string {
  const words = JSON.stringify(message);
  return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token.text},"progress":${progress},"message":${words}}}`;
}

/**
 * The server's notice of progress with its `progress` and `total` raised, and else unchanged, because a host that has had notices from us while the
 * call was held must see it increase. Undefined where there is no number to raise.
 */
export function raisedProgress(text: string, by: number): string | undefined {
  const [params, ...others] = spansOf(text, ["params"]);
  if (params === undefined || others.length > 0) return undefined;
  const inner = text.slice(params.start, params.end);
  let raised = "";
  let from = 0;
  for (const { start, end } of spansOf(inner, ["progress", "total"])) {
    const value: unknown = Number(inner.slice(start, end));
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    raised += `${inner.slice(from, start)}${value + by}`;
    from = end;
  }
  return from === 0
    ? undefined
    : `${text.slice(0, params.start)}${raised}${inner.slice(from)}${text.slice(params.end)}`;
}

function spansOf(text: string, names: readonly string[]): readonly { readonly start: number; readonly end: number }[] {
  const spans: { start: number; end: number }[] = [];
  eachMember(text, (name, start, end) => {
    if (names.includes(name)) spans.push({ start, end });
    return "go on";
  });
  return spans;
}
