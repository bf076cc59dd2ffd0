// Base addresses of listeners, in a file that only this user can read: of each its terms, and the digest of its secret.
import { createHash } from "node:crypto";
import { readFileSync, type Stats, statSync } from "node:fs";
import { Fault, usage } from "../base/errors.js";

export interface ListenerAddress {
  readonly name: string;
  readonly secret_sha256: string;
  readonly created_at: string;
  /** As in a `subscription.request` (AAEP §5.3). */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Whether what a person says there goes to an agent. */
  readonly user_input: boolean;
}

/** Modes of a file that let others read or change it. */
const OTHERS = 0o077;

/** Reads the addresses; none without a file. Throws a Fault: "permission_denied" for a file that others may read, "usage" for a damaged one. */
export function readAddresses(path: string, userId: number | undefined): readonly ListenerAddress[] {
  const status = fileStatus(path);
  if (status === undefined) return [];
  if (userId !== undefined && (status.uid !== userId || (status.mode & OTHERS) !== 0)) {
    const sentence = `Other users can read or change ${path}. Run: chmod 600 ${path}`;
    throw new Fault("permission_denied", sentence, { origin: "local" });
  }
  try {
    const { addresses } = JSON.parse(readFileSync(path, "utf8")) as { readonly addresses: unknown };
    if (Array.isArray(addresses) && addresses.every(isAddress)) return addresses;
  } catch (caught) {
    throw damaged(path, caught);
  }
  throw damaged(path, undefined);
}

export function fileStatus(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** The digest of a secret, as the file has it. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function isAddress(value: unknown): value is ListenerAddress {
  const { name, secret_sha256: digest, capabilities } = (value ?? {}) as Partial<ListenerAddress>;
  return typeof name === "string" && typeof digest === "string" && typeof capabilities === "object";
}

function damaged(path: string, cause: unknown): Fault {
  const sentence = `The file ${path} has no addresses of listeners. Delete it, and make them again: aaepd address create`;
  return usage(sentence, cause);
}
