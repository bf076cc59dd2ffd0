// An adapter of MCP between a host and a server that a test writes, behind the gate of held tools, on a clock of its own.
import type { Decision, Reading, Sign } from "../../../src/adapters/adapter.js";
import { heldNames } from "../../../src/adapters/mcp/held-lines.js";
import { createHostReader } from "../../../src/adapters/mcp/host-reader.js";
import { McpAdapter } from "../../../src/adapters/mcp/mcp-adapter.js";
import { WORDINGS } from "../../../src/engine/messages/wording.js";
import { lastQuestion, lineOf, passed, textOf } from "../sign-lines.js";

interface McpStageOptions {
  readonly held?: readonly string[];
  readonly holdSeconds?: number;
  /** Replaces parts of the adapter. */
  readonly broken?: Partial<McpAdapter>;
}

/** The `_meta` of a request of the newer era. */
export const MODERN = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

export function mcpStage({ held = [], holdSeconds = 45, broken = {} }: McpStageOptions = {}) {
  const adapter = new McpAdapter({ words: WORDINGS.en, server: "notes", holdSeconds });
  const used = { ...adapter, ...broken };
  const signs: Sign[] = [];
  /** Lines that the server gets: those of the host that passed, and released ones. */
  const toServer: string[] = [];
  const toHost: string[] = [];
  const faults: unknown[] = [];
  let now = 1000;
  const follow = (reading: Reading): void => {
    signs.push(...reading.signs);
    toServer.push(...(reading.toChild ?? []));
    toHost.push(...(reading.toHost ?? []));
  };
  const reader = createHostReader({
    held: heldNames(held, "notes"),
    read: (text) => used.read({ from: "host", text }, now),
    hold: (text) => used.hold(text, now),
    follow,
    onFault: (caught) => faults.push(caught),
  });
  /** A line of the host. An object gets its version. */
  const host = (message: object | string | Buffer): void => {
    const line = Buffer.isBuffer(message) ? message : Buffer.from(`${textOf(message)}\n`);
    // As the relay does: what nobody holds back has passed before it is read.
    if (!reader.holds()) {
      toServer.push(line.toString("utf8").replace(/\n$/, ""));
      reader.read(line, true);
      return;
    }
    if (reader.read(line, true) === "pass") toServer.push(line.toString("utf8").replace(/\n$/, ""));
  };
  return {
    adapter,
    signs,
    toServer,
    toHost,
    faults,
    host,
    /** One line a sign, without its turn. */
    told: (): readonly string[] => signs.map(lineOf),
    server: (message: object | string) => {
      const text = textOf(message);
      const isChanged = adapter.changesProgress();
      const reading = adapter.read({ from: "child", text }, now);
      if (!isChanged || reading.verdict !== "swallow") toHost.push(text);
      follow(reading);
    },
    call: (id: unknown, name: string, given: object = {}, meta?: object) =>
      host({
        id,
        method: "tools/call",
        params: { name, arguments: given, ...(meta === undefined ? {} : { _meta: meta }) },
      }),
    answer: (decision: Decision | undefined, question = lastQuestion(signs)) =>
      follow(decision === undefined ? adapter.unanswered(question, now) : adapter.answered(question, decision, now)),
    pass: (ms: number) => {
      now = passed(adapter, now, ms, follow);
    },
  };
}
