// Packages that npm installs with aaepd only where a user names them: optional peers in package.json. `withPackages` loads each part of the project
// that imports one of them.
import { createRequire } from "node:module";
import { Fault } from "../src/base/errors.js";
import { isMissingModule } from "./node-errors.js";

interface PackageGroup {
  /** The use of the packages, as an error names it. */
  readonly purpose: string;
  /** The tested version of each package, as in `devDependencies` of package.json. Its `peerDependencies` allow later versions too. */
  readonly packages: Readonly<Record<string, string>>;
}

/** The groups by the option of `serve` that needs them. */
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
    purpose: "HTTP and Connect",
    packages: {
      "@bufbuild/protobuf": "~2.13.0",
      "@connectrpc/connect": "~2.1.2",
      "@connectrpc/connect-node": "~2.1.2",
      "prom-client": "^15.1.3",
    },
  },
} as const satisfies Readonly<Record<string, PackageGroup>>;

export type PackageGroupName = keyof typeof PACKAGE_GROUPS;

/**
 * Loads a part of the project that imports packages of a group. Throws a Fault "usage" with the command that installs the group if a package is
 * missing. Any other error of `load` is passed on.
 */
export async function withPackages<Loaded>(group: PackageGroupName, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (caught) {
    if (!isMissingModule(caught)) throw caught;
    throw new Fault("usage", missingPackagesSentence(group), { origin: "local", cause: caught });
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

/** Says that packages of a group are missing, and which command installs them. */
export function missingPackagesSentence(group: PackageGroupName): string {
  return `Packages of ${PACKAGE_GROUPS[group].purpose} are missing, so install them beside aaepd: ${installCommand(group)}`;
}

/** The command that installs a group. In quotes, because some shells give characters of a range a meaning of their own. */
export function installCommand(group: PackageGroupName): string {
  const named = Object.entries(PACKAGE_GROUPS[group].packages).map(([name, version]) => `"${name}@${version}"`);
  return `npm install ${named.join(" ")}`;
}
