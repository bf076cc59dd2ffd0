// Joins the compiled modules of each package into a few files, which its entries share: reading some hundred modules takes as long as the rest of a
// start. Packages of others stay outside, with their licences beside them. `aaepd` is the root; the others are the workspaces, and get their types too.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The folder of each package, its entries (the command line and the exports of its package.json), and the modules whose types it publishes. */
const PACKAGES = [
  {
    folder: "packaging/client",
    entries: { index: "client/main.js", web: "client/index.js" },
    types: ["dist/src/client/main.d.ts", "dist/src/client/index.d.ts"],
  },
  { folder: "packaging/conformance", entries: { main: "cli/conformance/main.js" }, types: [] },
  // The last: what it has is the sign that all is built.
  {
    folder: ".",
    entries: {
      main: "cli/main.js",
      index: "client/with-grpc.js",
      client: "client/index.js",
      node: "client/node.js",
      daemon: "daemon/index.js",
    },
    types: [],
  },
];

/** Writes a whole file in one step. An unchanged file only gets a new time. */
function write(path, content) {
  const now = new Date();
  if (existsSync(path) && readFileSync(path, "utf8") === content) return utimesSync(path, now, now);
  writeFileSync(`${path}.${process.pid}`, content);
  renameSync(`${path}.${process.pid}`, path);
}

async function joinModules(dir, entries) {
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, module]) => [name, `${root}dist/src/${module}`])),
    // Browsers load some of the files. For "node", each file would need a module of Node.
    platform: "neutral",
    external: (id) => !/^[./#]/.test(id) && !id.startsWith(root),
  });
  // Everything that is read is compiled, blanks and comments too. Names of functions stay, for readers of stacks and profiles.
  const minify = { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: true } };
  const { output } = await bundle.generate({ dir, format: "esm", minify });
  await bundle.close();
  // The name of a file depends on its contents. An unchanged file stays: a running daemon may still have to load a part, and a starting one must not
  // read a partial file.
  mkdirSync(dir, { recursive: true });
  const files = output.map((one) => [one.fileName, one.type === "chunk" ? one.code : one.source]);
  const isMain = ([name]) => name === "main.js";
  for (const [name, content] of [...files.filter((file) => !isMain(file)), ...files.filter(isMain)])
    write(join(dir, name), content);
  const names = new Set(files.map(([name]) => name));
  for (const name of readdirSync(dir)) if (!names.has(name)) rmSync(join(dir, name));
}

/** The declarations that these modules import, themselves included: paths from the root. */
function declarationsOf(modules) {
  const found = new Set();
  const waiting = [...modules];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    for (const [, from] of readFileSync(join(root, path), "utf8").matchAll(/(?:from |import\()"([.#][^"]+)\.js"/g))
      waiting.push(
        from.startsWith("#") ? `${from.slice(1)}.d.ts` : relative(root, resolve(root, dirname(path), `${from}.d.ts`)),
      );
  }
  return found;
}

for (const { folder, entries, types } of PACKAGES) {
  const home = join(root, folder);
  const declarations = join(home, "dist/types");
  if (folder !== ".") {
    rmSync(declarations, { recursive: true, force: true });
    copyFileSync(join(root, "LICENSE"), join(home, "LICENSE"));
  }
  for (const path of declarationsOf(types)) {
    const copy = join(declarations, path.replace(/^dist\//, ""));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(root, path), copy);
  }
  await joinModules(join(home, "dist/bundle"), entries);
}
