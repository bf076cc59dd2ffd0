// A key as a program: it asks the listener that speaks, and prints what is said. It is bundled by itself, because a person waits for it.
import { connect } from "node:net";
import { holdOwnSocket } from "../../../transports/ipc/own-socket.js";
import { isPipeName } from "../../../transports/ipc/paths.js";
import { faultFromNodeError } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import type { KeyAnswer, KeyMessage, KeyName } from "./key-names.js";
import { keySocketPath } from "./key-place.js";

interface KeyIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: { readonly write: (text: string) => unknown };
  readonly stderr: { readonly write: (text: string) => unknown };
  readonly setExitCode: (code: number) => void;
}

const PROCESS_IO: KeyIo = {
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  setExitCode: (code) => {
    process.exitCode = code;
  },
};

interface KeyOptions {
  /** The name of the key, and the words behind it. */
  readonly argv: readonly string[];
  /** Default: this process. */
  readonly io?: KeyIo;
}

/** How long the listener may take to answer, ms. */
const ANSWER_MS = 5000;

/** `answer accept --question 3`: the exit code is 0, 1 if nothing was done, 2 for wrong usage, 69 if nobody speaks. */
export async function main({ argv: [name = "", ...given], io = PROCESS_IO }: KeyOptions): Promise<void> {
  const words = [...given];
  const at = words.findIndex((word) => word === "--question" || word.startsWith("--question="));
  const [option, number] = at < 0 ? [] : (words[at] ?? "").split("=");
  const text = at < 0 ? undefined : (number ?? words[at + 1] ?? "");
  if (option !== undefined) words.splice(at, number === undefined ? 2 : 1);
  if (text !== undefined && !/^\d{1,9}$/.test(text))
    return fail(2, "Give the number of a question, as in --question 3.", io);
  if (name === "answer" && words.length === 0) return fail(2, "Give an answer, as in: aaepd answer accept", io);
  const question = text === undefined ? undefined : Number(text);
  try {
    const message = { key: name as KeyName, words, question, variables: setNames(io.environment) };
    const { said, isRefused } = await pressKey(keySocketPath(io.environment), message);
    io.stdout.write(`${said}\n`);
    io.setExitCode(isRefused === true ? 1 : 0);
  } catch (caught) {
    const { code, sentence } = caught instanceof Fault ? caught : faultFromNodeError(caught, "the listener");
    const otherwise =
      code === "peer_gone"
        ? "The listener has ended the connection: it has just ended, or too many keys are pressed at once. Press it again."
        : sentence;
    fail(69, code === "not_found" ? "Nobody speaks here. To start: aaepd speak" : otherwise, io);
  }
}

function fail(code: number, sentence: string, io: KeyIo): void {
  io.stderr.write(`Error: ${sentence}\n`);
  io.setExitCode(code);
}

function setNames(environment: KeyIo["environment"]): readonly string[] {
  return Object.keys(environment).filter((name) => (environment[name] ?? "") !== "");
}

/** Rejects with a Fault if nobody answers. */
export async function pressKey(path: string, message: KeyMessage): Promise<KeyAnswer> {
  const { address, release } = isPipeName(path) ? { address: path, release: () => {} } : holdOwnSocket(path);
  const socket = connect(address);
  try {
    return await new Promise((resolve, reject) => {
      let heard = "";
      socket
        .setEncoding("utf8")
        .setTimeout(ANSWER_MS, () => reject(new Fault("timed_out", "The listener that speaks does not answer.")));
      socket.once("error", (error) => reject(faultFromNodeError(error, path)));
      socket.once("close", () => reject(new Fault("peer_gone", "The listener that speaks has gone.")));
      socket.once("connect", () => socket.write(`${JSON.stringify(message)}\n`));
      socket.on("data", (chunk: string) => {
        heard += chunk;
        if (heard.endsWith("\n")) resolve(JSON.parse(heard));
      });
    });
  } finally {
    release();
    socket.destroy();
  }
}
