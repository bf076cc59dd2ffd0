// Joins the compiled modules of the command line and of the package's exports into a few files, which they share: reading some hundred modules takes as
// long as the rest of a start. Packages stay outside, with their licences beside them.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const dir = `${root}dist/bundle`;

/** The command line, and the exports of package.json. */
const ENTRIES = {
  main: "cli/main.js",
  index: "client/main.js",
  client: "client/index.js",
  node: "client/node.js",
  daemon: "daemon/index.js",
};

/**
 * The modules that each start begins with. The daemon reads some hundred modules when it starts, and other commands read some of these too. Modules with
 * the same readers stand in one file: a start opens few files, and reads few modules that it does not use. A start does not read what it loads later, by
 * `import()`.
 */
const STARTS = {
  client: ["client/index.js"],
  command: [
    "cli/main.js",
    "cli/program.js",
    "daemon/platform/version.js",
    "cli/adapters/say.js",
    "cli/status/status.js",
    "cli/tail/tail.js",
  ],
  brief: ["cli/status/status-run.js", "cli/adapters/say-run.js", "cli/tail/tail-run.js"],
  documents: ["cli/recordings/validate-run.js", "cli/adapters/mcp-run.js", "cli/adapters/acp-run.js"],
  help: [
    "cli/serve/serve.js",
    "cli/setup/setup.js",
    "cli/serve/stdio.js",
    "cli/serve/a2e.js",
    "cli/adapters/acp.js",
    "cli/hooks/hook.js",
    "cli/adapters/mcp.js",
    "cli/adapters/run.js",
    "cli/adapters/say.js",
    "cli/serve/manifest.js",
    "cli/tail/tail.js",
    "cli/recordings/publish.js",
    "cli/recordings/validate.js",
    "cli/journal/journal.js",
    "cli/journal/replay.js",
    "cli/status/status.js",
    "cli/doctor/doctor.js",
    "cli/service/service.js",
    "cli/config/config.js",
    "cli/completion/completion.js",
    "cli/conformance/conformance.js",
    "cli/demo/demo.js",
  ],
  config: [
    "cli/config/config.js",
    "cli/config/config-show-run.js",
    "cli/journal/journal.js",
    "cli/journal/journal-inspect-run.js",
  ],
  doctor: ["cli/doctor/doctor-run.js"],
  daemon: [
    "cli/serve/serve.js",
    "daemon/daemon.js",
    "daemon/lifecycle.js",
    "daemon/platform/log.js",
    "daemon/platform/clock.js",
    "daemon/platform/ids.js",
    "daemon/journal/journal-folder.js",
    "storage/open-disk-journal.js",
  ],
};

/** The modules of a start, and all that these import. */
function readBy(start, graph) {
  const read = new Set(STARTS[start].map((module) => `${root}dist/src/${module}`));
  for (const id of read)
    if (graph.getModuleInfo(id) === null) throw new Error(`${start} starts with ${id}, which is missing.`);
  for (const id of read) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) read.add(imported);
  return read;
}

const modules = new Map();

/** The file of a module that the daemon reads at its start is named after all starts that read it. The other modules stand where rolldown puts them. */
function fileOf(id, graph) {
  if (modules.size === 0) for (const start of Object.keys(STARTS)) modules.set(start, readBy(start, graph));
  if (!modules.get("daemon").has(id)) return null;
  return [...modules.keys()].filter((start) => modules.get(start).has(id)).join("-");
}

/** Writes a whole file in one step. An unchanged file only gets a new time. */
function write(name, content) {
  const path = `${dir}/${name}`;
  const now = new Date();
  if (existsSync(path) && readFileSync(path, "utf8") === content) return utimesSync(path, now, now);
  writeFileSync(`${path}.${process.pid}`, content);
  renameSync(`${path}.${process.pid}`, path);
}

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, module]) => [name, `${root}dist/src/${module}`])),
  // Browsers load some of the files. For "node", each file would need a module of Node.
  platform: "neutral",
  external: (id) => !/^[./#]/.test(id) && !id.startsWith(root),
  // Of modules that one command reads at its start and another one later.
  checks: { ineffectiveDynamicImport: false },
  // `includeDependenciesRecursively: false` needs it.
  preserveEntrySignatures: "allow-extension",
});
// Everything that is read is compiled, blanks and comments too. Names stay, for readers of stacks and profiles.
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
// With their dependencies, the first modules would take into their file what others need without them.
const groups = [{ name: fileOf, debugName: "starts", includeDependenciesRecursively: false }];
const { output } = await bundle.generate({ dir, format: "esm", minify, codeSplitting: { groups } });
await bundle.close();
// The name of a file depends on its contents. An unchanged file stays: a running daemon may still have to load a part, and a starting one must not
// read a partial file.
mkdirSync(dir, { recursive: true });
const files = output.map((one) => [one.fileName, one.type === "chunk" ? one.code : one.source]);
const isMain = ([name]) => name === "main.js";
for (const [name, content] of [...files.filter((file) => !isMain(file)), ...files.filter(isMain)]) write(name, content);
const names = new Set(files.map(([name]) => name));
for (const name of readdirSync(dir)) if (!names.has(name)) rmSync(`${dir}/${name}`);
