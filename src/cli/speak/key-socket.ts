// The socket of the keys: one message in, one answer out, for this user's own programs.
import { createIpcTransport } from "../../../transports/ipc/listen.js";
import { Fault } from "../../base/errors.js";
import { isObject } from "../../base/members.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Connection } from "../../contracts/transport.js";
import { shownText } from "../terminal/shown-text.js";
import { pressKey } from "./key.js";
import { KEYS, type KeyAnswer, type KeyMessage, type KeyName } from "./key-names.js";

/** Longest message, bytes: the longest answer and its JSON. */
const LONGEST_MESSAGE = 128 * 1024;
const MOST_KEYS = 16;
/** How long a connection lasts at most, ms: one that says nothing keeps no key out. */
const LONGEST_MS: Millis = 5000;

/** `processId`: the program that was started for the key, where the system tells. */
type Pressed = (message: KeyMessage, processId?: number) => KeyAnswer;

/** Listens until the returned function is called. Throws a Fault "address_in_use" that says who speaks already. */
export async function listenForKeys(
  path: string,
  pressed: Pressed,
  clock: Pick<Clock, "now" | "wakeAt">,
): Promise<() => Promise<void>> {
  const transport = createIpcTransport({
    path,
    framing: "newline",
    isLinesOnly: true,
    maxFrameBytes: LONGEST_MESSAGE,
    maxConnections: MOST_KEYS,
  });
  try {
    const listener = await transport.listen((connection) => void serve(connection, pressed, clock));
    return () => listener.stop();
  } catch (caught) {
    if (!(caught instanceof Fault) || caught.code !== "address_in_use") throw caught;
    const who = await pressKey(path, { key: "who", words: [], variables: [] }).catch(() => undefined);
    if (who === undefined) throw caught;
    throw new Fault("address_in_use", `Process ${who.said} speaks for you already. To end it: kill ${who.said}`, {
      origin: "local",
    });
  }
}

async function serve(
  connection: Connection<Uint8Array>,
  pressed: Pressed,
  clock: Pick<Clock, "now" | "wakeAt">,
): Promise<void> {
  const cancelTimer = clock.wakeAt(clock.now() + LONGEST_MS, () => void connection.close());
  try {
    for await (const frames of connection.frames)
      for (const frame of frames) {
        const message = readMessage(Buffer.from(frame).toString());
        const { said, ...answer } =
          message === undefined
            ? { said: "This is no key.", isRefused: true }
            : pressed(message, connection.peer.processId);
        connection.send(Buffer.from(JSON.stringify({ said: shownText(said), ...answer })));
      }
  } catch {
    // A program that breaks off has no answer.
  }
  cancelTimer();
  await connection.close();
}

function readMessage(text: string): KeyMessage | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(message)) return undefined;
  const { key, words, question, variables } = message;
  const isKnown = typeof key === "string" && (Object.hasOwn(KEYS, key) || key === "who");
  if (!isKnown || !isTexts(words) || !isTexts(variables)) return undefined;
  if (question !== undefined && !Number.isSafeInteger(question)) return undefined;
  return { key: key as KeyName | "who", words, variables, question: question as number | undefined };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
