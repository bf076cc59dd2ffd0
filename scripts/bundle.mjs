// Joins the compiled modules of the command line into a few files: reading some hundred modules takes as long as the rest of a start. Packages stay
// outside, with their licences beside them. Where the bundler does not run, `bin/aaepd.js` uses the modules as they are.
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

const root = fileURLToPath(new URL("..", import.meta.url));
const dir = `${root}dist/bundle`;

async function loadRolldown() {
  try {
    return await import("rolldown");
  } catch (caught) {
    process.stderr.write(`The command line is not bundled, and starts more slowly: ${caught.message}\n`);
    return undefined;
  }
}

/** Writes a whole file in one step. An unchanged file only gets a new time. */
function write(name, content) {
  const path = `${dir}/${name}`;
  const now = new Date();
  if (existsSync(path) && readFileSync(path, "utf8") === content) return utimesSync(path, now, now);
  writeFileSync(`${path}.${process.pid}`, content);
  renameSync(`${path}.${process.pid}`, path);
}

const bundler = await loadRolldown();
if (bundler === undefined) rmSync(dir, { recursive: true, force: true });
else {
  const bundle = await bundler.rolldown({
    input: { main: `${root}dist/src/cli/main.js` },
    platform: "node",
    external: (id) => !/^[./#]/.test(id) && !id.startsWith(root),
  });
  // Everything that is read is compiled, blanks and comments too. Names stay, for readers of stacks and profiles.
  const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
  const { output } = await bundle.generate({ dir, format: "esm", sourcemap: true, minify });
  await bundle.close();
  // The name of a file depends on its contents. An unchanged file stays: a running daemon may still have to load a part, and a starting one must not
  // read a partial file.
  mkdirSync(dir, { recursive: true });
  const files = output.map((one) => [one.fileName, one.type === "chunk" ? one.code : one.source]);
  const isMain = ([name]) => name === "main.js";
  for (const [name, content] of [...files.filter((file) => !isMain(file)), ...files.filter(isMain)])
    write(name, content);
  const names = new Set(files.map(([name]) => name));
  for (const name of readdirSync(dir)) if (!names.has(name)) rmSync(`${dir}/${name}`);
}
