// Programs of a stranger in TypeScript, compiled against the package that they have installed: statements that compile, each beside one with a single flaw.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const COMPILER = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

/** Both ways in which a program of today finds the types of a package. */
export const RESOLUTIONS = [
  { module: "NodeNext", moduleResolution: "NodeNext" },
  { module: "ESNext", moduleResolution: "Bundler" },
] as const;

/** A statement that compiles, and the same one with one flaw. */
interface Pair {
  readonly flaw: string;
  readonly right: string;
  readonly wrong: string;
}

const STARTED = `type: "aaep:agent.state.changed", from_state: "idle", to_state: "thinking"`;
const ENVELOPE = `"@context": "https://aaep-protocol.org/context/v1", event_id: "evt_1", session_id: "sess_1", timestamp: "2026-11-23T12:00:00Z"`;
const PRODUCER = `producer: { agent_id: "sorter" }`;

const PAIRS: readonly Pair[] = [
  {
    flaw: "a misspelt type is published",
    right: `session.publish({ type: "aaep:agent.tool.invoked", tool: "sort", summary_normal: "Sorts." });`,
    wrong: `session.publish({ type: "aaep:agent.tool.invokedd", tool: "sort", summary_normal: "Sorts." });`,
  },
  {
    flaw: "an unknown member is published",
    right: `session.publish({ ${STARTED} });`,
    wrong: `session.publish({ ${STARTED}, nosuch: 1 });`,
  },
  {
    flaw: "a required member is not published",
    right: `session.publish({ type: "aaep:agent.progress.updated", progress: { percent: 1 } });`,
    wrong: `session.publish({ type: "aaep:agent.progress.updated" });`,
  },
  {
    flaw: "a literal has another value",
    right: `session.publish({ type: "aaep:agent.tool.completed", tool: "sort", status: "timeout" });`,
    wrong: `session.publish({ type: "aaep:agent.tool.completed", tool: "sort", status: "done" });`,
  },
  {
    flaw: "an urgency is not that of the type",
    right: `session.publish({ type: "aaep:agent.session.errored", summary_normal: "It failed.", error_category: "unknown", urgency: "critical" });`,
    wrong: `session.publish({ type: "aaep:agent.session.errored", summary_normal: "It failed.", error_category: "unknown", urgency: "normal" });`,
  },
  {
    flaw: "a member has the type of another one",
    right: `session.publish({ type: "aaep:agent.output.streaming", chunk: "a", complete: false });`,
    wrong: `session.publish({ type: "aaep:agent.output.streaming", chunk: "a", complete: "no" });`,
  },
  {
    flaw: "an extension's member is missing",
    right: `session.publish({ type: "medai:patient.consulted", patient: "p1" });`,
    wrong: `session.publish({ type: "medai:patient.consulted" });`,
  },
  {
    flaw: "an extension's event is of a type that nobody has made known",
    right: `session.publish({ type: "medai:patient.consulted", patient: "p1", urgency: "normal" });`,
    wrong: `session.publish({ type: "medai:patient.left", patient: "p1" });`,
  },
  {
    flaw: "a session begins with a misspelt member",
    right: `host.session("Sorts.", { started: { request_text: "Sort them." } });`,
    wrong: `host.session("Sorts.", { started: { request_txt: "Sort them." } });`,
  },
  {
    flaw: "a tool is invoked with a misspelt member",
    right: `await session.tool("sort", () => 3, { summary: undefined, completed: (count) => count.toFixed(), invoked: { args_summary: "all" } });`,
    wrong: `await session.tool("sort", () => 3, { summary: undefined, completed: (count) => count.toFixed(), invoked: { arg_summary: "all" } });`,
  },
  {
    flaw: "the result of a tool has another type",
    right: `number(await session.tool("sort", async () => 3, { irreversible: true, declined: () => 0 }));`,
    wrong: `number(await session.tool("sort", async () => 3, { irreversible: true, declined: () => "none" }));`,
  },
  {
    flaw: "a tool has a question, and nobody is asked",
    right: `await session.tool("delete", () => 3, { irreversible: true, action: "Delete." });`,
    wrong: `await session.tool("delete", () => 3, { action: "Delete." });`,
  },
  {
    flaw: "a question for consent has a misspelt member",
    right: `await session.confirm({ action: "Pay.", consequence: "It is gone.", risk_level: "high", extra_context: { amount: 3 } });`,
    wrong: `await session.confirm({ action: "Pay.", consequence: "It is gone.", risk_lvel: "high", extra_context: { amount: 3 } });`,
  },
  {
    flaw: "a question has a member in another spelling",
    right: `await session.clarify({ question: "Which?", default_response: "all" });`,
    wrong: `await session.clarify({ question: "Which?", defaultResponse: "all" });`,
  },
  {
    flaw: "a progress says nothing",
    right: `session.progress({ step: 1, total_steps: 3 });`,
    wrong: "session.progress({});",
  },
  {
    flaw: "a text is said as if it were a stream",
    right: `await session.say(["All ", "sorted."]);`,
    wrong: `await session.say("All sorted.");`,
  },
  {
    flaw: "a manifest has a misspelt member",
    right: `await openAgent({ id: "sorter", connectors: [], manifest: { agent_version: "1.0.0" } });`,
    wrong: `await openAgent({ id: "sorter", connectors: [], manifest: { agent_verson: "1.0.0" } });`,
  },
  {
    flaw: "a handoff has a target of no kind",
    right: `session.handoff({ reason: "A person knows better.", target_kind: "human", summary_terse: "To a person." });`,
    wrong: `session.handoff({ reason: "A person knows better.", target_kind: "person", summary_terse: "To a person." });`,
  },
  {
    flaw: "a received event lacks what the daemon fills in",
    right: `export const received: AaepEvent = { ${ENVELOPE}, ${PRODUCER}, type: "aaep:agent.session.completed", summary_normal: "Done." };`,
    wrong: `export const received: AaepEvent = { ${ENVELOPE}, type: "aaep:agent.session.completed", summary_normal: "Done." };`,
  },
  {
    flaw: "a listener asks for a misspelt term",
    right: `subscribe([], { preferred_verbosity: "terse", aaepd: { max_chars: 80 }, medai: { wards: ["3"] } });`,
    wrong: `subscribe([], { prefered_verbosity: "terse" });`,
  },
  {
    flaw: "a listener asks for a misspelt boundary",
    right: `subscribe([], { coalesce_boundaries: ["sentence"] });`,
    wrong: `subscribe([], { coalesce_boundaries: ["sentense"] });`,
  },
  {
    flaw: "a listener asks for a misspelt term of aaepd's",
    right: `subscribe([], { event_filters: { exclude: ["aaep:agent.state.changed"] } });`,
    wrong: `subscribe([], { aaepd: { max_char: 80 } });`,
  },
  {
    flaw: "a listener changes to a misspelt term",
    right: "await subscription.renegotiate({ max_events_per_second: 2 });",
    wrong: "await subscription.renegotiate({ max_event_per_second: 2 });",
  },
  {
    flaw: "a listener asks for a capability of an extension that nobody has made known",
    right: `subscribe([], { medai: { wards: [] } });`,
    wrong: `subscribe([], { medaid: { wards: [] } });`,
  },
  {
    flaw: "a type of the union has no case",
    right: `export const kindOf = (type: AaepEvent["type"]): string => { switch (type) { ${casesOf("session.started", "session.completed", "session.errored", "session.cancelled", "state.changed", "progress.updated", "tool.invoked", "tool.completed", "output.streaming", "awaiting.confirmation", "awaiting.clarification", "handoff.requested")} } };`,
    wrong: `export const kindOf = (type: AaepEvent["type"]): string => { switch (type) { ${casesOf("session.started", "session.completed", "session.errored", "session.cancelled", "state.changed", "progress.updated", "tool.invoked", "tool.completed", "output.streaming", "awaiting.confirmation", "awaiting.clarification")} } };`,
  },
  {
    flaw: "a switch has a case that is no type",
    right: `switch (core.type) { case "aaep:agent.tool.invoked": break; }`,
    wrong: `switch (core.type) { case "aaep:agent.tool.invokedd": break; }`,
  },
  {
    flaw: "a member is read that the narrowed type does not have",
    right: `switch (core.type) { case "aaep:agent.output.streaming": text(core.chunk); break; case "aaep:agent.tool.invoked": text(core.tool); }`,
    wrong: `switch (core.type) { case "aaep:agent.output.streaming": text(core.tool); break; case "aaep:agent.tool.invoked": text(core.tool); }`,
  },
  {
    flaw: "a payload is read before isCore and the type have shown that it is there",
    right: `for await (const event of subscription) if (isCore(event) && event.type === "aaep:agent.state.changed") text(event.to_state);`,
    wrong: `for await (const event of subscription) if (event.type === "aaep:agent.state.changed") text(event.to_state);`,
  },
  {
    flaw: "an event that is not of the core is read as one",
    right: "for await (const event of subscription) if (isCore(event)) known(event);",
    wrong: "for await (const event of subscription) if (!isCore(event)) known(event);",
  },
  {
    flaw: "a member of an extension is read with the wrong type",
    right: `if (isExtension(event, "medai:patient.consulted")) text(event.patient);`,
    wrong: `if (isExtension(event, "medai:patient.consulted")) number(event.patient);`,
  },
  {
    flaw: "an extension's event is named that nobody has made known",
    right: `export type Consulted = ExtensionEvent<"medai:patient.consulted">["patient"];`,
    wrong: `export type Left = ExtensionEvent<"medai:patient.left">;`,
  },
];

function casesOf(...types: readonly string[]): string {
  return types.map((type) => `case "aaep:agent.${type}": return "${type}";`).join(" ");
}

/** What a program imports. */
export type Exporter = "aaepd" | "aaepd/client" | "@aaepd/client" | "@aaepd/client/web";

/** The program of all statements of one kind, and the number of its line in which the first one stands. */
export function programOf(kind: "right" | "wrong", from: Exporter): string {
  const isDeclaration = (statement: string) => statement.startsWith("export ");
  const lines = [
    `import { type AaepEvent, type Agent, type AgentSession, type ExtensionEvent, isCore, isExtension, openAgent, type ReceivedEvent, subscribe, type Subscription } from "${from}";`,
    `declare module "${from}" { interface ExtensionEvents { "medai:patient.consulted": { readonly patient: string } } interface ExtensionTerms { medai?: { readonly wards: readonly string[] } } }`,
    "declare const [host, session, subscription]: [Agent, AgentSession, Subscription];",
    "declare const [core, event]: [AaepEvent, ReceivedEvent];",
    "declare const [text, number]: [(value: string) => void, (value: number) => void];",
    "declare const known: (value: AaepEvent) => void;",
    ...PAIRS.map((pair) => (isDeclaration(pair[kind]) ? pair[kind] : `{ ${pair[kind]} }`)),
  ];
  return `${lines.join("\n")}\n`;
}

/** The line of a program in which the first statement stands. */
const FIRST_STATEMENT = 7;

/** The flaws of the wrong program that no error names, and every error that names no flaw. */
export function missedFlaws(errors: readonly string[]): readonly string[] {
  const expected = new Map(PAIRS.map(({ flaw }, index) => [`wrong.ts ${FIRST_STATEMENT + index}`, flaw]));
  const missed = [...expected].filter(([place]) => !errors.includes(place)).map(([, flaw]) => flaw);
  return [...missed, ...errors.filter((place) => !expected.has(place))];
}

/** Compiles programs in a folder. Returns the places of the errors, as in "wrong.ts 7", and whatever else the compiler has said. */
export function compile(...given: Parameters<typeof saidOf>): readonly string[] {
  const lines = saidOf(...given)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(" "));
  return [...new Set(lines.map((line) => line.replace(/^(?:.*\/)?(\S+)\((\d+),\d+\): error .*/, "$1 $2")))];
}

/** Likewise all that the compiler says. */
export function saidOf(
  folder: string,
  programs: Readonly<Record<string, string>>,
  options: Readonly<Record<string, unknown>>,
  compiler: string = COMPILER,
): string {
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);
  const compilerOptions = {
    target: "es2022",
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    ...options,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(programs) }));
  return spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { encoding: "utf8" }).stdout;
}
