// What each operation answers over a connection, and the notifications that others are sent.
import { describe, expect, it } from "vitest";
import { accessContract } from "../../../contract/access-contract.js";
import { type AkashikPeer, codeOf, createAkashikStage, type Document, RECORD, subscribe } from "../akashik-stage.js";

const EVERYTHING = [
  "memory.recorded",
  "memory.superseded",
  "memory.contested",
  "conflict.detected",
  "conflict.resolved",
];

/** A stage with a writer and a reader, who subscribed to `events`. */
async function writerAndReader(events: readonly string[] = EVERYTHING) {
  const stage = createAkashikStage();
  const reader = await stage.agent("reader", "strategist", ["market prices"]);
  const writer = await stage.agent("writer");
  await reader.ask("SUBSCRIBE", subscribe(events));
  /** Records, and answers the payload. */
  const record = async (more: Document = {}): Promise<Document> =>
    (await writer.ask("RECORD", { ...RECORD, ...more })).payload;
  /** Records a contradiction, and answers the conflict. */
  const contradict = async (): Promise<Document> => {
    const { memory_unit_id: target_id } = await record();
    const { conflicts_detected } = await record({ relations: [{ type: "contradicts", target_id }] });
    return (conflicts_detected as readonly Document[])[0] ?? {};
  };
  return { stage, reader, writer, record, contradict };
}

describe("SUBSCRIBE", () => {
  it("is ended by its agent alone, and pushes nothing then", async () => {
    const { reader, writer, record } = await writerAndReader();
    const [{ id } = { id: "" }] = (await reader.ask("SUBSCRIBE", { action: "list" })).payload
      .subscriptions as readonly Document[];
    const unsubscribe = { action: "unsubscribe", subscription: { id } };
    expect((await writer.ask("SUBSCRIBE", unsubscribe)).payload.status).toBe("not_found");
    for (const status of ["ok", "not_found"])
      expect((await reader.ask("SUBSCRIBE", unsubscribe)).payload).toEqual({ status, subscription_id: id });
    await record();
    expect(reader.pushed()).toEqual([]);
  });
});

describe("ATTUNE", () => {
  it("has the units of others, in the members of its format", async () => {
    const { reader, writer, record } = await writerAndReader();
    const { memory_unit_id: id } = await record();
    const members = async (format: string): Promise<readonly string[]> => {
      const [item] = (await reader.ask("ATTUNE", { format })).payload.record as readonly Document[];
      expect(item?.memory_unit).toMatchObject({ id });
      return Object.keys(item?.memory_unit ?? {});
    };
    expect(await members("ids_only")).toEqual(["id"]);
    expect(await members("summary")).toEqual(["id", "type", "content", "source", "epoch", "status"]);
    expect(await members("full")).toHaveLength(10);
    expect((await writer.ask("ATTUNE", {})).payload.record).toEqual([]);
  });

  it("has the unresolved conflicts of its units, and no others", async () => {
    const { reader, writer, contradict } = await writerAndReader();
    const conflict = await contradict();
    const attuned = async (payload: object = {}) => (await reader.ask("ATTUNE", payload)).payload.conflicts;
    expect(await attuned()).toEqual([conflict]);
    expect(await attuned({ scope: { max_units: 0 } })).toEqual([]);
    await writer.ask("MERGE", { conflict_id: conflict.id, strategy: "last_write_wins" });
    expect(await attuned()).toEqual([]);
  });
});

describe("DETECT and MERGE", () => {
  it("list the conflict, resolve it once, and tell who subscribed", async () => {
    const { reader, writer, contradict } = await writerAndReader(["conflict.resolved", "memory.superseded"]);
    const conflict = await contradict();
    expect((await reader.ask("DETECT", { mode: "list" })).payload).toEqual({ status: "ok", conflicts: [conflict] });
    const resolution = { rationale: "It is newer." };
    const merge = { conflict_id: conflict.id, strategy: "last_write_wins", resolution };
    const merged = (await writer.ask("MERGE", merge)).payload;
    expect(merged).toMatchObject({
      status: "resolved",
      conflict: {
        id: conflict.id,
        status: "resolved",
        resolution: { ...resolution, winner_id: conflict.unit_a, resolved_by: "writer" },
      },
    });
    expect(merged.side_effects).toEqual([
      { memory_unit_id: conflict.unit_a, status: "active" },
      { memory_unit_id: conflict.unit_b, status: "superseded" },
    ]);
    expect(reader.pushed()).toMatchObject([
      { event: "conflict.resolved", conflict_id: conflict.id },
      { event: "memory.superseded", memory_unit_id: conflict.unit_b },
    ]);
    expect(codeOf(await writer.ask("MERGE", merge))).toBe("INVALID_TRANSITION");
  });
});

/** The operations that need a right. */
const ASKED: Readonly<Record<string, readonly (readonly [operation: string, payload: Document])[]>> = {
  publish: [
    ["RECORD", RECORD],
    ["MERGE", { conflict_id: "conf-1", strategy: "last_write_wins" }],
  ],
  subscribe: [
    ["ATTUNE", {}],
    ["DETECT", {}],
    ["SUBSCRIBE", subscribe(["memory.recorded"])],
    ["SUBSCRIBE", { action: "list" }],
  ],
};

/** The contract's words for the one code of Akashik. */
const REFUSAL: Readonly<Record<string, string>> = { publish: "permission_denied", subscribe: "authorization_denied" };

accessContract({
  name: "Akashik",
  operations: ["publish", "subscribe"],
  open: (access) => {
    const stage = createAkashikStage({ access });
    let peer: Promise<AkashikPeer> | undefined;
    return async (operation) => {
      peer ??= stage.agent("a");
      const codes: unknown[] = [];
      for (const [name, payload] of ASKED[operation] ?? []) codes.push(codeOf(await (await peer).ask(name, payload)));
      return codes.every((code) => code === "UNSUPPORTED_OPERATION") ? REFUSAL[operation] : codes;
    };
  },
});
