import { membersOf } from "./members.js";

/** A sentence for the peer whose first call is of another protocol than aaepd's; undefined for other calls. */
export function foreignProtocol(method: unknown, params: unknown): string | undefined {
  const { protocolVersion, _meta } = membersOf(params);
  // ACP has numbers as versions.
  if (method === "initialize" && typeof protocolVersion === "number") return "this is ACP: use aaepd acp";
  const isMcp =
    (method === "initialize" && typeof protocolVersion === "string") ||
    method === "server/discover" ||
    "io.modelcontextprotocol/protocolVersion" in membersOf(_meta);
  return isMcp ? "this is MCP: use aaepd mcp" : undefined;
}
