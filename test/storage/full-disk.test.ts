// R29: a disk that is full or read-only refuses publishing with a typed error, keeps what was accepted, and recovers by itself.
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isWhole } from "../support/extent.js";
import { type DiskKind, diskKind, onSmallDisk } from "../support/rigs/small-disk.js";

beforeAll(ensureBuilt);

/** A mounted one shows all that a limited one shows, and more. */
const kinds: readonly DiskKind[] =
  diskKind() === "limited" ? ["limited"] : isWhole ? ["mounted", "limited"] : ["mounted"];

describe.each(kinds)("a %s disk", (kind) => {
  it("R29: is full, refuses, keeps what was accepted, and goes on when there is room", async () => {
    const { lines, code, stderr } = await onSmallDisk(kind, kind === "mounted" ? 1200 : 600, "full-disk.mjs");
    expect(code, stderr).toBe(0);
    const by = Object.fromEntries(lines.map((line) => [line.step, line]));
    expect(by.full).toMatchObject({ promise: "storage_unavailable", next: "storage_unavailable", missing: 0 });
    expect(by.full?.accepted).toBeGreaterThan(10);
    expect(by.full?.sentence).toContain("The journal cannot be written at present.");
    expect(by.full?.failure).toMatchObject({ reason: expect.any(String), remedy: expect.any(String) });
    if (kind === "mounted") expect(by.full?.sentence).toContain("The disk is full. Make room on it.");
    expect(by.recovered).toMatchObject({ missing: 0 });
    expect(by.reopened).toMatchObject({ missing: 0, state: 1 });
    if (kind === "mounted") {
      expect(by["read-only"]).toMatchObject({
        code: "storage_unavailable",
        sentence: expect.stringContaining("The file system is read-only."),
      });
    }
    expect(by.log).toMatchObject({
      accidents: [],
      lines: [
        { level: "error", message: "the journal cannot be written; publishing is refused" },
        { level: "info", message: "the journal can be written again" },
      ],
    });
  });
});
