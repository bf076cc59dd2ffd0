// Who has nothing to do with what another client does, and is to notice nothing of it.
import { expect } from "vitest";
import type { Message } from "../oracles/wire-sniffer.js";
import { type DaemonRig, nextSession, requestOf } from "../rigs/daemon-rig.js";
import { rawHttp } from "./raw-calls.js";

export interface Bystander {
  /** Publishes a session of its own, and hears all of that, once; and nobody has told it anything else. */
  readonly noticedNothing: () => Promise<void>;
}

/** A listener on the Unix socket, and an agent whom it hears. */
export async function startBystander(rig: DaemonRig): Promise<Bystander> {
  const listener = await rig.plain();
  const agent = await rig.rpc();
  const answer = await listener.subscribe(requestOf({ coalesce_boundaries: ["none"] }, { subscriber_id: "bystander" }));
  expect(answer.type).toBe("subscription.accepted");
  const bystander: Bystander = {
    noticedNothing: async () => {
      const session_id = nextSession();
      const events = [
        { type: "aaep:agent.session.started", session_id, summary_normal: "Begins." },
        { type: "aaep:agent.output.streaming", session_id, chunk: "Text.", complete: true },
        { type: "aaep:agent.session.completed", session_id, summary_normal: "Done." },
      ];
      await agent.publish(...events);
      const heard: Message[] = [];
      while (heard.at(-1)?.type !== events.at(-1)?.type) {
        const event = await listener.events.next("its own session");
        if (event.session_id === session_id) heard.push(event);
      }
      expect(heard).toMatchObject(events);
      expect(heard).toHaveLength(events.length);
      expect([listener.answers.rest(), listener.closings.rest()]).toEqual([[], []]);
    },
  };
  // Whoever has spoken may be silent for as long as it likes.
  await bystander.noticedNothing();
  return bystander;
}

/** What the daemon counts under that name: a line of its page for Prometheus. */
export async function metric(rig: DaemonRig, name: string): Promise<number> {
  const { body } = await rawHttp(rig.serviceAddress("http"), "/metrics", {});
  const line = body
    .toString()
    .split("\n")
    .find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}
