// docs/reference has an entry for everything that is named on the wire, and none for anything else. The lists come from the code itself, by another
// way than the generator's wherever there is one.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import messages from "../../scripts/generate/data/messages.json" with { type: "json" };
import { referencePages } from "../../scripts/generate/reference/pages.mjs";
import { FAULT_CODES, Fault } from "../../src/base/errors.js";
import { ruleOf } from "../../src/base/fault-rules.js";
import { referenceLinks, ruleAnchor } from "../../src/base/reference-links.js";
import { exitCodeFromFault } from "../../src/cli/shell/run-command.js";
import type { EndReason } from "../../src/contracts/protocol.js";
import { startExitCode } from "../../src/daemon/platform/exit-codes.js";
import { STANDARD_STATES, stateImpliedBy } from "../../src/engine/event/agent-states.js";
import type { TopicKind } from "../../src/engine/event/event.js";
import type { ResolvedBy } from "../../src/engine/questions/question-result.js";
import type { SessionPhase } from "../../src/engine/sessions/session-record.js";
import {
  DAEMON_MESSAGES,
  RPC_NOTIFICATIONS,
  SUBSCRIBER_MESSAGES,
} from "../../src/protocols/aaep/sessions/message-names.js";
import { RPC_METHODS } from "../../src/protocols/aaep/sessions/rpc-session.js";
import { honoredCapabilities } from "../../src/protocols/aaep/subscriber/capabilities.js";
import { defaultTerms } from "../../src/protocols/aaep/subscriber/negotiate.js";
import { httpStatusOf } from "../../transports/http/answers.js";
import { rpcErrorFromFault } from "../../transports/json-rpc/status.js";
import { STATUS, STATUS_OF } from "../../transports/rpc-status.js";
import { type Section, sectionsOf, tablesIn } from "../support/markdown.js";
import { createStage, eventOf } from "../support/rigs/session-stage.js";

const PHASES = Object.keys({ absent: 1, open: 1, ended: 1 } satisfies Record<SessionPhase, 1>) as SessionPhase[];
const RESOLUTIONS = Object.keys({
  reply: 1,
  timeout: 1,
  no_subscriber: 1,
  subscription_ended: 1,
  host: 1,
  cancelled: 1,
} satisfies Record<ResolvedBy, 1>);
// A reason without an entry does not compile.
messages.CLOSE_REASON_GUIDE satisfies Readonly<Record<Exclude<EndReason, "handshake_timeout">, string>>;

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const MADE: ReadonlyMap<string, string> = await referencePages(ROOT);

function sections(page: string): readonly Section[] {
  const path = `docs/reference/${page}`;
  return sectionsOf(MADE.get(path) ?? readFileSync(join(ROOT, path), "utf8"));
}

function section(page: string, title: string): Section {
  const found = sections(page).find((one) => one.title === title);
  if (found === undefined) throw new Error(`${page} has no heading ${title}`);
  return found;
}

function titles(page: string, level: number): readonly string[] {
  return sections(page).flatMap((one) => (one.level === level ? [one.title] : []));
}

function sourcesOf(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      // The cases of the conformance suite name paragraphs for their reports. No message of the daemon does. The reference is made from the list of
      // names.
      .filter((name) => name.endsWith(".ts") && !name.startsWith("conformance/") && !name.endsWith("message-names.ts"))
      .map((name) =>
        readFileSync(join(ROOT, folder, name), "utf8")
          .split("\n")
          .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
          .join("\n"),
      ),
  );
}

const ONE_RULE = "(?:AAEP (?:§[0-9]+(?:\\.[0-9]+)*|app\\. [A-Z](?:\\.[0-9]+)?|ch\\. [0-9]+)|[PR][0-9]+[a-z]?)";
/** Rules that are alone in a text of the code, or separated by commas: what a message can name. Comments mention others. */
const RULES = new RegExp(`["'\`](${ONE_RULE}(?:, ${ONE_RULE})*)["'\`]`, "g");

describe("errors", () => {
  it("R20: every code has one entry, and there is no other", () => {
    expect(titles("errors.md", 2)).toEqual(FAULT_CODES);
  });

  it("R20: the table has the rule of each code and its numbers, and an entry says what to do", () => {
    const rows = FAULT_CODES.map((code) => {
      const fault = new Fault(code, "");
      const rule = ruleOf(fault);
      const status = Object.entries(STATUS).find(([, number]) => number === STATUS_OF[code])?.[0];
      return [
        `[${code}](#${code})`,
        `[${rule}](rules.md#${ruleAnchor(rule)})`,
        `−${-rpcErrorFromFault(fault).code}`,
        `\`${status}\` (${STATUS_OF[code]})`,
        String(httpStatusOf(code)),
        String(exitCodeFromFault(fault)),
        String(startExitCode(fault)),
      ];
    });
    expect(tablesIn(section("errors.md", "Errors").text)[0]?.rows).toEqual(rows);
    for (const code of FAULT_CODES) expect(section("errors.md", code).text).toContain("**To do:** ");
  });
});

describe("rules", () => {
  it("R20: every rule that a message can name has one entry, and there is no other", () => {
    const named = new Set(
      sourcesOf(["src", "transports"]).flatMap((code) =>
        [...code.matchAll(RULES)].flatMap(([, text = ""]) => text.split(", ")),
      ),
    );
    expect(named.size).toBeGreaterThan(90);
    expect(titles("rules.md", 2).toSorted()).toEqual([...named].sort());
  });

  it("R20: a `rule` in the code has no other form", () => {
    const forms = sourcesOf(["src", "transports"]).flatMap((code) =>
      [...code.matchAll(/\brule: ["'`]([^"'`]*)["'`]/g)].map(([, text = ""]) => text),
    );
    expect(forms.length).toBeGreaterThan(50);
    expect(forms.filter((form) => form.split(", ").some((rule) => !titles("rules.md", 2).includes(rule)))).toEqual([]);
  });

  it("every link from an error leads to an entry", () => {
    const anchors = new Set(
      ["errors.md", "rules.md"].flatMap((page) => sections(page).map(({ anchor }) => `${page}#${anchor}`)),
    );
    const faults = [
      ...FAULT_CODES.map((code) => new Fault(code, "")),
      ...titles("rules.md", 2).map((rule) => new Fault("internal", "", { rule })),
      new Fault("timestamp_out_of_order", "", { rule: "AAEP §3.2.5, R3b" }),
    ];
    expect(faults.flatMap(referenceLinks).filter((link) => !anchors.has(link))).toEqual([]);
    expect(referenceLinks(new Fault("state_mismatch", "", { rule: "AAEP §4.2.1, R3a" }))).toEqual([
      "errors.md#state_mismatch",
      "rules.md#aaep-421",
      "rules.md#r3a",
    ]);
  });
});

describe("messages", () => {
  const names = [...SUBSCRIBER_MESSAGES, ...DAEMON_MESSAGES, ...RPC_METHODS, ...RPC_NOTIFICATIONS];

  it("every message has one entry, and there is no other", () => {
    const plain = [...SUBSCRIBER_MESSAGES, ...DAEMON_MESSAGES];
    expect(titles("messages.md", 3).toSorted()).toEqual([...new Set(plain)].sort());
    const overRpc = [...RPC_METHODS, ...RPC_NOTIFICATIONS];
    expect(titles("calls.md", 3).toSorted()).toEqual([...new Set(overRpc)].sort());
  });

  it("the code of the protocol sends and takes no other message", () => {
    const spelled = new Set(
      sourcesOf(["src/protocols/aaep", "src/daemon/status", "src/client"]).flatMap((code) =>
        [...code.matchAll(/"((?:aaepd?\.[a-z_]+|subscription\.[a-z]+|[a-z]+\.reply))"/g)].map(([, name = ""]) => name),
      ),
    );
    expect(spelled.size).toBeGreaterThan(30);
    const capabilities = titles("capabilities.md", 3);
    expect([...spelled].filter((name) => ![...names, ...capabilities].includes(name))).toEqual([]);
    expect(names.filter((name) => !spelled.has(name))).toEqual([]);
  });
});

describe("capabilities", () => {
  it("have the defaults of a subscriber that requests nothing", () => {
    const requested = { namesOwn: true, terms: { replyStatus: false, checkpoints: false } };
    const {
      aaepd,
      event_filters: filters,
      ...core
    } = honoredCapabilities(defaultTerms(), requested, defaultTerms().languages);
    const expected = Object.entries({
      ...core,
      ...Object.fromEntries(Object.entries(aaepd ?? {}).map(([name, value]) => [`aaepd.${name}`, value])),
    });
    expect(expected.length).toBeGreaterThan(10);
    for (const [name, value] of expected) {
      const [, preset = "undefined"] = /^- Default: `(.*)`$/m.exec(section("capabilities.md", name).text) ?? [];
      expect([name, JSON.parse(preset)]).toEqual([name, value]);
    }
    const rows = tablesIn(section("capabilities.md", "event_filters").text)[0]?.rows ?? [];
    for (const [member = "", , meaning = ""] of rows) {
      const [, preset = ""] = /Default: `(.*)`\./.exec(meaning) ?? [];
      expect(JSON.parse(preset)).toEqual(filters[member.replaceAll("`", "") as "include" | "exclude"]);
    }
  });
});

describe("states", () => {
  const KINDS = Object.keys({
    "session.started": true,
    "session.completed": true,
    "session.errored": true,
    "session.cancelled": true,
    "state.changed": true,
    "progress.updated": true,
    "tool.invoked": true,
    "tool.completed": true,
    "output.streaming": true,
    "awaiting.confirmation": true,
    "awaiting.clarification": true,
    "handoff.requested": true,
    extension: true,
  } satisfies Record<TopicKind, true>) as TopicKind[];
  const rowsOf = (title: string) => tablesIn(section("states.md", title).text)[0]?.rows ?? [];
  /** The kind that a link to its event names. */
  const kindIn = (cell: string) => /^\[(.*)\]/.exec(cell)?.[1] ?? "extension";
  const published = (kind: TopicKind) => (kind === "extension" ? "medai:patient.consulted" : kind);

  it("every state, phase and end has one entry, and there is no other", () => {
    expect(titles("states.md", 3)).toEqual([...STANDARD_STATES, ...PHASES, ...RESOLUTIONS]);
  });

  function stageIn(phase: SessionPhase) {
    const stage = createStage();
    if (phase !== "absent") stage.start();
    if (phase === "ended") stage.publish("session.completed");
    return stage;
  }

  /** The code with which the engine refuses an event; undefined if it takes it. */
  function refusalOf(run: () => unknown): string | undefined {
    try {
      run();
      return undefined;
    } catch (caught) {
      return (caught as Fault).code;
    }
  }

  it.each(PHASES)("%s: takes the events of its table, and refuses others", (phase) => {
    const taken = new Map(rowsOf(phase).map(([cell = "", after = ""]) => [kindIn(cell), after]));
    const [, refusal] = /Refusal of all others: \[(\w+)\]/.exec(section("states.md", phase).text) ?? [];
    for (const kind of KINDS) {
      const stage = stageIn(phase);
      if (kind === "tool.completed" && phase === "open") stage.publish("tool.invoked");
      const after = taken.get(kind);
      expect([kind, refusalOf(() => stage.publish(published(kind)))]).toEqual([
        kind,
        after === undefined ? refusal : undefined,
      ]);
      if (after === undefined) continue;
      const isOpen = stage.sessions.openIds().length > 0;
      expect([kind, after]).toEqual([kind, isOpen ? "`open`" : "`ended`"]);
    }
  });

  it("R3a: an event implies the state of its row, and no other event implies one", () => {
    const implied = new Map(
      rowsOf("States that events imply").map(([event = "", state = ""]) => [kindIn(event), kindIn(state)]),
    );
    expect(implied.size).toBe(5);
    for (const kind of KINDS) {
      expect([kind, stateImpliedBy(kind)]).toEqual([kind, implied.get(kind)]);
      if (kind.startsWith("session.")) continue;
      for (const from of STANDARD_STATES) {
        const stage = stageIn("open");
        if (kind === "tool.completed") stage.publish("tool.invoked");
        stage.publish(published(kind));
        const last = kind === "state.changed" ? eventOf(kind).to_state : "idle";
        const mayBegin =
          from === last || from === implied.get(kind) || (kind === "tool.completed" && from === "calling_tool");
        expect([
          kind,
          from,
          refusalOf(() => stage.publish("state.changed", { from_state: from, to_state: "x" })),
        ]).toEqual([kind, from, mayBegin ? undefined : "state_mismatch"]);
      }
    }
  });
});
