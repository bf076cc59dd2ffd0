// docs/dependencies.md is only worth reading while it names what is really there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { PACKAGE_GROUPS, type PackageGroupName } from "../../transports/optional-packages.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface Locked extends Pick<Manifest, "dependencies" | "optionalDependencies"> {
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

function manifest(path: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Manifest;
}

const OWN = manifest("package.json");
const LOCK = (
  JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  }
).packages;
const GROUP_NAMES = Object.keys(PACKAGE_GROUPS) as readonly PackageGroupName[];
const GROUPED = [...new Set(GROUP_NAMES.flatMap((group) => Object.keys(PACKAGE_GROUPS[group].packages)))].sort();

const PAGE = readFileSync(join(ROOT, "docs/dependencies.md"), "utf8");

/** The rows of the tables under a heading: package name → [version, licence]. */
function rowsUnder(heading: string): Record<string, readonly string[]> {
  const part = PAGE.split(/\n(?=## )/).find((one) => one.startsWith(`## ${heading}\n`)) ?? "";
  const rows = part.split("\n").filter((line) => line.startsWith("| `"));
  return Object.fromEntries(
    rows.map((row) => {
      const [name = "", version = "", , licence = ""] = row
        .split("|")
        .slice(1)
        .map((cell) => cell.trim());
      return [name.replaceAll("`", ""), [version, licence]];
    }),
  );
}

function installed(names: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(
    names.map((name) => {
      const { version, license } = manifest(`node_modules/${name}/package.json`);
      return [name, [version, license.replace(" OR ", " or ")]];
    }),
  );
}

/** Joined into files of the package by scripts/bundle.mjs. */
const BROUGHT = [
  "ansi-regex",
  "fastest-levenshtein",
  "jsonc-parser",
  "lmdb",
  "markdown-it",
  "pino-std-serializers",
  "safe-stable-stringify",
  "stemmer",
  "tinyqueue",
  "wrap-ansi",
];

test("every dependency is explained, with its installed version and licence", () => {
  const native = Object.keys(OWN.optionalDependencies ?? {}).filter((name) =>
    LOCK[`node_modules/${name}`]?.os?.includes("linux"),
  );
  const onThisKind = native.filter((name) => LOCK[`node_modules/${name}`]?.cpu?.includes("x64"));
  const names = [...Object.keys(OWN.dependencies ?? {}), ...onThisKind, ...BROUGHT];
  expect(rowsUnder("In every installation")).toEqual(installed(names));
});

test("every package of a group is explained, with its installed version and licence", () => {
  expect(rowsUnder("Groups that you install by name")).toEqual(installed(GROUPED));
});

test("every development dependency is explained, with its installed version and licence", () => {
  const names = Object.keys(OWN.devDependencies ?? {}).filter((name) => ![...GROUPED, ...BROUGHT].includes(name));
  expect(rowsUnder("For development")).toEqual(installed(names));
});

test("the groups are the optional peers of package.json, and the versions that are tested here", () => {
  const { peerDependencies = {}, peerDependenciesMeta = {}, devDependencies = {} } = OWN;
  expect(Object.keys(peerDependencies).sort()).toEqual(GROUPED);
  expect(Object.entries(peerDependenciesMeta)).toEqual(GROUPED.map((name) => [name, { optional: true }]));
  for (const group of GROUP_NAMES)
    for (const [name, version] of Object.entries(PACKAGE_GROUPS[group].packages)) {
      expect(devDependencies[name], name).toBe(version);
      expect(peerDependencies[name], name).toBe(version.replace("~", "^"));
    }
});

/** The place in the lock file where a package at `from` finds another. */
function placeOf(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (LOCK[place] !== undefined || folder === "") return LOCK[place] === undefined ? undefined : place;
  }
}

/** All packages that npm installs with these, on Linux x64. */
function withTheirs(names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = names.map((name) => placeOf(name, ""));
  for (let place = open.pop(); place !== undefined || open.length > 0; place = open.pop()) {
    if (place === undefined || found.has(place)) continue;
    const { os = ["linux"], cpu = ["x64"], dependencies, optionalDependencies } = LOCK[place] ?? {};
    if (!os.includes("linux") || !cpu.includes("x64")) continue;
    found.add(place);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) open.push(placeOf(name, place));
  }
  return found;
}

const BASE = withTheirs(Object.keys({ ...OWN.dependencies, ...OWN.optionalDependencies }));

test("no types of Node come with an installation, and no package of a group", () => {
  const names = [...BASE].map((place) => place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length));
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => name.startsWith("@types/") || GROUPED.includes(name))).toEqual([]);
});
