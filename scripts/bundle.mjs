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
});
// Everything that is read is compiled, blanks and comments too. Names stay, for readers of stacks and profiles.
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
const { output } = await bundle.generate({ dir, format: "esm", minify });
await bundle.close();
// The name of a file depends on its contents. An unchanged file stays: a running daemon may still have to load a part, and a starting one must not
// read a partial file.
mkdirSync(dir, { recursive: true });
const files = output.map((one) => [one.fileName, one.type === "chunk" ? one.code : one.source]);
const isMain = ([name]) => name === "main.js";
for (const [name, content] of [...files.filter((file) => !isMain(file)), ...files.filter(isMain)]) write(name, content);
const names = new Set(files.map(([name]) => name));
for (const name of readdirSync(dir)) if (!names.has(name)) rmSync(`${dir}/${name}`);
