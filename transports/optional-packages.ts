// Packages that npm installs with aaepd only where a user names them: optional peers in package.json. `withPackages` loads each part of the project
// that imports one of them.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { usage } from "../src/base/errors.js";
import { isMissingModule } from "./node-errors.js";

interface PackageGroup {
  /** The use of the packages, as an error names it. */
  readonly purpose: string;
  /** The tested version of each package, as in `devDependencies` of package.json. Its `peerDependencies` allow later versions too. */
  readonly packages: Readonly<Record<string, string>>;
}

/** Asks the kernel which user listens at a socket (`ipc/peer-user.ts`). Nothing needs it. Only `aaepd doctor` tells that it is missing. */
export const PEER_USER_PACKAGE = "koffi";

/** The groups by the option of `serve` that needs them; `sentences` and `peer` by nobody. */
export const PACKAGE_GROUPS = {
  grpc: {
    purpose: "gRPC",
    packages: {
      "@bufbuild/protobuf": "~2.13.0",
      "@grpc/grpc-js": "^1.14.7",
      "@grpc/reflection": "^1.0.4",
      "grpc-health-check": "^2.1.0",
    },
  },
  http: {
    purpose: "HTTP, Connect and WebSocket",
    packages: {
      "@bufbuild/protobuf": "~2.13.0",
      "@connectrpc/connect": "~2.1.2",
      "@connectrpc/connect-node": "~2.1.2",
      "prom-client": "^15.1.3",
      ws: "^8.23.0",
    },
  },
  sentences: {
    purpose: "sentences on systems with musl",
    packages: { "sentencex-wasm": "^0.1.31" },
  },
  peer: {
    purpose: "the user at the other end of a local socket",
    packages: { [PEER_USER_PACKAGE]: "^3.3.4" },
  },
} as const satisfies Readonly<Record<string, PackageGroup>>;

export type PackageGroupName = keyof typeof PACKAGE_GROUPS;

/**
 * Loads a part of the project that imports packages of a group, or of several. Throws a Fault "usage" with the command that installs all missing
 * groups if a package is missing. Any other error of `load` is passed on.
 */
export async function withPackages<Loaded>(
  groups: PackageGroupName | readonly PackageGroupName[],
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await load();
  } catch (caught) {
    if (!isMissingModule(caught)) throw caught;
    const named = [groups].flat();
    const missing = named.filter((group) => !hasPackages(group));
    const sentence = missingPackagesSentence(...(missing.length > 0 ? missing : named));
    throw usage(sentence, caught);
  }
}

/** Whether every package of a group is installed. Loads none. */
export function hasPackages(group: PackageGroupName): boolean {
  const { resolve } = createRequire(import.meta.url);
  return Object.keys(PACKAGE_GROUPS[group].packages).every((name) => {
    try {
      resolve(name);
      return true;
    } catch (caught) {
      // A package without an entry for `require` is there all the same.
      return !isMissingModule(caught);
    }
  });
}

/** Says that packages of groups are missing, and which command installs them. */
export function missingPackagesSentence(...groups: readonly PackageGroupName[]): string {
  const purposes = groups.map((group) => PACKAGE_GROUPS[group].purpose).join(", ");
  return `Packages of ${purposes} are missing, so install them: ${installCommand(groups)}`;
}

/** The command that installs groups. In quotes, because some shells give characters of a range a meaning of their own. */
export function installCommand(groups: readonly PackageGroupName[], folder: string = ownFolder()): string {
  const versions = Object.assign(
    {},
    ...groups.map((group) => PACKAGE_GROUPS[group].packages),
  ) as PackageGroup["packages"];
  const named = Object.entries(versions).map(([name, version]) => `"${name}@${version}"`);
  return ["npm install", ...(isGlobal(folder) ? ["--global"] : []), ...named].join(" ");
}

/** A project has a package.json beside or above its `node_modules`; the folder of global packages has none. */
function isGlobal(folder: string): boolean {
  // A package with a scope stands one folder deeper.
  const modules = basename(dirname(folder)).startsWith("@") ? dirname(dirname(folder)) : dirname(folder);
  return basename(modules) === "node_modules" && !isInProject(dirname(modules));
}

function isInProject(folder: string): boolean {
  if (existsSync(join(folder, "package.json"))) return true;
  return dirname(folder) !== folder && isInProject(dirname(folder));
}

/** The folder of this package: two levels up from the bundle or a compiled module, one from the source. */
function ownFolder(): string {
  const [source = "", other = ""] = ["..", "../.."].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return resolve(existsSync(join(source, "bin", "aaepd.js")) ? source : other);
}
