// The suite against a real daemon, against producers that do not answer, and under mutants.
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { NO_DRIVER } from "../../src/conformance/drive/driver.js";
import { type CaseResult, verdictIn } from "../../src/conformance/findings/finding.js";
import { PRODUCER_CASES } from "../../src/conformance/producer/all-cases.js";
import type { Heard } from "../../src/conformance/producer/stage.js";
import { SUBSCRIBER_CASES } from "../../src/conformance/subscriber/run-subscriber-cases.js";
import { openLinks } from "../../src/conformance/wire/open-links.js";
import { runtimeEnvironment, serve } from "../cli/command-stage.js";
import { isWhole, itInFull } from "../support/extent.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { PRODUCER_MUTANTS } from "./mutants/all-mutants.js";
import { AAEPD_FAILS, FAILS, failsOf, SUBSCRIBER_FAILS } from "./mutants/expected-failures.js";
import { failedIds, judgeMutant, judgeProducer } from "./mutants/judge-mutant.js";
import { PATCHED_SUBSCRIBERS } from "./mutants/patched-subscribers.js";
import { AAEPD } from "./mutants/question-mutants.js";
import { SUBSCRIBER_MUTANTS } from "./mutants/subscriber-mutants.js";

/** Mutants whose cases take a few seconds at most, beside each other; those of the first round in a short run. */
const QUICK = [
  ...["rejected-without-message", "honored-rate-raised", "rate-of-two-at-least", "honored-boundaries-widened"],
  ...["honored-filters-widened", "honored-languages-widened", "unserved-language-replaced", "replies-honored-unasked"],
  ...["clarification-honored-with-confirmation", "signature-demand-ignored", "unknown-capability-rejected"],
  ...["other-major-version-claimed", "next-major-version-claimed", "manifest-nowhere", "accepted-without-producer"],
  ...["renegotiation-renames-the-subscription", "renegotiation-resets-the-rest", "languages-widened-by-renegotiation"],
  ...["malformed-renegotiation-opens-filters", "renegotiation-answered-twice", "verbosity-ignored", "token-by-prefix"],
  ...["last-reply-wins", "late-reply-counted", "reply-without-timestamp-counted"],
  ...["disallowed-decision-counted", "choice-outside-the-list-counted", "wrong-typed-clarification-counted"],
  ...["one-subscription-id", "array-ends-every-connection", "accept-taken-as-reject"],
];
/** Mutants that are judged at the same time. */
const AT_ONCE = 8;
const TRIED = isWhole ? QUICK : QUICK.slice(0, AT_ONCE);
/** Mutants that are judged alone: the first one's case watches whatever is heard, and the second one answers the last question that it has heard. */
const ALONE = ["event-id-reused", "close-counts-as-accept"];

/** The scenarios in which a case of these mutants fails: one that asks for its own, and one that watches all. */
const SHOWN_IN: Readonly<Record<string, string>> = {
  "P2-accept": "confirmation",
  "P1-event-id-unique": "cancel-question",
};

it("a mutant fails the cases that the table names, and a correct producer passes them", async () => {
  const daemon = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, "--journal", "memory");
  const judge = async (name: string): Promise<void> => {
    const cases = failsOf(FAILS, name);
    const results = await judgeMutant(PRODUCER_MUTANTS[name] ?? (() => ({})), daemon.socketPath, cases);
    const told = results.map(({ about, verdict }) => `${name}: ${about.id}: ${JSON.stringify(verdict)}`).join("\n");
    expect([...failedIds(results)].sort(), told).toEqual([...cases].sort());
    for (const { about, verdict } of results)
      if (about.id in SHOWN_IN)
        expect(verdict).toMatchObject({
          evidence: expect.arrayContaining([{ note: "scenario", text: SHOWN_IN[about.id] }]),
        });
  };
  for (const name of ALONE) await judge(name);
  // A wrong reply that counts shows within the case's quiet time only where the machine has time for it.
  for (let from = 0; from < TRIED.length; from += AT_ONCE)
    await Promise.all(TRIED.slice(from, from + AT_ONCE).map(judge));
  const cases = [...new Set([...ALONE, ...TRIED].flatMap((name) => failsOf(FAILS, name)))];
  const results = await Promise.all(cases.map((id) => judgeMutant(() => ({}), daemon.socketPath, [id])));
  expect(results.flat().filter(({ verdict }) => verdict.kind !== "passed")).toEqual([]);
  expect(results.flat().length).toBe(cases.length);
  await daemon.stop();
});

it("the tables have a row for every mutant, and rows of no other", () => {
  expect(Object.keys(FAILS).sort()).toEqual(Object.keys(PRODUCER_MUTANTS).sort());
  expect(Object.keys(AAEPD_FAILS).sort()).toEqual(Object.keys(AAEPD).sort());
  expect(Object.keys(SUBSCRIBER_FAILS).sort()).toEqual(
    Object.keys({ ...SUBSCRIBER_MUTANTS, ...PATCHED_SUBSCRIBERS }).sort(),
  );
});

/** Watching cases that `watching-cases.test.ts` leaves to a mutant. The cases that it judges, P1-numbers and P1-json have tests of their own. */
const LEFT_TO_MUTANTS = ["P1-schema", "P3-accepted-form"];

it("every case is failed by a mutant, but watching cases that have rows of their own", () => {
  const failed = new Set(
    [FAILS, AAEPD_FAILS, SUBSCRIBER_FAILS].flatMap((table) =>
      Object.keys(table).flatMap((name) => failsOf(table, name)),
    ),
  );
  const judged = PRODUCER_CASES.filter(({ kind, id }) => kind !== "watching" || LEFT_TO_MUTANTS.includes(id));
  const cases = [...judged, ...SUBSCRIBER_CASES].map(({ id }) => id);
  expect(cases.filter((id) => !failed.has(id))).toEqual([]);
});

it("P1-numbers reads numbers as they were sent", () => {
  const [numbers] = PRODUCER_CASES.flatMap((one) => (one.kind === "watching" && one.id === "P1-numbers" ? [one] : []));
  const verdictOf = (number: string): unknown => {
    const text = `{"event_id":"evt_1","session_id":"sess_1","note":"9007199254740993 \\" 1e400","size":${number}}`;
    const record = [{ way: "received", at: 0, place: 0, text, message: JSON.parse(text) }];
    try {
      return numbers?.judge({ conversations: [{ record }], shown: new Map() } as unknown as Heard);
    } catch (caught) {
      return verdictIn(caught).kind;
    }
  };
  expect(["9007199254740993", "-9007199254740993", "1e400", "[[9007199254740994]]"].map(verdictOf)).toEqual(
    Array(4).fill("failed"),
  );
  expect(["9007199254740992", "-1.5e-7", "0"].map(verdictOf)).toEqual([1, 1, 1]);
});

describe("a bad target", () => {
  async function runAt(
    behave: (socket: Socket) => void,
    chosen?: readonly string[],
    patienceMs?: number,
  ): Promise<readonly CaseResult[]> {
    const path = join(temporaryDirectory(), "bad.sock");
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      behave(socket);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return judge(path, chosen, patienceMs);
  }

  async function judge(path: string, chosen?: readonly string[], patienceMs = 8000): Promise<readonly CaseResult[]> {
    return judgeProducer(await openLinks({ kind: "ipc", path }), NO_DRIVER, patienceMs, chosen);
  }

  function framed(text: string): Buffer {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  }

  /** The one reason for which everything is skipped. */
  function onlyReason(results: readonly CaseResult[]): string {
    const reasons = new Set(
      results.map(({ verdict }) => (verdict.kind === "skipped" ? verdict.reason : `not skipped: ${verdict.kind}`)),
    );
    expect(reasons.size).toBe(1);
    expect(results.length).toBeGreaterThan(80);
    return [...reasons][0] ?? "";
  }

  it("that is not there is one finding", async () => {
    expect(onlyReason(await judge(join(temporaryDirectory(), "nowhere.sock"), undefined))).toContain(
      "No connection is taken at unix:",
    );
  });

  it("that closes at once is one finding", async () => {
    expect(onlyReason(await runAt((socket) => socket.end()))).toContain("The target ended the connection at once.");
  });

  it("that says something else is one finding", async () => {
    const garbage = (socket: Socket): void => void socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    expect(onlyReason(await runAt(garbage))).toContain("The target's bytes cannot be read. The stream begins with");
    const text = (socket: Socket): void => void socket.write('"hello"\n');
    expect(onlyReason(await runAt(text))).toContain("The target's bytes cannot be read.");
  });

  it("that sends messages that are no JSON fails the case of that, and the others are skipped", async () => {
    for (const end of [false, true]) {
      const garble = (socket: Socket): void => {
        socket.write(Buffer.concat([framed("hello"), framed("[1]")]));
        if (end) socket.end();
      };
      // A target that stays says nothing else, however long it is heard.
      const results = await runAt(garble, undefined, 500);
      const failed = results.filter(({ verdict }) => verdict.kind !== "skipped");
      expect(failed.map(({ about, verdict }) => [about.id, verdict.kind])).toEqual([["P1-json", "failed"]]);
      expect(onlyReason(results.filter(({ about }) => about.id !== "P1-json"))).toBe(
        "The target sends something that is no JSON object: hello",
      );
    }
    const latin = Buffer.concat([Buffer.from([0, 0, 0, 9]), Buffer.from('{"a":"\xe9"}', "latin1")]);
    const [result] = await runAt((socket) => void socket.write(latin), ["P1-json"], 500);
    expect(result?.verdict).toMatchObject({
      kind: "failed",
      evidence: [{ text: "9 bytes that are no UTF-8: 7b2261223a22e9227d" }],
    });
  });

  it("that sends half a frame and ends is one finding", async () => {
    const half = (socket: Socket): void => void socket.end(Buffer.from([0, 0, 4, 0, 0x7b]));
    // The suite may find the connection closed when it writes.
    expect(onlyReason(await runAt(half))).toMatch(
      /The target ended the connection at once|ended in the middle of a message/,
    );
  });

  it("that rejects everything, or answers by something else, is one finding", async () => {
    const answering = (answer: object) => (socket: Socket) =>
      void socket.once("data", () => socket.write(framed(JSON.stringify(answer))));
    const rejected = { type: "subscription.rejected", reason_code: "version_unsupported", aaep_version: "9.0.0" };
    expect(onlyReason(await runAt(answering(rejected)))).toContain(
      "The target does not accept the plainest request: {",
    );
    expect(onlyReason(await runAt(answering({ type: "aaepd.error" })))).toContain(
      "does not accept the plainest request",
    );
    const later = { type: "subscription.accepted", subscription_id: "sub_1", aaep_version: "9.0.0" };
    expect(onlyReason(await runAt(answering(later)))).toBe(
      "The target speaks AAEP 9.0.0, and the suite tests AAEP 1.0.0.",
    );
  });

  it("that floods is one finding, and what it sent is not kept", async () => {
    const event = framed(
      JSON.stringify({ type: "aaep:agent.progress.updated", event_id: "evt_1", session_id: "sess_1" }),
    );
    const accepted = framed(JSON.stringify({ type: "subscription.accepted", subscription_id: "sub_1" }));
    const flood = (socket: Socket): void => {
      const block = Buffer.concat(Array.from({ length: 1000 }, () => event));
      const pour = (): void => {
        while (!socket.destroyed && socket.write(block));
        if (!socket.destroyed) socket.once("drain", pour);
      };
      pour();
    };
    expect(onlyReason(await runAt(flood))).toBe("The target sent more on one connection than the suite keeps.");
    const later = await runAt((socket) => {
      socket.write(accepted);
      setImmediate(flood, socket);
    });
    expect(later.filter(({ verdict }) => verdict.kind === "skipped").length).toBeGreaterThan(80);
  });

  itInFull("that never answers fails the case of that, and the others are skipped", async () => {
    const results = await runAt(() => {}, ["P3-answered-once", "P3-accepted-form", "P1-schema"]);
    expect(results.map(({ about, verdict }) => [about.id, verdict.kind])).toEqual([
      ["P1-schema", "skipped"],
      ["P3-accepted-form", "skipped"],
      ["P3-answered-once", "failed"],
    ]);
    expect(results[0]?.verdict).toMatchObject({
      reason:
        "The target did not answer a subscription.request. A target that reads lines needs --framing newline. The suite waited 8 seconds. Give a slow target more with --patience.",
    });
  });
});
