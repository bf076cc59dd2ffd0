// Joins the compiled modules of each package into a few files, which its entries share: reading some hundred modules takes as long as the rest of a
// start. Packages of others stay outside, except those of JOINED and of `joinLibrary`. Their licences are beside them. `aaepd` is the root; the others are
// the workspaces.
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
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { parseAst } from "rolldown/parseAst";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The adapters of frameworks, which both packages of the client have. */
const FRAMEWORKS = Object.fromEntries(
  ["ai-sdk", "langchain", "openai-agents", "told-calls"].map((name) => [name, `client/frameworks/${name}.js`]),
);

/** The folder of each package and its entries: the command line and the exports of its package.json. */
const PACKAGES = [
  {
    folder: "packaging/client",
    entries: { index: "client/main.js", web: "client/index.js", ...FRAMEWORKS },
  },
  { folder: "packaging/conformance", entries: { main: "cli/conformance/main.js" } },
  // The last: what it has is the sign that all is built.
  {
    folder: ".",
    entries: {
      main: "cli/main.js",
      connect: "cli/serve/connect-run.js",
      index: "client/with-grpc.js",
      client: "client/index.js",
      node: "client/node.js",
      daemon: "daemon/index.js",
      speakable: "speakable/index.js",
      ...FRAMEWORKS,
    },
    // In one file, which is read 10 ms sooner than several.
    alone: { key: "cli/speak/key.js" },
  },
];

/** Everything that is read is compiled, blanks and comments too. Names of functions stay, for readers of stacks and profiles. */
const MINIFY = {
  compress: true,
  mangle: { keepNames: true },
  codegen: { removeWhitespace: true },
};

/**
 * The code with each statement, each member of a class and each declared name on a line of its own. Node prints the whole line of an uncaught error
 * before its sentence, and without line breaks that line is the file. Indented code would be a quarter larger.
 */
function inLines(code) {
  const breaks = new Set();
  const visit = (node) => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    else if (typeof node?.type === "string") {
      if (["Program", "BlockStatement", "ClassBody"].includes(node.type))
        for (const { start } of node.body) breaks.add(start);
      const parts = {
        VariableDeclaration: node.declarations,
        SequenceExpression: node.expressions,
        SwitchCase: node.consequent,
      };
      for (const { start } of parts[node.type]?.slice(1) ?? []) breaks.add(start);
      for (const value of Object.values(node)) if (typeof value === "object") visit(value);
    }
  };
  visit(parseAst(code));
  breaks.delete(0);
  let from = 0;
  let lines = "";
  for (const at of [...breaks].sort((one, other) => one - other)) {
    lines += `${code.slice(from, at)}\n`;
    from = at;
  }
  return lines + code.slice(from);
}

/** Writes a whole file in one step. An unchanged file only gets a new time. */
function write(path, content) {
  const now = new Date();
  if (existsSync(path) && readFileSync(path, "utf8") === content) return utimesSync(path, now, now);
  writeFileSync(`${path}.${process.pid}`, content);
  renameSync(`${path}.${process.pid}`, path);
}

/** Packages that are joined with the modules, with those that they need: installed by npm, each is several times as large. */
const JOINED = new Set([
  ...["wrap-ansi", "string-width", "ansi-styles", "get-east-asian-width", "strip-ansi", "ansi-regex"],
  ...["markdown-it", "entities", "mdurl", "uc.micro"],
  ...[
    "eventsource-parser",
    "fastest-levenshtein",
    "pino-std-serializers",
    "safe-stable-stringify",
    "stemmer",
    "tinyqueue",
  ],
]);

/** Packages that markdown-it imports for what is switched off here: finding addresses, and names of hosts in other scripts. */
const UNUSED = new Set(["linkify-it", "punycode.js"]);
const withoutUnused = {
  name: "without-unused",
  resolveId: (id) => (UNUSED.has(id) ? "\0unused" : null),
  load: (id) => (id === "\0unused" ? "export default {}; export class LinkifyIt {}" : null),
};

/** The packages that a bundle has modules of, each with its version and the text of its licence. */
function packagesIn(chunks) {
  const folders = chunks.flatMap(({ modules }) =>
    Object.keys(modules).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  return [...new Set(folders)]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      return { name, version, license, text: file === undefined ? "" : readFileSync(join(folder, file), "utf8") };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function licencesOf(packages) {
  return packages.map((one) => `${one.name} ${one.version} (${one.license})\n\n${one.text}`).join("\n\n");
}

/** The files of entries that share what they have in common. */
async function filesOf(dir, entries) {
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, module]) => [name, `${root}dist/src/${module}`])),
    // Browsers load some of the files. For "node", each file would need a module of Node.
    platform: "neutral",
    resolve: { mainFields: ["module", "main"] },
    plugins: [withoutUnused],
    external: (id) => !/^[./#\0]/.test(id) && !id.startsWith(root) && !JOINED.has(id) && !UNUSED.has(id),
  });
  // Bundlers know that `new Map` has no effect.
  const { output } = await bundle.generate({ dir, format: "esm", minify: MINIFY, comments: { annotation: false } });
  await bundle.close();
  return output;
}

async function joinModules(dir, entries, alone) {
  const output = [...(await filesOf(dir, entries)), ...(alone === undefined ? [] : await filesOf(dir, alone))];
  // The name of a file depends on its contents. An unchanged file stays: a running daemon may still have to load a part, and a starting one must not
  // read a partial file.
  mkdirSync(dir, { recursive: true });
  const files = output.map((one) => [one.fileName, one.type === "chunk" ? inLines(one.code) : one.source]);
  const joined = packagesIn(output.filter(({ type }) => type === "chunk"));
  const names = readFileSync(join(root, "gen/speakable/LICENSE"), "utf8");
  if (joined.length > 0) files.push(["LICENSES.txt", `${licencesOf(joined)}\n\n${names}`]);
  const isMain = ([name]) => name === "main.js";
  for (const [name, content] of [...files.filter((file) => !isMain(file)), ...files.filter(isMain)])
    write(join(dir, name), content);
  const written = new Set(files.map(([name]) => name));
  for (const name of readdirSync(dir)) if (!written.has(name)) rmSync(join(dir, name));
}

/**
 * A package in one file, with the packages that it needs and their licences, in a folder of its own: it is loaded when something needs it. Installed by
 * npm `lmdb` has 5 MB, most of it sources of C and maps. Its native code stays a package for each platform, which the library finds by the name in the
 * package.json beside it.
 */
async function joinLibrary(library, input, external = []) {
  const dir = join(root, "dist", library);
  const bundle = await rolldown({
    input: join(root, "node_modules", library, input),
    platform: "node",
    external,
    // ordered-binary builds a function from its own text.
    checks: { eval: false },
  });
  const { output } = await bundle.generate({ format: "cjs", minify: { ...MINIFY, mangle: false } });
  await bundle.close();
  const [chunk] = output;
  const bundled = packagesIn([chunk]);
  mkdirSync(join(dir, "dist"), { recursive: true });
  write(join(dir, "LICENSES.txt"), licencesOf(bundled));
  const { version, license } = bundled.find(({ name }) => name === library);
  const manifest = { name: library, version, license, bundled: bundled.map((one) => `${one.name}@${one.version}`) };
  write(join(dir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  write(join(dir, "dist/index.cjs"), inLines(chunk.code));
}

// The first of the two makes msgpackr faster, which nothing here uses; Bun alone has the other.
await joinLibrary("lmdb", "dist/index.cjs", ["msgpackr-extract", "bun:ffi"]);
await joinLibrary("jsonc-parser", "lib/esm/main.js");
for (const { folder, entries, alone } of PACKAGES) await joinModules(join(root, folder, "dist/bundle"), entries, alone);
