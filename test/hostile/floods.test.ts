// More than anybody needs, of everything. What one peer does costs the others nothing, and leaves nothing behind.
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isWhole } from "../support/extent.js";
import type { Message } from "../support/oracles/wire-sniffer.js";
import type { MessageQueue } from "../support/peers/message-queue.js";
import { type DaemonRig, requestOf, startRig, turns } from "../support/rigs/daemon-rig.js";

const STARTED = { type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Begins." };
const EVERYTHING = { coalesce_boundaries: ["none"] };
const MIB = 1024 * 1024;

function connectedCount(rig: DaemonRig): number {
  const lines = rig.log.filter(({ message }) => message === "connected").length;
  return lines - rig.log.filter(({ message }) => message === "disconnected").length;
}

function state(index: number, text: string): Message {
  const states = ["thinking", "deciding"];
  return {
    type: "aaep:agent.state.changed",
    session_id: "sess_1",
    from_state: index === 0 ? "idle" : states[(index + 1) % 2],
    to_state: states[index % 2],
    summary_normal: text,
  };
}

/** The numbers that the summaries of state changes begin with. */
function numbersOf(events: readonly Message[]): number[] {
  return events
    .filter(({ summary_normal }) => /^\d+ /.test(String(summary_normal)))
    .map(({ summary_normal }) => Number.parseInt(String(summary_normal), 10));
}

/**
 * Sends a text and reads nothing of the answers. Returns once the daemon has had all the turns that it would need to take everything, and checks that
 * most of it is still here: the daemon has stopped reading.
 */
async function sendUnread(socket: Socket, text: string): Promise<void> {
  socket.pause();
  socket.write(text);
  // At least one read of 64 KiB, or a part of it, is taken in four of them.
  await turns(MANY / 20);
  expect(socket.closed).toBe(false);
  expect(socket.writableLength).toBe(text.length);
}

/** Reads on until so many lines have come. */
async function readLines(socket: Socket, count: number): Promise<readonly string[]> {
  const lines: string[] = [];
  let rest = "";
  await new Promise<void>((resolve) => {
    socket.on("data", (data: Buffer) => {
      const pieces = (rest + data.toString("latin1")).split("\n");
      rest = pieces.pop() ?? "";
      lines.push(...pieces);
      if (lines.length >= count) resolve();
    });
    socket.resume();
  });
  return lines;
}

async function publishStates(rig: DaemonRig, count: number, size: number, each?: (index: number) => Promise<unknown>) {
  const agent = await rig.rpc();
  await agent.publish(STARTED);
  for (let index = 0; index < count; index += 100) {
    const events = Array.from({ length: 100 }, (_, at) => state(index + at, `${index + at} `.padEnd(size, "x")));
    await agent.publish(...events);
    await each?.(index);
  }
  return agent;
}

const CONNECTS = isWhole ? 300 : 100;

describe("connections", () => {
  it(`${CONNECTS} connects and disconnects in a row, orderly and not, leave nothing open`, async () => {
    const rig = await startRig();
    for (let index = 0; index < CONNECTS; index++) {
      const { socket } = await rig.raw();
      switch (index % 5) {
        case 0:
          socket.destroy();
          break;
        case 1:
          socket.end();
          break;
        case 2:
          socket.end(`${JSON.stringify(requestOf({}, { subscriber_id: `s${index}` }))}\n`);
          break;
        case 3:
          socket.write(`${JSON.stringify(requestOf({}, { subscriber_id: `s${index}` }))}\n`, () => socket.destroy());
          break;
        case 4:
          socket.write("half", () => socket.destroy());
          break;
      }
    }
    await rig.expectOthersServed();
    await expect.poll(() => connectedCount(rig), { timeout: 60_000 }).toBe(0);
    const listener = await rig.plain();
    expect((await listener.subscribe(requestOf())).type).toBe("subscription.accepted");
  });
});

const MANY = isWhole ? 40_000 : 4000;
/** A line so long that many of them are more than the buffers of both sides hold. */
const line = (text: string): string => `${text.padEnd(150)}\n`;

describe("messages", () => {
  it(`${MANY} tiny invalid messages are each answered, while others work`, async () => {
    const rig = await startRig();
    const noisy = await rig.plain("newline");
    const listener = await rig.plain();
    await listener.subscribe(requestOf(EVERYTHING));
    const agent = await rig.rpc();
    await agent.publish(STARTED);
    let answered = 0;
    for (let index = 0; index < MANY / 1000; index++) {
      noisy.sendText(...Array.from({ length: 1000 }, () => "{}"));
      await agent.publish(state(index, `${index} state`));
      answered += (await noisy.answers.take(1000)).length;
    }
    expect(answered).toBe(MANY);
    expect(numbersOf(await listener.events.take(MANY / 1000 + 1))).toHaveLength(MANY / 1000);
  });

  it(`R3: ${MANY} bad notifications, whose sender does not read, hold up nobody but their sender`, async () => {
    const rig = await startRig();
    const { socket } = await rig.raw();
    const refused = line('{"jsonrpc":"2.0","method":"aaep.publish","params":{}}');
    const unknown = line('{"jsonrpc":"2.0","method":"aaep.no_such_method_as_this"}');
    const before = process.memoryUsage().rss;
    await sendUnread(socket, (refused + unknown.repeat(9)).repeat(MANY / 10));
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
    await rig.expectOthersServed();
    // It is held up, not cut off: reading lets it go on.
    const lines = await readLines(socket, MANY);
    const count = (code: string): number =>
      lines.filter((one) => one.includes(`"aaep.error","params":{"code":"${code}"`)).length;
    expect([lines.length, count("invalid_event"), count("unknown_method")]).toEqual([MANY, MANY / 10, (MANY * 9) / 10]);
  });

  it(`${MANY} requests, whose sender does not read, hold up nobody but their sender`, async () => {
    const rig = await startRig();
    const { socket } = await rig.raw();
    await sendUnread(socket, line('{"jsonrpc":"2.0","id":1,"method":"aaep.manifest"}').repeat(MANY));
    await rig.expectOthersServed();
  });
});

describe("ids that nobody was sent", () => {
  const MADE_UP_COUNT = 2000;

  /** 5,000 events, and ids that would name several of them as one: a stretch of text, or states from the first to the last. */
  async function madeUpIds(rig: DaemonRig, kind: "text" | "states"): Promise<readonly string[]> {
    const agent = await rig.rpc();
    await agent.publish(STARTED);
    const chunk = { type: "aaep:agent.output.streaming", session_id: "sess_1", chunk: "x", complete: false };
    let last = 0;
    for (let index = 0; index < 5000; index += 250) {
      const { events } = await agent.publish(
        ...Array.from({ length: 250 }, (_, at) => (kind === "text" ? chunk : state(index + at, `${index + at} state`))),
      );
      last = Number((events as readonly Message[]).at(-1)?.epoch);
    }
    const epoch = last.toString(16).padStart(16, "0");
    const extent = kind === "text" ? "0000000000001388" : "0000138700000000";
    return Array.from({ length: MADE_UP_COUNT }, (_, at) => `evt_${epoch}${extent}${String(at).padStart(32, "0")}`);
  }

  /** How often JSON is parsed until the test ends, by the daemon and the peers of the test. */
  function countParses(): () => number {
    const { parse } = JSON;
    let count = 0;
    JSON.parse = (...given: Parameters<typeof parse>) => {
      count += 1;
      return parse(...given) as unknown;
    };
    onTestFinished(() => {
      JSON.parse = parse;
    });
    return () => count;
  }

  const STORMS = [
    ["text", "JSON-RPC"],
    ["states", "plain"],
    ["text", "plain"],
    ["states", "JSON-RPC"],
  ] as const;

  it.each(isWhole ? STORMS : STORMS.slice(0, 2))(
    "R28: a storm of them costs each a hash and no search, and others are served between them: %s, %s",
    async (kind, envelope) => {
      const rig = await startRig();
      const ids = await madeUpIds(rig, kind);
      const other = await rig.plain();
      await other.subscribe(requestOf(EVERYTHING, { subscriber_id: "other" }));
      const texts = ids.map((event_id, id) =>
        JSON.stringify(
          envelope === "plain"
            ? { type: "aaepd.repeat", event_id }
            : { jsonrpc: "2.0", id: `made-up ${id}`, method: "aaep.repeat", params: { event_id } },
        ),
      );
      let answers: MessageQueue<Message>;
      if (envelope === "plain") {
        const noisy = await rig.plain();
        await noisy.subscribe(requestOf(EVERYTHING));
        answers = noisy.answers;
        noisy.sendText(...texts);
      } else {
        const noisy = await rig.rpc();
        await noisy.subscription().subscribe(requestOf(EVERYTHING));
        answers = noisy.strays;
        noisy.sendText(...texts);
      }
      const parseCount = countParses();
      expect(await other.listPending()).toEqual([]);
      const received: Message[] = [...answers.rest()];
      expect(received.length).toBeLessThan(MADE_UP_COUNT);
      received.push(...(await answers.take(MADE_UP_COUNT - received.length)));
      // Such an id is known to be made up before anything is read: a few for what is said on both sides.
      expect(parseCount()).toBeLessThan(MADE_UP_COUNT * 50);
      // In order, each about its own id.
      for (const [index, answer] of received.entries()) {
        if (envelope === "plain") expect(answer).toMatchObject({ code: "not_found", event_id: ids[index] });
        else expect(answer).toMatchObject({ id: `made-up ${index}`, error: { data: { code: "not_found" } } });
      }
    },
  );
});

describe("subscribers that do not read", () => {
  it("R4, R18: a critical event reaches those who read while another does not", async () => {
    const rig = await startRig();
    const slow = await rig.plain();
    await slow.subscribe(requestOf(EVERYTHING, { subscriber_id: "slow" }));
    slow.stopReading();
    const quick = await rig.plain();
    await quick.subscribe(requestOf({ event_filters: { include: [] } }, { subscriber_id: "quick" }));
    const agent = await publishStates(rig, 2000, 600);
    await agent.publish({
      type: "aaep:agent.session.errored",
      session_id: "sess_1",
      error_category: "unknown",
      summary_normal: "Failed.",
    });
    expect(await quick.events.next()).toMatchObject({ type: "aaep:agent.session.errored" });
    await rig.expectOthersServed();
  });
});
