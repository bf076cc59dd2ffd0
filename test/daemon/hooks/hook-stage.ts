// A daemon, the processes of a host's hooks, and a listener who hears of them and may answer.
import type { RpcPeer, Subscription } from "../../support/peers/peers.js";
import { type DaemonRig, type RigOptions, requestOf, startRig, turns } from "../../support/rigs/daemon-rig.js";

export type Message = Readonly<Record<string, unknown>>;

interface RunningHook {
  readonly result: Promise<Message>;
  /** The host kills the process. */
  readonly kill: () => Promise<void>;
}

export interface HookStage {
  readonly rig: DaemonRig;
  /** Runs a hook to its end. */
  readonly hook: (message: Message, params?: Message) => Promise<Message>;
  /** Runs a hook that may wait for a person. */
  readonly begin: (message: Message, params?: Message) => Promise<RunningHook>;
  readonly listener: Subscription;
  /** What was heard since the last call, a line an event. States that the daemon adds are left out. */
  readonly heard: () => Promise<readonly string[]>;
  /** The next question, as its listener gets it. Events before it are as if heard. */
  readonly question: () => Promise<Message>;
  readonly reply: (question: Message, decision: "accept" | "reject") => Promise<void>;
}

/** What listeners that can answer say of themselves. */
export const ABLE = { supports_confirmation_reply: true };

export async function hookStage(options: RigOptions & { readonly isAble?: boolean } = {}): Promise<HookStage> {
  const { isAble = true, ...others } = options;
  const rig = await startRig({ clock: "hands", ...others });
  const listener = await rig.plain("memory");
  await listener.subscribe(requestOf({ coalesce_boundaries: ["none"], ...(isAble ? ABLE : {}) }));
  const begin: HookStage["begin"] = async (message, params = {}) => {
    const peer: RpcPeer = await rig.rpc("memory");
    const text = JSON.stringify(message);
    const result = peer.request("aaepd.hook", { host: "claude", answers: true, message: text, ...params });
    result.finally(() => peer.close()).catch(() => {});
    await turns();
    return {
      result,
      kill: async () => {
        result.catch(() => {});
        await peer.close();
        await turns();
      },
    };
  };
  return {
    rig,
    begin,
    hook: async (message, params) => (await begin(message, params)).result,
    listener,
    heard: async () => {
      await turns();
      return listener.events.rest().flatMap((event) => line(event));
    },
    question: async () => {
      for (;;) {
        const event = await listener.events.next("a question");
        if (kindOf(event) === "awaiting.confirmation") return event;
      }
    },
    reply: async ({ reply_token, timestamp }, decision) => {
      await listener.reply({ type: "confirmation.reply", reply_token, decision, timestamp });
      await turns();
    },
  };
}

export function kindOf({ type }: Message): string {
  return String(type).replace("aaep:agent.", "");
}

/** An event in a line: who says what, or what ended how. */
function line(event: Message): readonly string[] {
  const kind = kindOf(event);
  const said = event.summary_normal ?? "";
  const own = (event.extensions as { readonly aaepd?: Message } | undefined)?.aaepd ?? {};
  switch (kind) {
    case "output.streaming":
      return [`${event.chunk}${event.complete === true ? "." : ""}`];
    case "awaiting.confirmation":
      return [`${event.action}?`];
    case "tool.completed":
      return [`${event.tool} ${event.status}`];
    case "state.changed":
      return own.by === "daemon"
        ? [own.decision, own.decided_by].filter((one) => one !== undefined).map((one) => `(${one})`)
        : [`${event.to_state}: ${said}`];
    default:
      return [`${kind}: ${said}${own.approved_by === undefined ? "" : " (allowed by the host)"}`];
  }
}
