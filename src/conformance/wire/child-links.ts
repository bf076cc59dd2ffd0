// Links over the standard input and output of a command: JSON-RPC, one message a line (AAEP §B.6). All links share the one child.
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Fault, usage } from "../../base/errors.js";
import { type Members, ownMember, textOf } from "../../base/members.js";
import { endingWords, shellRefusal, signalGroup } from "./commands.js";
import type { Link, Links } from "./link.js";
import { createSentMessages, type SentMessages } from "./sent-messages.js";

/** Methods of the notifications and requests that carry a message of the subscriber. */
const METHODS: Readonly<Record<string, { readonly method: string; readonly isRequest: boolean }>> = {
  "subscription.request": { method: "aaep.subscribe", isRequest: true },
  "subscription.renegotiate": { method: "aaep.renegotiate", isRequest: true },
  "subscription.close": { method: "aaep.close", isRequest: false },
  "confirmation.reply": { method: "aaep.reply", isRequest: false },
  "clarification.reply": { method: "aaep.reply", isRequest: false },
};

/** A subscription of the child. */
interface ChildLink {
  subscriptionId: string | undefined;
  /** This side has sent its close. */
  isClosing: boolean;
  readonly texts: SentMessages<string>;
  /** The end of the child, which ended the link. */
  accident: Error | undefined;
}

const NEWLINE = 0x0a;
/** The longest line that is waited for, bytes. */
const LONGEST_LINE = 32 * 1024 * 1024;
/** Time for the child to end by itself after its input has ended, ms. */
const ENDING_MS = 3000;

export function childLinks(command: string): Links {
  const links = new Set<ChildLink>();
  const asked = new Map<unknown, ChildLink>();
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let lastId = 0;

  const say = (message: object): void => {
    if (child?.stdin?.writable === true) child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  /** A child that has one subscription need not name it. Then an event belongs to the oldest one that is not closing. */
  const ownerOf = (id: unknown): ChildLink | undefined => {
    const all = [...links].filter(({ subscriptionId }) => subscriptionId !== undefined);
    if (id !== undefined) return all.find(({ subscriptionId }) => subscriptionId === id);
    return all.find(({ isClosing }) => !isClosing) ?? all[0];
  };

  function take(line: string): void {
    const { id, method, params, result, error, subscription_id: outer } = JSON.parse(line) as Members;
    if (method === "aaep.ping" && id !== undefined) say({ jsonrpc: "2.0", id, result: {} });
    const link =
      method === undefined ? asked.get(id) : ownerOf(outer ?? (params as Members | undefined)?.subscription_id);
    asked.delete(id);
    if (link === undefined) return;
    if (result !== undefined || error !== undefined) {
      const answer = (result ?? { type: "aaepd.error", ...(error as Members) }) as Members;
      if (typeof answer.subscription_id === "string") link.subscriptionId = answer.subscription_id;
      link.texts.push(JSON.stringify(answer));
    } else if (method === "aaep.event") link.texts.push(JSON.stringify(params));
    else {
      const type = method === "aaep.close" ? "subscription.close" : method;
      link.texts.push(JSON.stringify({ type, ...(params as Members) }));
    }
  }

  function start(): ChildProcess {
    // A group of its own, so that what the command starts can be ended with it.
    const started = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"], detached: true });
    started.stdin.on("error", () => {});
    const end = new Promise<Error | undefined>((resolve) => {
      started.on("error", () => resolve(undefined));
      started.on("close", (code, signal) => resolve(childEnd(command, code, signal)));
    });
    ended = end;
    let unbroken = 0;
    started.stdout.on("data", (bytes: Buffer) => {
      const last = bytes.lastIndexOf(NEWLINE);
      unbroken = last === -1 ? unbroken + bytes.length : bytes.length - last - 1;
      if (unbroken <= LONGEST_LINE) return;
      for (const { texts } of links) texts.push(`A line of more than ${LONGEST_LINE} bytes.`);
      kill(started);
    });
    createInterface({ input: started.stdout }).on("line", (line) => {
      try {
        take(line);
      } catch {
        for (const { texts } of links) texts.push(line);
      }
    });
    void end.then((fault) => {
      for (const link of links) {
        link.accident = fault;
        link.texts.end();
      }
      if (child === started) child = undefined;
    });
    return started;
  }

  async function open(): Promise<Link> {
    child ??= start();
    if (child.pid === undefined) {
      await ended;
      throw new Fault("not_found", `The command ${JSON.stringify(command)} could not be started.`, { origin: "local" });
    }
    const link: ChildLink = {
      subscriptionId: undefined,
      isClosing: false,
      texts: createSentMessages<string>(),
      accident: undefined,
    };
    links.add(link);
    const close = async (): Promise<void> => {
      const { subscriptionId: subscription_id } = link;
      const params = { subscription_id, type: "subscription.close", reason_code: "subscriber_shutdown" };
      if (subscription_id !== undefined) say({ jsonrpc: "2.0", method: "aaep.close", params });
      links.delete(link);
      link.texts.end();
    };
    return {
      send: (text) => {
        const message = JSON.parse(text) as Members;
        const way = ownMember(METHODS, textOf(message.type));
        link.isClosing ||= message.type === "subscription.close";
        const call = { jsonrpc: "2.0", method: way?.method ?? textOf(message.type), params: message };
        if (way?.isRequest !== true) return say(call);
        lastId += 1;
        asked.set(lastId, link);
        say({ ...call, id: lastId });
      },
      incoming: incomingOf(link),
      close,
      vanish: close,
    };
  }

  return {
    isShared: true,
    isLocal: true,
    open,
    stop: async () => {
      const stopping = child;
      if (stopping === undefined) return;
      stopping.stdin?.end();
      const patience = setTimeout(() => kill(stopping), ENDING_MS);
      await ended;
      clearTimeout(patience);
    },
  };
}

async function* incomingOf(link: ChildLink): AsyncGenerator<string> {
  yield* link.texts.messages;
  if (link.accident !== undefined) throw link.accident;
}

function childEnd(command: string, code: number | null, signal: NodeJS.Signals | null): Error {
  const refusal = shellRefusal(code);
  const named = `The command ${JSON.stringify(command)}`;
  return refusal === undefined
    ? new Error(`${named} of --endpoint ended with ${endingWords(code, signal)}.`)
    : usage(`${named} of --endpoint cannot be run. ${refusal}`);
}

/** Ends the child with its group, and reads nothing more of it. */
function kill(child: ChildProcess): void {
  child.stdout?.destroy();
  signalGroup(child, "SIGKILL");
}
