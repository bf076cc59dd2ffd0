// Where BRLTTY listens, the key that it wants, and the place at which a screen reader's lines stand.
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { faultFromNodeError } from "../../transports/node-errors.js";
import { Fault, usage } from "../base/errors.js";

export type Environment = Readonly<Record<string, string | undefined>>;

const SOCKETS = "/var/lib/BrlAPI";
const KEY_FILE = "/etc/brlapi.key";

export interface Brltty {
  readonly connect: () => Socket;
  readonly key: () => Promise<Buffer>;
  /** Virtual terminals, from the outermost. A client is shown over another only at the place of that one. */
  readonly path: readonly number[];
}

/** Reads the variables of BrlAPI's own library. Throws a Fault "usage" for a BRLTTY on another machine. */
export function brlttyOf({ BRLAPI_HOST, BRLAPI_AUTH, WINDOWPATH, XDG_VTNR }: Environment): Brltty {
  const [, number] = /^:(\d{1,5})$/.exec(BRLAPI_HOST || ":0") ?? [];
  if (number === undefined) {
    const sentence = `The variable BRLAPI_HOST is ${JSON.stringify(BRLAPI_HOST)}. Only a BRLTTY of this machine is spoken to: ":0".`;
    throw usage(sentence);
  }
  const [, keyFile = KEY_FILE] = /(?:^|\+)keyfile:([^+]+)/.exec(BRLAPI_AUTH ?? "") ?? [];
  const path = (WINDOWPATH || XDG_VTNR || "").split(":").map(Number);
  return {
    connect: () => connect(`${SOCKETS}/${number}`),
    key: () => keyIn(keyFile),
    path: path.filter((one) => Number.isSafeInteger(one) && one > 0 && one < 2 ** 31),
  };
}

async function keyIn(path: string): Promise<Buffer> {
  try {
    return (await readFile(path)).subarray(0, 1024);
  } catch (caught) {
    const { code, sentence } = faultFromNodeError(caught, path);
    const hint = "On Debian, members of the group brlapi may read it: adduser NAME brlapi";
    throw new Fault(code, `BRLTTY wants its key: ${sentence} ${hint}`, { origin: "local" });
  }
}
