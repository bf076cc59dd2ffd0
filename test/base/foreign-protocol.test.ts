import { expect, test } from "vitest";
import { foreignProtocol } from "../../src/base/foreign-protocol.js";

const MCP = "this is MCP: use aaepd mcp";

test.each([
  ["initialize", { protocolVersion: "2025-11-25" }, MCP],
  ["initialize", { protocolVersion: 1 }, "this is ACP: use aaepd acp"],
  ["server/discover", undefined, MCP],
  ["tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }, MCP],
  ["initialize", { protocolVersion: null }, undefined],
  ["initialize", undefined, undefined],
  ["aaep.subscribe", { _meta: null }, undefined],
  [undefined, null, undefined],
])("%j with %j", (method, params, sentence) => {
  expect(foreignProtocol(method, params)).toBe(sentence);
});
