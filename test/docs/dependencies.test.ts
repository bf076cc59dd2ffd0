// docs/dependencies.md is only worth reading while it names what is really there.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../../", import.meta.url);

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifest(path: string): Manifest {
  return JSON.parse(readFileSync(new URL(path, ROOT), "utf8")) as Manifest;
}

const [runtimePart = "", developmentPart = ""] = readFileSync(new URL("docs/dependencies.md", ROOT), "utf8").split(
  "\n## For development\n",
);

/** The rows of a part's table: package name → [version, licence]. */
function rowsOf(part: string): Record<string, readonly string[]> {
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

function installed(dependencies: Readonly<Record<string, string>> | undefined): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.keys(dependencies ?? {}).map((name) => {
      const { version, license } = manifest(`node_modules/${name}/package.json`);
      return [name, [version, license.replace(" OR ", " or ")]];
    }),
  );
}

test("every dependency is explained, with its installed version and licence", () => {
  expect(rowsOf(runtimePart)).toEqual(installed(manifest("package.json").dependencies));
});

test("the packages of gRPC share one proto-loader, though they ask for two", () => {
  const { packages } = JSON.parse(readFileSync(new URL("package-lock.json", ROOT), "utf8")) as {
    readonly packages: Readonly<Record<string, unknown>>;
  };
  expect(Object.keys(packages).filter((path) => path.endsWith("/proto-loader"))).toEqual([
    "node_modules/@grpc/proto-loader",
  ]);
});

test("every development dependency is explained, with its installed version and licence", () => {
  expect(rowsOf(developmentPart)).toEqual(installed(manifest("package.json").devDependencies));
});
