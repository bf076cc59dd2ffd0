// Carries a scenario out, step by step.
import { expect } from "vitest";
import { unreachable } from "../../src/base/exhaustive.js";
import { answersApart, carriesText, hasHeartbeats, hasRpcAgent, type Lane } from "../support/lanes.js";
import { isObject, type Message } from "../support/oracles/wire-sniffer.js";
import { RpcRefusal } from "../support/peers/peers.js";
import { requestOf, turns } from "../support/rigs/daemon-rig.js";
import type { Part, Saved, Scenario, Step } from "./scenario.js";
import { openWorld, type World } from "./world.js";

export async function runScenario(scenario: Scenario, lane: Lane): Promise<void> {
  const world = await openWorld(scenario, lane);
  const saved = new Map<string, unknown>();
  for (const [index, step] of scenario.steps.entries()) {
    try {
      await carryOut(filledIn(step, saved) as Step, world, lane, saved);
    } catch (caught) {
      // Which step it was, before what was wrong with it.
      if (caught instanceof Error) caught.message = `step ${index + 1}, ${step.do}: ${caught.message}`;
      throw caught;
    }
  }
}

async function carryOut(step: Step, world: World, lane: Lane, saved: Map<string, unknown>): Promise<void> {
  const keep = (names: Saved | undefined, value: unknown): void => {
    for (const [name, path] of Object.entries(names ?? {})) saved.set(name, at(value, path));
  };
  switch (step.do) {
    case "subscribe": {
      const subscriber = await world.subscriber(step.who);
      const { capabilities, ...others } = step.request ?? {};
      const answer = await subscriber.subscribe(requestOf(capabilities ?? {}, { subscriber_id: step.who, ...others }));
      expectPart(answer, step.answer);
      if (answersApart(lane) && answer.type === "subscription.rejected") {
        // Another request is another stream.
        const end = await subscriber.ended?.();
        if (end !== undefined) expect(end.status).toBe("OK");
        world.forget(step.who);
      }
      return keep(step.save, answer);
    }
    case "renegotiate": {
      const answer = await (await world.subscriber(step.who)).renegotiate(step.capabilities);
      expectPart(answer, step.answer);
      return keep(step.save, answer);
    }
    case "hears": {
      const { events } = await world.subscriber(step.who);
      const heard: Message[] = [];
      for (const expected of step.events) {
        const event = await events.next(JSON.stringify(expected));
        heard.push(event);
        expectPart(event, expected);
      }
      return keep(step.save, heard);
    }
    case "hears all": {
      const { events, eventTexts } = await world.subscriber(step.who);
      const heard: Message[] = [];
      while (heard.at(-1)?.type !== step.until) heard.push(await events.next(step.until));
      return step.check(heard, eventTexts);
    }
    case "hears text": {
      const { events, eventTexts } = await world.subscriber(step.who);
      const event = await events.next(step.text);
      expect(event).toEqual(documentOn(lane, step.text));
      if (carriesText(lane)) expect(eventTexts.filter((text) => text === step.text)).toHaveLength(1);
      return;
    }
    case "is kept alive": {
      const { events, heartbeats, listPending } = await world.subscriber(step.who);
      if (hasHeartbeats(lane)) await heartbeats?.take(step.times, "heartbeats");
      await listPending();
      return expect([...events.rest(), ...(heartbeats?.rest() ?? [])]).toEqual([]);
    }
    case "hears nothing": {
      const { events, listPending } = await world.subscriber(step.who);
      // What was under way comes before the answer, or beside it where that goes by a call of its own.
      await listPending();
      if (answersApart(lane)) await turns();
      return expect(events.rest()).toEqual([]);
    }
    case "is told": {
      const subscriber = await world.subscriber(step.who);
      expectPart(await subscriber.closings.next("a closing"), step.closing);
      const end = await subscriber.ended?.();
      if (step.status !== undefined && end !== undefined) expect(end.status).toBe(step.status);
      return;
    }
    case "reply": {
      const accepted = await (await world.subscriber(step.who)).reply(step.message as Message);
      if (accepted !== undefined) expect(accepted).toBe(step.counts !== false);
      return;
    }
    case "is told not taken": {
      const { notTaken } = await world.subscriber(step.who);
      const told = await notTaken.take(step.tokens.length, "replies that did not count");
      expect(told.map(({ reply_token }) => reply_token)).toEqual(step.tokens);
      return expect(notTaken.rest()).toEqual([]);
    }
    case "is told its place": {
      const { checkpoints } = await world.subscriber(step.who);
      // A process has a clock of its own.
      if (lane.transport !== "child") await world.advance(1000);
      return keep(step.save, await checkpoints.next("its place"));
    }
    case "skip":
      return expectPart(await (await world.subscriber(step.who)).skip(step.params as Message), step.answer ?? {});
    case "repeat":
      return expectPart(await (await world.subscriber(step.who)).repeat(step.eventId), step.answer ?? {});
    case "leave to the host":
      return expectPart(await (await world.subscriber(step.who)).leave(step.token), step.answer ?? {});
    case "stop":
      return expectPart(await (await world.subscriber(step.who)).stop(step.sessionId), step.answer ?? {});
    case "list pending": {
      const questions = await (await world.subscriber(step.who)).listPending();
      expect(questions).toHaveLength(step.questions.length);
      for (const [index, expected] of step.questions.entries()) expectPart(questions[index], expected);
      return keep(step.save, questions);
    }
    case "close":
      await (await world.subscriber(step.who)).close();
      return world.forget(step.who);
    case "vanish":
      await (await world.subscriber(step.who)).vanish();
      return world.forget(step.who);
    case "publish":
      return keep(step.save, await (await world.agent(step.agent ?? "agent")).publish(...(step.events as Message[])));
    case "publish text":
      return void (await (await world.agent(step.agent ?? "agent")).requestText("aaep.publish", step.text));
    case "is refused": {
      const [first] = step.events;
      const params = step.events.length === 1 ? first : step.events;
      const refusal = await (await world.agent(step.agent ?? "agent")).refusal("aaep.publish", params);
      const isAlone = step.events.length === 1;
      return expectPart(refusal, errorOn(lane, isAlone ? inBatch(lane, step.error) : step.error));
    }
    case "call": {
      const agent = await world.agent(step.agent ?? "agent");
      if (step.error !== undefined) {
        return expectPart(await agent.refusal(step.method, step.params), errorOn(lane, step.error));
      }
      const answer = await agent.request(step.method, step.params).catch((caught: unknown) => {
        throw caught instanceof RpcRefusal ? new Error(JSON.stringify(caught.error)) : caught;
      });
      expectPart(answer, step.answer ?? {});
      return keep(step.save, answer);
    }
    case "notify": {
      const agent = await world.agent(step.agent ?? "agent");
      agent.notify(step.method, step.params);
      if (step.error !== undefined) expectPart(await agent.errors.next("an error"), step.error);
      return;
    }
    case "agent leaves": {
      const name = step.agent ?? "agent";
      await (await world.agent(name)).leave();
      return world.forget(name);
    }
    case "advance":
      return world.advance(step.ms);
    case "end":
      return world.end();
    default:
      return unreachable(step);
  }
}

/** What the error says on the lane: the number of JSON-RPC where that is spoken. The status of a call is that of its code. */
function errorOn(lane: Lane, { rpcCode, ...error }: Part): Part {
  return { ...error, ...(hasRpcAgent(lane) && rpcCode !== undefined ? { rpcCode } : {}) };
}

/** The document of a text as the lane hands it out: JSON as JavaScript writes it knows no negative zero. */
function documentOn(lane: Lane, text: string): unknown {
  const document: unknown = JSON.parse(text);
  return carriesText(lane) ? document : JSON.parse(JSON.stringify(document));
}

/** A service takes lists of events only, and points into them. */
function inBatch(lane: Lane, error: Part): Part {
  return hasRpcAgent(lane) || error.pointer === undefined ? error : { ...error, pointer: `/0${String(error.pointer)}` };
}

function expectPart(actual: unknown, expected: Part): void {
  const present = Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined));
  expect(actual).toMatchObject(present);
  for (const [name, value] of Object.entries(expected)) {
    if (value === undefined) expect(actual).not.toHaveProperty(name);
  }
}

function at(value: unknown, path: string): unknown {
  let found = value;
  for (const step of path.split(".")) found = (found as Readonly<Record<string, unknown>>)[step];
  if (found === undefined) throw new Error(`there is nothing at ${path} to save`);
  return found;
}

/** The step with `$name` replaced by what was saved. Functions and matchers stay as they are. */
function filledIn(value: unknown, saved: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === "string") return /^\$[a-z]+$/.test(value) ? saved.get(value.slice(1)) : value;
  if (Array.isArray(value)) return value.map((item) => filledIn(item, saved));
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.startsWith("$") ? String(saved.get(key.slice(1))) : key,
      key === "save" ? item : filledIn(item, saved),
    ]),
  );
}
