// Puts the program into the Python package, python/src/aaepd/node, as npm's package has it, with the packages that it needs and without what only
// JavaScript's authors read. The package's version becomes that of package.json. Run it behind `npm run build`, before a wheel is built.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const PROGRAM = join(ROOT, "python/src/aaepd/node");
/** Parts of npm's package. Native code has none: the journal is then in memory. */
const PARTS = ["bin", "dist/bundle", "dist/jsonc-parser", "gen", "schemas", "proto", "examples/sessions", "LICENSE"];
const LEFT_OUT = /\.(?:d\.[cm]?ts|map|tsbuildinfo)$|\/schemas\.js$|\/validators\.js$|\/gen\/speakable(?:\/|$)/;
/** Packages of npm. The native sentences of `sentencex` stay behind: `sentencex-wasm` does the same. */
const PACKAGES = ["commander", "picocolors", "sentencex-wasm"];

rmSync(PROGRAM, { recursive: true, force: true });
const copy = (from, to = from) =>
  cpSync(join(ROOT, from), join(PROGRAM, to), { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
mkdirSync(PROGRAM, { recursive: true });
for (const part of PARTS) copy(part);
for (const name of PACKAGES) copy(`node_modules/${name}`);
const { name, version, type, bin, imports, exports, engines, license } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
);
const manifest = { name, version, type, bin, imports, exports, engines, license };
writeFileSync(join(PROGRAM, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(join(ROOT, "python/src/aaepd/_version.py"), `__version__ = "${version}"\n`);
