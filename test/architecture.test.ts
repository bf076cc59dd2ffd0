// Who may import whom, and what no file may do. A rule that must bend is bent here, with the reason beside it.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { PACKAGE_GROUPS } from "../transports/optional-packages.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LONGEST_FILE = 400;
const WIDEST_COMMENT = 150;

interface Import {
  readonly from: string;
  /** Types alone, which leave no trace at run time. */
  readonly isType: boolean;
  /** `import()`, which loads when it is reached. */
  readonly isDynamic: boolean;
}

interface File {
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Without comments and the contents of strings. */
  readonly code: string;
  readonly imports: readonly Import[];
}

function filesIn(folder: string): readonly File[] {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).split(sep).join("/")}`)
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
    .sort()
    .map((path) => {
      const text = readFileSync(join(ROOT, path), "utf8");
      return { path, text, code: codeOf(text), imports: importsOf(text) };
    });
}

function codeOf(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replaceAll(/(^|[^:])\/\/.*$/gm, "$1");
}

function importsOf(text: string): readonly Import[] {
  const found: Import[] = [];
  const statement = /^(?:import|export) (type )?(\{[^}]*\}|\*(?: as \w+)?|\w+(?:, \{[^}]*\})?) from "([^"]+)";/gm;
  for (const [, kind, names, from] of text.matchAll(statement)) {
    const named = /^\{([\s\S]*)\}$/.exec(names ?? "")?.[1];
    const allTypes = named?.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type ")) ?? false;
    found.push({ from: from ?? "", isType: kind !== undefined || allTypes, isDynamic: false });
  }
  for (const [, from] of text.matchAll(/^import "([^"]+)";/gm))
    found.push({ from: from ?? "", isType: false, isDynamic: false });
  for (const [, from] of text.matchAll(/\bimport\("([^"]+)"\)/g))
    found.push({ from: from ?? "", isType: false, isDynamic: true });
  return found;
}

/** `./x.js` as a path from the root; `#gen/…` as `gen/…`; anything else as it is. */
function target(file: File, { from }: Import): string {
  if (from.startsWith("#")) return from.slice(1);
  if (!from.startsWith(".")) return from;
  return relative(ROOT, join(ROOT, dirname(file.path), from))
    .split(sep)
    .join("/")
    .replace(/\.js$/, ".ts");
}

type May = "yes" | "types";

/** What each part may import beside itself. The longest prefix of a path decides which part it is in. */
const MAY: Readonly<Record<string, Readonly<Record<string, May>>>> = {
  // One function of a hundred lines that compares two names.
  "src/base": { "fastest-levenshtein": "yes" },
  "src/contracts": { "src/base": "types", "src/engine": "types", gen: "types", "@bufbuild/protobuf": "types" },
  // The queue is a heap of forty lines that knows no platform either.
  // The functions that find words for texts are handed in, because their module is loaded late.
  "src/engine": { "src/base": "yes", "src/contracts": "types", "src/speakable": "types", tinyqueue: "yes" },
  "src/protocols/aaep": {
    "src/base": "yes",
    "src/engine": "yes",
    "src/contracts": "types",
    "gen/aaep": "yes",
    // Messages and their descriptors, as pure as JSON.
    "@bufbuild/protobuf": "yes",
  },
  "src/protocols/exchange-frames.ts": { "src/base": "yes", "src/contracts": "types", "@bufbuild/protobuf": "yes" },
  "src/protocols/a2e": {
    "src/base": "yes",
    "src/engine": "yes",
    "src/contracts": "types",
    "src/protocols/exchange-frames.ts": "yes",
    "gen/a2e": "yes",
    "@bufbuild/protobuf": "yes",
  },
  "src/protocols/akashik": {
    "src/base": "yes",
    "src/engine": "yes",
    "src/contracts": "types",
    "src/protocols/exchange-frames.ts": "yes",
    "gen/akashik": "yes",
    "@bufbuild/protobuf": "yes",
    // One function of a hundred lines, from a word to its stem.
    stemmer: "yes",
  },
  // Text in words, for listeners and for anybody who shows text to people.
  "src/speakable": { "src/base": "yes", "gen/speakable": "yes", "markdown-it": "yes", "ansi-regex": "yes" },
  "src/runtime": { "src/base": "yes", "src/engine": "yes", "src/contracts": "types" },
  "transports/framing": {
    "src/base": "yes",
    "src/contracts": "types",
    "transports/node-errors.ts": "yes",
    node: "yes",
  },
  "transports/memory": {
    "src/base": "yes",
    "src/contracts": "types",
    // The read side of every connection, which knows no bytes.
    "transports/framing/frame-queue.ts": "yes",
  },
  "transports/ipc": {
    "src/base": "yes",
    "src/contracts": "types",
    "transports/framing": "yes",
    "transports/node-errors.ts": "yes",
    "transports/optional-packages.ts": "yes",
    node: "yes",
    // Its types. Where the package is installed, it is loaded by its name alone.
    koffi: "types",
  },
  "transports/stdio": {
    "src/base": "yes",
    "src/contracts": "types",
    "transports/framing": "yes",
    "transports/node-errors.ts": "yes",
    node: "yes",
  },
  "transports/json-rpc": {
    "src/base": "yes",
    "src/contracts": "types",
    "transports/framing": "yes",
    "transports/node-errors.ts": "yes",
    node: "yes",
  },
  "transports/grpc": {
    "src/base": "yes",
    "src/contracts": "types",
    "transports/framing": "yes",
    "transports/ipc": "yes",
    "transports/node-errors.ts": "yes",
    "transports/rpc-status.ts": "yes",
    "transports/service-calls": "yes",
    node: "yes",
    "@bufbuild/protobuf": "yes",
    "@grpc/grpc-js": "yes",
    "@grpc/reflection": "yes",
    "grpc-health-check": "yes",
  },
  // One server for all that speaks over HTTP: it knows no protocol of its services.
  "transports/http": {
    "src/base": "yes",
    "src/contracts": "types",
    "transports/framing": "yes",
    "transports/rpc-status.ts": "yes",
    "transports/service-calls": "yes",
    node: "yes",
  },
  "transports/connect": {
    "src/base": "yes",
    "src/contracts": "types",
    "transports/framing": "yes",
    "transports/http": "yes",
    "transports/ipc": "yes",
    "transports/node-errors.ts": "yes",
    "transports/rpc-status.ts": "yes",
    "transports/service-calls": "yes",
    node: "yes",
    "@bufbuild/protobuf": "yes",
    "@connectrpc/connect": "yes",
    "@connectrpc/connect-node": "yes",
  },
  "transports/event-streams": {
    "src/base": "yes",
    "src/contracts": "types",
    "transports/framing": "yes",
    "transports/http": "yes",
    node: "yes",
    ws: "yes",
  },
  // What the transports of services share.
  "transports/service-calls": {
    "src/base": "yes",
    "src/contracts": "types",
    // Checks of numbers that options have.
    "transports/framing": "yes",
    "transports/ipc": "yes",
    "transports/node-errors.ts": "yes",
    node: "yes",
  },
  "transports/rpc-status.ts": { "src/base": "types" },
  "transports/node-errors.ts": { "src/base": "yes" },
  "transports/optional-packages.ts": { "src/base": "yes", "transports/node-errors.ts": "yes", node: "yes" },
  "transports/ways.ts": { "transports/optional-packages.ts": "yes" },
  "src/client": {
    "src/base": "yes",
    "src/contracts": "types",
    "src/protocols": "yes",
    // The capabilities of a listener are spelled as the engine's terms spell them.
    "src/engine": "types",
    transports: "yes",
    gen: "yes",
    node: "yes",
    // A graph goes on by a command of its own package.
    "@langchain/langgraph": "yes",
    // An agent over gRPC speaks of methods by their descriptors.
    "@bufbuild/protobuf": "types",
    // The files beside the sockets are written by the daemon and read here; one module knows their form.
    "src/daemon/presence/runtime-files.ts": "yes",
  },
  // The types of the ring in memory are those of the window that is handed in.
  "src/storage": { "src/base": "yes", "src/contracts": "types", "src/engine": "types", node: "yes", lmdb: "yes" },
  "src/security": { "src/base": "yes", "src/contracts": "types", node: "yes" },
  // Who speaks, and what next. It knows no event.
  "src/speak": { "src/base": "yes", "src/contracts": "types", "transports/node-errors.ts": "yes", node: "yes" },
  // The line of a braille display shows what would be spoken.
  "src/braille": {
    "src/base": "yes",
    "src/contracts": "types",
    "src/speak": "types",
    "transports/node-errors.ts": "yes",
    node: "yes",
  },
  "src/daemon": {
    // How hooks are read, and the names of agents. What runs a proxy or a client is none of the daemon's.
    "src/adapters": "yes",
    "src/base": "yes",
    "src/security": "yes",
    "src/storage": "yes",
    "@bufbuild/protobuf": "yes",
    "prom-client": "yes",
    "src/engine": "yes",
    "src/contracts": "yes",
    "src/protocols": "yes",
    "src/runtime": "yes",
    transports: "yes",
    gen: "yes",
    node: "yes",
    // Words for texts, loaded when they are first needed.
    "src/speakable": "yes",
    "jsonc-parser": "yes",
    "pino-std-serializers": "yes",
    "safe-stable-stringify": "yes",
    sentencex: "yes",
    "sentencex-wasm": "yes",
  },
  "src/conformance": {
    "src/base": "yes",
    "src/contracts": "types",
    "src/client": "yes",
    transports: "yes",
    gen: "yes",
    node: "yes",
    "@bufbuild/protobuf": "yes",
    "@connectrpc/connect": "yes",
    "@connectrpc/connect-node": "yes",
    "@grpc/grpc-js": "yes",
    ws: "yes",
    "eventsource-parser": "yes",
  },
  // Agents that know nothing of aaepd, made audible through the client.
  "src/adapters": {
    "src/base": "yes",
    // The sentences of adapters, and how texts are shortened.
    "src/engine": "yes",
    "src/client": "yes",
    "src/contracts": "yes",
    "eventsource-parser": "yes",
    transports: "yes",
    node: "yes",
  },
  "src/cli": {
    "src/adapters": "yes",
    "src/conformance": "yes",
    // The doctor examines a token file as the daemon does.
    "src/security": "yes",
    "src/base": "yes",
    "src/engine": "yes",
    "src/contracts": "yes",
    "src/protocols": "yes",
    "src/runtime": "yes",
    "src/client": "yes",
    "src/storage": "yes",
    "src/daemon": "yes",
    "src/speak": "yes",
    "src/braille": "yes",
    "src/speakable": "yes",
    transports: "yes",
    gen: "yes",
    node: "yes",
    commander: "yes",
    // Changes settings of other programs, and leaves their comments. Its types; the daemon's own configuration loads it.
    "jsonc-parser": "types",
    picocolors: "yes",
    "wrap-ansi": "yes",
  },
};

/**
 * The rooms of a hall, from the ground up: each imports itself and the rooms named beside it, all of which stand above it in its list. Files beside the
 * rooms are at the door: they may import every room of their hall, and no room imports them.
 */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "src/engine": {
    event: [],
    text: [],
    time: [],
    terms: ["event"],
    messages: ["event", "terms"],
    journal: ["event"],
    sessions: ["event", "text", "terms", "messages", "journal"],
    questions: ["event", "time", "terms", "journal", "sessions"],
    notices: ["event", "text", "terms", "messages", "sessions", "questions"],
    views: ["event", "text", "time", "terms", "journal"],
    hub: ["event", "time", "terms", "views"],
    subscriptions: ["event", "text", "time", "terms", "journal", "sessions", "questions", "notices", "views", "hub"],
    agents: ["event", "time", "sessions", "questions", "notices", "hub"],
  },
  "src/protocols/aaep": {
    validation: [],
    json: [],
    protobuf: [],
    subscriber: ["validation", "json"],
    agent: ["validation", "json", "subscriber"],
    sessions: ["json", "subscriber", "agent"],
    services: ["json", "protobuf", "subscriber", "agent", "sessions"],
  },
  "src/protocols/a2e": {
    messages: [],
    providers: ["messages"],
    mirror: ["messages"],
    agent: ["messages", "providers", "mirror"],
    services: [],
  },
  "src/protocols/akashik": {
    messages: [],
    field: ["messages"],
    agent: ["messages", "field"],
    services: ["messages"],
  },
  "src/speakable": {
    words: [],
    markdown: ["words"],
  },
  "src/storage": {
    checksums: [],
    blocks: [],
    state: ["checksums", "blocks"],
    // The journal in front of a block store knows no store.
    window: ["blocks", "state"],
    lmdb: ["checksums", "blocks"],
  },
  "src/daemon": {
    platform: [],
    config: ["platform"],
    audit: ["platform", "config"],
    journal: ["platform", "config"],
    status: ["platform"],
    presence: ["platform", "config"],
    "service-manager": [],
    a2e: ["config"],
    akashik: ["config"],
    hooks: ["platform", "config"],
    late: ["config", "a2e", "akashik", "hooks"],
    addresses: ["platform", "config"],
    services: ["platform", "config", "audit", "status", "presence", "late", "addresses"],
  },
  "src/client": {
    listener: [],
    http: ["listener"],
    agent: ["http"],
    discovery: ["listener"],
    frameworks: ["agent"],
  },
  "src/conformance": {
    findings: [],
    report: ["findings"],
    wire: ["findings"],
    drive: ["wire"],
    producer: ["findings", "wire", "drive"],
    subscriber: ["findings", "wire"],
  },
  "src/adapters": {
    proxy: [],
    acp: ["proxy"],
    mcp: ["proxy"],
    program: ["proxy"],
    relay: [],
    hooks: [],
  },
  "src/cli": {
    terminal: [],
    shell: ["terminal"],
    adapters: ["terminal", "shell"],
    serve: ["terminal", "shell"],
    recordings: ["terminal", "shell"],
    status: ["terminal", "shell"],
    address: ["terminal", "shell", "status"],
    journal: ["terminal", "shell", "recordings"],
    service: ["terminal", "shell", "status"],
    hooks: ["terminal", "shell", "status"],
    doctor: ["terminal", "shell", "status", "service", "hooks"],
    config: ["terminal", "shell"],
    completion: ["terminal", "shell"],
    questions: ["terminal"],
    demo: ["terminal", "shell", "recordings", "questions"],
    field: ["terminal", "shell"],
    conformance: ["terminal", "shell"],
    tail: ["terminal", "shell", "questions", "field"],
    speak: ["terminal", "shell", "questions"],
    setup: ["terminal", "shell", "status", "service", "hooks", "config", "tail"],
  },
};

/** Halls whose door is the ground on which the rooms stand: the rooms import its files. Only the files named here import the rooms. */
const GROUNDS: Readonly<Record<string, readonly string[]>> = {
  "src/speakable": ["index.ts", "speakable.ts", "stream.ts", "consent.ts"],
  "src/client": ["index.ts", "main.ts", "node.ts", "with-grpc.ts"],
  "src/adapters": [],
};

/** Where a file stands in its hall: the name of its room, "" at the door; undefined where it is in no hall. */
function placeOf(path: string): { readonly hall: string; readonly room: string } | undefined {
  const hall = Object.keys(ROOMS).find((one) => path.startsWith(`${one}/`));
  if (hall === undefined) return undefined;
  const [room = "", ...rest] = path.slice(hall.length + 1).split("/");
  return { hall, room: rest.length === 0 ? "" : room };
}

/** The imports that lead from one place of a hall to another, as lines `hall: room → room`, with a file for each. */
function arrowsOf(files: readonly File[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const file of files) {
    const from = placeOf(file.path);
    if (from === undefined) continue;
    for (const one of file.imports) {
      const path = target(file, one);
      const to = placeOf(path);
      const isGround = to?.room === "" && GROUNDS[to.hall] !== undefined;
      if (to?.hall === from.hall && to.room !== from.room && !isGround)
        found.set(arrow(from.hall, from.room, to.room), `${file.path} → ${path}`);
    }
  }
  return found;
}

function arrow(hall: string, from: string, to: string): string {
  return `${hall}: ${from} → ${to}`;
}

/** Files that import optional packages, directly or by way of another file. Everything else loads them with `withPackages`. */
const KNOWN_TO_NEED_PACKAGES = [
  "transports/grpc/",
  "transports/connect/",
  "transports/event-streams/",
  "src/protocols/aaep/protobuf/",
  "src/protocols/aaep/services/",
  "src/protocols/exchange-frames.ts",
  "src/protocols/a2e/services/",
  "src/protocols/akashik/services/",
  "src/client/agent/grpc-connection.ts",
  "src/conformance/wire/service-links.ts",
  "src/conformance/wire/websocket-links.ts",
  "src/daemon/services/offer-services.ts",
  "src/daemon/status/metrics.ts",
];

const PURE = /^src\/(base|contracts|engine|protocols|runtime|speakable|conformance\/(findings|report))\//;
const FILES = [...filesIn("src"), ...filesIn("transports")];

function partOf(path: string): string {
  const parts = Object.keys(MAY).filter((part) => path === part || path.startsWith(`${part}/`));
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

function allowed(file: File, one: Import): boolean {
  const part = partOf(file.path);
  const to = target(file, one);
  if (partOf(to) === part) return true;
  const may = Object.entries(MAY[part] ?? {}).find(([name]) =>
    name === "node" ? to.startsWith("node:") : to === name || to.startsWith(`${name}/`),
  )?.[1];
  return may === "yes" || (may === "types" && one.isType);
}

/** The chain of files that leads back to `start`. */
function cycleFrom(start: string, edges: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const before = new Map<string, string>();
  const open = [start];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const next of edges.get(path) ?? []) {
      if (next === start) {
        const chain = [start];
        for (let at: string | undefined = path; at !== undefined && at !== start; at = before.get(at))
          chain.unshift(at);
        return [start, ...chain];
      }
      if (before.has(next)) continue;
      before.set(next, path);
      open.push(next);
    }
  }
  return undefined;
}

describe("who imports whom", () => {
  it("reads imports as they are written", () => {
    const text =
      'import type { A } from "./a.js";\nimport { type B, c } from "../b.js";\nimport { type D } from "#gen/d.js";\n';
    expect(importsOf(`${text}export const e = await import("node:fs");\n`)).toEqual([
      { from: "./a.js", isType: true, isDynamic: false },
      { from: "../b.js", isType: false, isDynamic: false },
      { from: "#gen/d.js", isType: true, isDynamic: false },
      { from: "node:fs", isType: false, isDynamic: true },
    ]);
  });

  it("every file is in a part that has rules", () => {
    expect(FILES.length).toBeGreaterThan(150);
    expect(FILES.filter(({ path }) => partOf(path) === "").map(({ path }) => path)).toEqual([]);
  });

  it("each imports only what its part may", () => {
    const wrong = FILES.flatMap((file) =>
      file.imports.filter((one) => !allowed(file, one)).map((one) => `${file.path} → ${target(file, one)}`),
    );
    expect(wrong).toEqual([]);
  });

  it("rooms do not go in circles: each names only rooms that stand above it", () => {
    const wrong = Object.entries(ROOMS).flatMap(([hall, rooms]) => {
      const names = Object.keys(rooms);
      return names.flatMap((room, index) =>
        (rooms[room] ?? []).filter((to) => !names.slice(0, index).includes(to)).map((to) => arrow(hall, room, to)),
      );
    });
    expect(wrong).toEqual([]);
  });

  it("every folder of a hall is a room", () => {
    const places = FILES.flatMap(({ path }) => placeOf(path) ?? []);
    const found = new Set(places.filter(({ room }) => room !== "").map(({ hall, room }) => `${hall}/${room}`));
    const named = Object.entries(ROOMS).flatMap(([hall, rooms]) => Object.keys(rooms).map((room) => `${hall}/${room}`));
    expect([...found].sort()).toEqual(named.sort());
  });

  it("each room imports only the rooms that it names, and all of them", () => {
    const named = new Set(
      Object.entries(ROOMS).flatMap(([hall, rooms]) =>
        Object.entries(rooms).flatMap(([room, to]) => to.map((one) => arrow(hall, room, one))),
      ),
    );
    const found = arrowsOf(FILES.filter(({ path }) => placeOf(path)?.room !== ""));
    expect([...found].filter(([one]) => !named.has(one)).map(([, example]) => example)).toEqual([]);
    expect([...named].filter((one) => !found.has(one))).toEqual([]);
  });

  it("the files of a ground import no room, beside the doors to the outside", () => {
    const wrong = Object.entries(GROUNDS).flatMap(([hall, doors]) =>
      FILES.filter(({ path }) => placeOf(path)?.hall === hall && placeOf(path)?.room === "")
        .filter(({ path }) => !doors.includes(path.slice(hall.length + 1)))
        .flatMap((file) => file.imports.map((one) => ({ file, to: target(file, one) })))
        .filter(({ to }) => (placeOf(to)?.room ?? "") !== "" && to.startsWith(`${hall}/`))
        .map(({ file, to }) => `${file.path} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it("nothing imports in a circle, types counted", () => {
    const known = new Set(FILES.map(({ path }) => path));
    const edges = new Map(
      FILES.map((file) => [file.path, file.imports.map((one) => target(file, one)).filter((to) => known.has(to))]),
    );
    const cycles = FILES.flatMap(({ path }) => cycleFrom(path, edges)?.join(" → ") ?? []);
    expect(cycles).toEqual([]);
  });

  it("only transports/grpc knows grpc-js, and only transports/connect and the conformance suite know Connect", () => {
    for (const [library, ...folders] of [
      ["@grpc/", "transports/grpc/"],
      ["@connectrpc/", "transports/connect/", "src/conformance/wire/"],
    ] as const) {
      const users = FILES.filter(({ imports }) => imports.some(({ from }) => from.startsWith(library)));
      expect(users.length).toBeGreaterThan(0);
      const isElsewhere = (path: string): boolean => !folders.some((folder) => path.startsWith(folder));
      expect(users.filter(({ path }) => isElsewhere(path)).map(({ path }) => path)).toEqual([]);
    }
  });

  it("optional packages are imported by parts that withPackages loads", () => {
    const optional = Object.values(PACKAGE_GROUPS).flatMap(({ packages }) => Object.keys(packages));
    const needy = new Set<string>();
    const needsPackages = (to: string): boolean =>
      needy.has(to) || /^gen\/\w+\/v1\//.test(to) || optional.some((name) => `${to}/`.startsWith(`${name}/`));
    const needs = (file: File): boolean =>
      file.imports.some((one) => !one.isType && !one.isDynamic && needsPackages(target(file, one)));
    for (let size = -1; size < needy.size; ) {
      size = needy.size;
      for (const file of FILES) if (needs(file)) needy.add(file.path);
    }
    expect(needy.size).toBeGreaterThan(30);
    const isKnown = (path: string): boolean => KNOWN_TO_NEED_PACKAGES.some((one) => path.startsWith(one));
    expect([...needy].filter((path) => !isKnown(path))).toEqual([]);
    const loaders = FILES.filter((file) => file.imports.some((one) => one.isDynamic && needy.has(target(file, one))));
    expect(loaders.length).toBeGreaterThan(3);
    expect(loaders.filter(({ code }) => !code.includes("withPackages(")).map(({ path }) => path)).toEqual([]);
  });

  it("only transports/node-errors.ts reads the platform's error codes", () => {
    const readers = FILES.filter(({ text }) => /"E[A-Z]{4,}"/.test(text)).map(({ path }) => path);
    expect(readers).toEqual(["transports/node-errors.ts"]);
  });
});

describe("what no file does", () => {
  const offenders = (files: readonly File[], pattern: RegExp): readonly string[] =>
    files.flatMap(({ path, code }) => {
      const found = pattern.exec(code);
      return found === null ? [] : [`${path}: ${found[0]}`];
    });
  const pure = FILES.filter(({ path }) => PURE.test(path));

  it("the pure folders know no platform, no clock and no chance (R24)", () => {
    expect(pure.filter(({ imports }) => imports.some(({ from }) => from.startsWith("node:")))).toEqual([]);
    expect(
      offenders(
        pure,
        /\bDate\.now\b|\bnew Date\b(?!\([^)\s])|\bMath\.random\b|\bperformance\b|\bset(Timeout|Interval|Immediate)\b|\bprocess\./,
      ),
    ).toEqual([]);
  });

  it("of the engine, one alone spells the words of AAEP and of the daemon's own extension", () => {
    const spellers = FILES.filter(
      ({ path, text }) =>
        path.startsWith("src/engine/") &&
        /(?<![\w.-])aaepd?[:.]|\baaepd\b|https?:\/\//.test(
          text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|[^:])\/\/.*$/gm, "$1"),
        ),
    );
    expect(spellers.map(({ path }) => path)).toEqual(["src/engine/event/vocabulary.ts"]);
  });

  it("no default exports", () => {
    expect(offenders(FILES, /\bexport default\b|\bexport \{[^}]*\bas default\b/)).toEqual([]);
  });

  it("no state of a module's own", () => {
    expect(offenders(FILES, /^(export )?(let|var) .*/m)).toEqual([]);
  });

  it("no enum, namespace or any", () => {
    expect(offenders(FILES, /^\s*(export )?(const )?(enum|namespace) |: any\b|<any>|\bas any\b/m)).toEqual([]);
  });

  it("no files that only pass on what others export", () => {
    // What is public has doors, which the package names.
    const barrels = FILES.filter(
      ({ path, text }) =>
        ![
          "src/client/index.ts",
          "src/client/main.ts",
          "src/client/with-grpc.ts",
          "src/client/node.ts",
          "src/daemon/index.ts",
          "src/speakable/index.ts",
        ].includes(path) && /^export (\*|\{[^}]*\}|type \{[^}]*\}) from /m.test(text),
    );
    expect(barrels.map(({ path }) => path)).toEqual([]);
  });

  it(`no file is longer than ${LONGEST_FILE} lines`, () => {
    // Those of tests grow with their cases, and are not counted.
    const long = FILES.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
    expect(long.filter(({ lines }) => lines > LONGEST_FILE)).toEqual([]);
  });

  it(`no comment is wider than ${WIDEST_COMMENT} columns`, () => {
    // The formatter keeps code within its width, and leaves comments alone.
    const wide = FILES.flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => {
        const isComment = /^\s*(\/\/|\/?\*)/.test(line);
        return isComment && line.length > WIDEST_COMMENT ? [`${path}:${index + 1}`] : [];
      }),
    );
    expect(wide).toEqual([]);
  });
});
