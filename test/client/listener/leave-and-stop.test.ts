// R5b, R39: a listener leaves a question to the agent's own window, and asks an agent to stop, over the local socket and over HTTP.
import { expect, onTestFinished, test } from "vitest";
import type { AaepdError } from "#gen/aaep/types.js";
import { openAgent } from "../../../src/client/agent/open-agent.js";
import type { ReceivedEvent } from "../../../src/client/events.js";
import { httpConnector } from "../../../src/client/http/http-connector.js";
import { subscribe } from "../../../src/client/listener/subscribe.js";
import { ipcConnector, ipcRpcConnector } from "../../../src/client/node.js";
import { createSubscriber } from "../../../src/client/subscriber.js";
import { eventually } from "../../cli/command-stage.js";
import { shared } from "../../support/lifetime.js";
import { httpDaemon } from "../http/http-daemon.js";

const sharedDaemon = shared(() => httpDaemon());
const ABLE = { supports_confirmation_reply: true };
const QUESTION = { action: "Delete it.", consequence: "It is gone." };

async function stage(way: "the local socket" | "HTTP", onStop?: () => void) {
  const daemon = await sharedDaemon();
  const connect =
    way === "HTTP" ? httpConnector(daemon.address, { token: daemon.token }) : ipcConnector(daemon.socketPath);
  const errors: AaepdError[] = [];
  const events: ReceivedEvent[] = [];
  let isActive = false;
  const subscription = subscribe(connect, ABLE, {
    onError: (error) => void errors.push(error),
    onState: ({ kind }) => {
      isActive = kind === "active";
    },
  });
  void (async () => {
    for await (const event of subscription) events.push(event);
  })();
  await eventually(() => expect(isActive).toBe(true));
  const agent = await openAgent({
    name: "Shop",
    id: "shop",
    connectors: [{ connect: ipcRpcConnector(daemon.socketPath) }],
    ...(onStop === undefined ? {} : { onStop }),
  });
  onTestFinished(async () => {
    await agent.close();
    await subscription.close();
  });
  const heard = async (kind: string): Promise<ReceivedEvent> => {
    let found: ReceivedEvent | undefined;
    await eventually(() => {
      found = events.find(({ type }) => type === `aaep:agent.${kind}`);
      expect(found).toBeDefined();
    });
    return found as ReceivedEvent;
  };
  return { subscription, agent, errors, heard };
}

test.each(["the local socket", "HTTP"] as const)("R5b: leave, over %s", async (way) => {
  const { subscription, agent, errors, heard } = await stage(way);
  const session = agent.session("Works.");
  const outcome = session.confirm({ ...QUESTION, host_dialog: true });
  const question = (await heard("awaiting.confirmation")) as ReceivedEvent & { readonly reply_token: string };
  expect(subscription.leave({ reply_token: "rpl_nobody" })).toBe(false);
  expect(subscription.leave(question)).toBe(true);
  expect(await outcome).toMatchObject({ resolved_by: "cancelled" });
  expect(errors).toEqual([]);
  expect(subscription.leave(question)).toBe(true);
  await eventually(() => expect(errors).toMatchObject([{ code: "not_found", answers: "aaepd.leave" }]));
  session.complete("Done.");
});

test.each(["the local socket", "HTTP"] as const)("R39: stop, over %s", async (way) => {
  const stops: string[] = [];
  const { subscription, agent, heard } = await stage(way, () => void stops.push("asked"));
  const session = agent.session("Works.");
  expect(subscription.stop(await heard("session.started"))).toBe(true);
  await eventually(() => expect(stops).toEqual(["asked"]));
  session.cancel("Stopped.");
  await heard("session.cancelled");
});

test("R39: an agent that cannot be asked is an error, and without a subscription nothing is sent", async () => {
  const { subscription, agent, errors, heard } = await stage("the local socket");
  const session = agent.session("Works.");
  const { session_id } = await heard("session.started");
  subscription.stop({ session_id });
  await eventually(() => expect(errors).toMatchObject([{ code: "unsupported", answers: "aaepd.stop" }]));
  session.complete("Done.");
  const nobody = createSubscriber({
    connect: () => new Promise(() => {}),
    request: { subscriber_id: "nobody", capabilities: ABLE },
    onEvent: () => {},
  });
  expect([nobody.leave({ reply_token: "rpl_1" }), nobody.stop({ session_id })]).toEqual([false, false]);
  await nobody.close();
});
