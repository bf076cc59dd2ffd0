// An adapter of MCP between a host and a server that a test writes, behind the gate of held tools, on a clock of its own.
import type { Decision, Reading, Sign } from "../../../src/adapters/adapter.js";
import { heldNames } from "../../../src/adapters/mcp/held-lines.js";
import { createHostReader } from "../../../src/adapters/mcp/host-reader.js";
import { createMcpAdapter, type McpAdapter } from "../../../src/adapters/mcp/mcp-adapter.js";
import { WORDINGS } from "../../../src/engine/messages/wording.js";

export interface McpStage {
  readonly adapter: McpAdapter;
  readonly signs: Sign[];
  /** One line a sign, without its turn. */
  readonly told: () => readonly string[];
  /** Lines that the server gets: those of the host that passed, and released ones. */
  readonly toServer: string[];
  readonly toHost: string[];
  readonly faults: unknown[];
  /** A line of the host. An object gets its version. */
  readonly host: (message: object | string | Buffer) => void;
  readonly server: (message: object | string) => void;
  readonly call: (id: unknown, name: string, given?: object, meta?: object) => void;
  readonly answer: (decision: Decision | undefined, question?: string) => void;
  readonly pass: (ms: number) => void;
}

export interface McpStageOptions {
  readonly held?: readonly string[];
  readonly holdSeconds?: number;
  /** Replaces parts of the adapter. */
  readonly broken?: Partial<McpAdapter>;
}

/** The `_meta` of a request of the newer era. */
export const MODERN = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

export function mcpStage({ held = [], holdSeconds = 45, broken = {} }: McpStageOptions = {}): McpStage {
  const adapter = createMcpAdapter({ words: WORDINGS.en, server: "notes", holdSeconds });
  const used: McpAdapter = { ...adapter, ...broken };
  const signs: Sign[] = [];
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
  const textOf = (message: object | string): string =>
    typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message });
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
    told: () => signs.map(lineOf),
    server: (message) => {
      const text = textOf(message);
      const isChanged = adapter.changesProgress();
      const reading = adapter.read({ from: "child", text }, now);
      if (!isChanged || reading.verdict !== "swallow") toHost.push(text);
      follow(reading);
    },
    call: (id, name, given = {}, meta) =>
      host({
        id,
        method: "tools/call",
        params: { name, arguments: given, ...(meta === undefined ? {} : { _meta: meta }) },
      }),
    answer: (decision, question = lastQuestion(signs)) =>
      follow(decision === undefined ? adapter.unanswered(question, now) : adapter.answered(question, decision, now)),
    pass: (ms) => {
      const until = now + ms;
      for (let due = adapter.dueAt(); due !== undefined && due <= until; due = adapter.dueAt()) {
        now = Math.max(now, due);
        follow(adapter.wake(now));
      }
      now = until;
    },
  };
}

function lastQuestion(signs: readonly Sign[]): string {
  return signs.findLast((sign) => sign.kind === "question")?.id ?? "";
}

function lineOf(sign: Sign): string {
  const { kind, turn: _, ...members } = sign;
  const shown = Object.values(members).filter((value) => value !== undefined);
  return [kind, ...shown.map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value)))].join(
    " | ",
  );
}
