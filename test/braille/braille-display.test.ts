// The braille display of a person: taken and given back, shown and moved, gone and there again. The server keeps to BrlAPI, and then does not.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BrailleDisplay } from "../../src/braille/braille-display.js";
import { type Brltty, brlttyOf } from "../../src/braille/brltty.js";
import type { Speech } from "../../src/speak/speech.js";
import { eventually } from "../cli/command-stage.js";
import { whenFinished } from "../support/lifetime.js";
import { createVirtualClock, settle } from "../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { bytesOf, type Packet, packet, type Script, startBrlapiServer } from "./brlapi-server.js";

const NXPROMPT = 16;
const HOME = 29;
const FWINRT = 24;
const LNUP = 1;
const LATE = "BRLTTY does not answer";
const RETRY_MS = 10_000;

function speech(text: string): Speech {
  return { source: "test", rank: "text", parts: [{ text, language: "en", isOwn: false }] };
}

async function stage({ script, ...more }: { readonly script?: Script } & Partial<Brltty> = {}) {
  const server = await startBrlapiServer(script);
  const clock = createVirtualClock();
  const reports: string[] = [];
  const brltty = { connect: server.connect, key: async () => Buffer.from("secret"), path: [7], ...more };
  const display = new BrailleDisplay({ brltty, clock, report: (text) => void reports.push(text) });
  whenFinished(() => display.close());
  return {
    server,
    clock,
    display,
    reports,
    reported: (words: string) => eventually(() => expect(reports.at(-1)).toContain(words)),
    shows: (words: string) => eventually(() => expect(server.shown().trim()).toBe(words)),
  };
}

describe("the display", () => {
  it("stands below a screen reader, with one key; is taken over it; and is given back", async () => {
    const { server, display, reported, shows } = await stage();
    await reported("Braille: Virtual, 40 cells. To take the display: aaepd braille take");
    const every = "m 0 0 4294967295 4294967295";
    const atFirst = ["v 8", "PR 769 6 0 0", "PR 769 9 0 0", "PV 0 1 0 0 1", "t 1 7", every];
    expect(server.asked()).toEqual([...atFirst, "u 0 536870928 0 536870928", "n", "PR 257 9 0 0", "s"]);
    display.add(speech("Hello."));
    await settle();
    expect(server.shown()).toBe("");
    expect([display.take(), display.take()]).toEqual([true, true]);
    await shows("⡇aaepd begins here.                    1");
    // A region of text that begins at the first cell.
    const written = server.packets.findLast(({ type }) => type === "w")?.body.subarray(0, 12);
    expect(written).toEqual(packet("w", 0x66, 1, 40).body);
    expect(server.asked()).toEqual(["L", "PV 0 1 0 0 60", "t 1 7", "m 0 0 0 536870911", "w"]);
    server.key(FWINRT);
    await shows("Hello.");
    display.giveBack();
    await shows("");
    await eventually(() => expect(server.packets.at(-1)?.type).toBe("u"));
    expect(server.asked()).toEqual([
      "w",
      "PV 0 1 0 0 0",
      "w",
      "L",
      "PV 0 1 0 0 1",
      "t 1 7",
      every,
      "u 0 536870928 0 536870928",
    ]);
  });

  it("is taken and given back by keys of its own, which do nothing else", async () => {
    const { server, display, reported, shows } = await stage();
    await reported("40 cells");
    display.add(speech("Hello."));
    server.key(LNUP);
    server.key(NXPROMPT);
    await shows("⡇aaepd begins here.                    1");
    server.key(NXPROMPT);
    await shows("Hello.");
    server.send("k", 0, 0x61);
    server.key(HOME);
    await eventually(() => expect(display.isTaken).toBe(false));
    await shows("");
  });

  it("an answer to a key is shown where the display is taken, and not kept otherwise", async () => {
    const { display, reported, shows } = await stage();
    await reported("40 cells");
    display.answer(speech("Unseen."));
    display.take();
    await shows("⡇aaepd begins here.");
    display.answer(speech("Paused."));
    await shows("Paused.");
  });

  it("a display that goes while it is read is told once, and goes on where it was", async () => {
    const { server, display, reports, reported, shows } = await stage();
    await reported("40 cells");
    display.add(speech("One two three four five."));
    display.take();
    server.key(FWINRT);
    await shows("One two three four five.");
    server.resize(0);
    server.resize(0);
    await reported("There is no braille display. It goes on where it was once it is there.");
    expect(display.take()).toBe(false);
    server.asked();
    display.add(speech("Meanwhile."));
    server.resize(12);
    await reported("12 cells");
    await shows("One two   1");
    expect(server.asked().filter((one) => one === "w")).toHaveLength(1);
    expect(reports).toHaveLength(3);
  });

  it("a BRLTTY that ends is told once, tried again, and shows the line that it showed", async () => {
    const { server, clock, display, reports, reported, shows } = await stage();
    await reported("40 cells");
    display.add(speech("Hello."));
    display.take();
    server.key(FWINRT);
    await shows("Hello.");
    server.drop();
    await reported("No braille: BRLTTY has ended the connection. Trying again every 10 seconds.");
    expect(display.take()).toBe(false);
    display.add(speech("Meanwhile."));
    clock.advance(RETRY_MS);
    await reported("40 cells");
    await shows("Hello.                                1");
    expect(reports).toHaveLength(3);
  });

  it("a BRLTTY whose display has gone answers no newcomer, which is told; a close does not wait for it", async () => {
    const { clock, display, server, reported } = await stage({
      script: (type) => (type === "v" ? "nothing" : undefined),
    });
    await eventually(() => expect(server.packets).toHaveLength(1));
    clock.advance(5000);
    await reported("BRLTTY does not answer.");
    clock.advance(RETRY_MS);
    await eventually(() => expect(server.packets).toHaveLength(2));
    await display.close();
    expect(clock.pending()).toBe(0);
  });

  it("closes with the display given back", async () => {
    const { server, display, reported } = await stage();
    await reported("40 cells");
    display.take();
    await display.close();
    expect(server.asked()).toContain("PV 0 1 0 0 0");
  });

  it("tells that BRLTTY does not run", async () => {
    const { connect: toNobody } = brlttyOf({ BRLAPI_HOST: ":61000" });
    const { reported } = await stage({ connect: toNobody });
    await reported("No braille: BRLTTY does not run on this machine.");
  });
});

describe("the key", () => {
  const wanted: Script = (type) => (type === "v" ? [packet("a", "K".charCodeAt(0), "C".charCodeAt(0))] : undefined);

  it("is sent where it is wanted", async () => {
    const { server, reported } = await stage({ script: wanted });
    await reported("40 cells");
    expect(server.packets.find(({ type }) => type === "a")?.body.toString("latin1")).toBe("\0\0\0Ksecret");
  });

  it("is read from the file that BRLAPI_AUTH names; one that cannot be read is told with what helps", async () => {
    const path = join(temporaryDirectory(), "key");
    const { key } = brlttyOf({ BRLAPI_AUTH: `none+keyfile:${path}` });
    const { reported } = await stage({ script: wanted, key });
    await reported("members of the group brlapi may read it");
    writeFileSync(path, "of mine");
    expect((await key()).toString()).toBe("of mine");
  });

  it("a refusal is told", async () => {
    const { reported } = await stage({
      script: (type, body) => (type === "a" ? [packet("e", 7)] : wanted(type, body)),
    });
    await reported("No braille: BRLTTY has refused a request with error 7 of BrlAPI.");
  });
});

it("stands at the place that a screen reader of the desktop takes", () => {
  expect(brlttyOf({ WINDOWPATH: "1:7" }).path).toEqual([1, 7]);
  expect(brlttyOf({ XDG_VTNR: "2" }).path).toEqual([2]);
  expect(brlttyOf({}).path).toEqual([]);
  expect(brlttyOf({ WINDOWPATH: "x:-1:99999999999" }).path).toEqual([]);
});

it("speaks to no BRLTTY elsewhere", () => {
  expect(() => brlttyOf({ BRLAPI_HOST: "library:0" })).toThrow(/Only a BRLTTY of this machine/);
});

describe("answers that no BRLTTY gives end the connection, and are told", () => {
  const at =
    (type: string, answer: readonly Packet[] | Buffer): Script =>
    (asked) =>
      asked === type ? answer : undefined;
  it.each<readonly [string, Script, string]>([
    ["another protocol", at("", [packet("v", 7)]), "protocol 7 of BrlAPI, in place of 8"],
    ["a packet of 4 GiB", at("n", Buffer.alloc(8, 0xff)), "a packet of 4294967295 bytes"],
    ["too long a packet", at("n", bytesOf({ type: "n", body: Buffer.alloc(4097) })), "a packet of 4097 bytes"],
    ["a size of no bytes", at("s", [packet("s")]), '"s" with 0 bytes'],
    ["another answer", at("s", [packet("A")]), '"A" with 0 bytes, which it was not asked for'],
    ["an answer too many", at("n", [packet("n", 1), packet("A")]), "which it was not asked for"],
    ["a short key", at("n", [packet("k", 1)]), '"k" with 4 bytes'],
    ["an exception", at("w", [packet("E", 9, 0)]), "refused a request with error 9"],
    ["an empty error", at("t", [packet("e")]), "BRLTTY has refused a request."],
    ["an end", at("n", Buffer.alloc(3)), LATE],
  ])("%s", async (_, script, words) => {
    const { display, clock, server, reports } = await stage({ script });
    await eventually(() => {
      display.take();
      if (server.packets.some(({ type }) => type === "n")) clock.advance(words === LATE ? 5000 : 0);
      expect(reports.at(-1)).toContain(words);
    });
  });

  it("a BRLTTY without parameters is met as one whose display is there", async () => {
    const { reported } = await stage({ script: (type) => (type.startsWith("P") ? [packet("e", 6)] : undefined) });
    await reported("40 cells");
  });
});
