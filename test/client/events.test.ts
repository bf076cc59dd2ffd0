// The types of events: read by the compiler in `npm run types`, and here over the built package, as a program of a stranger sees it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { withShortType } from "../../src/client/event-types.js";
import {
  type AaepEvent,
  isCore,
  isExtension,
  type PublishedEvent,
  type ReceivedEvent,
} from "../../src/client/events.js";
import { ensureBuilt } from "../support/built.js";
import { isWhole } from "../support/extent.js";
import { compile, missedFlaws, programOf, RESOLUTIONS } from "../support/typed-programs.js";

declare module "../../src/client/events.js" {
  interface ExtensionEvents {
    "medai:patient.consulted": { readonly patient: string };
  }
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const ENVELOPE = {
  "@context": "https://aaep-protocol.org/context/v1",
  event_id: "evt_1",
  session_id: "sess_1",
  timestamp: "2026-11-23T12:00:00Z",
  producer: { agent_id: "sorter" },
} as const;

/** Every type has its sentence: a case that is missing would leave a path without a result. */
function sentence(event: AaepEvent): string {
  switch (event.type) {
    case "aaep:agent.session.started":
    case "aaep:agent.session.completed":
    case "aaep:agent.session.cancelled":
    case "aaep:agent.session.errored":
      return event.summary_normal;
    case "aaep:agent.state.changed":
      return `${event.from_state} → ${event.to_state}`;
    case "aaep:agent.progress.updated":
      return `${event.progress.percent} %`;
    case "aaep:agent.tool.invoked":
    case "aaep:agent.tool.completed":
      return event.tool;
    case "aaep:agent.output.streaming":
      return event.chunk;
    case "aaep:agent.awaiting.confirmation":
      return event.action;
    case "aaep:agent.awaiting.clarification":
      return event.question;
    case "aaep:agent.handoff.requested":
      return event.reason;
  }
}

const tool: ReceivedEvent = {
  ...ENVELOPE,
  type: "aaep:agent.tool.invoked",
  tool: "sort",
  summary_normal: "Sorts.",
  summary_normal_fr: "Trie.",
};
const foreign: ReceivedEvent = { ...ENVELOPE, type: "medai:patient.consulted", patient: "p1" };

describe("received events", () => {
  it("AAEP §4: isCore tells the twelve types, which a switch tells apart", () => {
    expect([tool, foreign].map(isCore)).toEqual([true, false]);
    expect(isCore(tool) && sentence(tool)).toBe("sort");
    expect(isCore({ ...foreign, type: "constructor" })).toBe(false);
    if (isCore(tool)) {
      expectTypeOf(tool.type).not.toEqualTypeOf<string>();
      // @ts-expect-error: no such member.
      expect(tool.nosuch).toBeUndefined();
      // @ts-expect-error: no such type.
      expect(tool.type === "aaep:agent.tool.invokedd").toBe(false);
    }
  });

  it("AAEP §7: isExtension gives the members that a program has made known", () => {
    expect(isExtension(tool, "medai:patient.consulted")).toBe(false);
    if (!isExtension(foreign, "medai:patient.consulted")) throw new Error("It is one.");
    expectTypeOf(foreign.patient).toEqualTypeOf<string>();
    expect(foreign.patient).toBe("p1");
    // @ts-expect-error: a type that nobody has made known.
    expect(isExtension(tool, "medai:unknown")).toBe(false);
  });

  it("AAEP §3.2.2: the long spelling of a core type arrives as the short one", () => {
    const long: Envelope = { ...ENVELOPE, type: "https://aaep-protocol.org/types/agent.tool.invoked", tool: "sort" };
    expect(withShortType(long)).toEqual({ ...long, type: "aaep:agent.tool.invoked" });
    expect(withShortType(foreign)).toBe(foreign);
  });

  it("a function that takes any event takes received ones", () => {
    expectTypeOf<ReceivedEvent>().toExtend<Envelope>();
  });
});

it("R2: published events may lack what the daemon fills in, and nothing else", () => {
  const published: readonly PublishedEvent[] = [
    { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Sorts.", summary_normal_fr: "Trie." },
    { type: "aaep:agent.output.streaming", session_id: "sess_1", chunk: "a", complete: false, position: 0 },
    { type: "aaep:agent.session.completed", session_id: "sess_1", summary_normal: "Done." },
    { type: "medai:patient.consulted", session_id: "sess_1", patient: "p1" },
    // @ts-expect-error: the type is misspelt.
    { type: "aaep:agent.tool.invokedd", session_id: "sess_1", tool: "sort", summary_normal: "Sorts." },
    // @ts-expect-error: no such member.
    { type: "aaep:agent.tool.invoked", session_id: "sess_1", tool: "sort", summary_normal: "Sorts.", nosuch: 1 },
    // @ts-expect-error: summary_normal is required.
    { type: "aaep:agent.tool.invoked", session_id: "sess_1", tool: "sort" },
    // @ts-expect-error: no such value.
    { type: "aaep:agent.tool.completed", session_id: "sess_1", tool: "sort", status: "done" },
    // @ts-expect-error: the extension's member is missing.
    { type: "medai:patient.consulted", session_id: "sess_1" },
  ];
  expect(published).toHaveLength(9);
});

/** The blocks in TypeScript of the guides, each a module of its own. */
function blocksOfGuides(): Readonly<Record<string, string>> {
  const blocks = ["publishing", "subscribing"].flatMap((guide) =>
    Array.from(
      readFileSync(join(ROOT, `docs/${guide}.md`), "utf8").matchAll(/^```ts\n(.*?)^```$/gms),
      ([, text]) => text,
    ),
  );
  expect(blocks).toHaveLength(2);
  return Object.fromEntries(blocks.map((text, index) => [`guide-${index}.ts`, `import "aaepd/client";\n${text}`]));
}

describe("a program that has installed the package", () => {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-types-"));
  beforeAll(() => {
    ensureBuilt();
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/aaepd"), "dir");
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(isWhole ? RESOLUTIONS : RESOLUTIONS.slice(0, 1))(
    "compiles with $module and $moduleResolution, and not where it has a flaw",
    (resolution) => {
      const options = { ...resolution, lib: ["es2023", "dom"], types: [] };
      const from = "aaepd/client";
      const programs = {
        "right.ts": programOf("right", from),
        "wrong.ts": programOf("wrong", from),
        ...blocksOfGuides(),
      };
      expect(missedFlaws(compile(folder, programs, options))).toEqual([]);
    },
  );
});
