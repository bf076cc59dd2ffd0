// The audit log on a disk that is full: lines wait, none is lost or cut in two, and all of them are in the log when there is room again.
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../support/built.js";
import { type DiskKind, diskKind, onSmallDisk } from "../../support/rigs/small-disk.js";

beforeAll(ensureBuilt);

const kinds: readonly DiskKind[] = diskKind() === "mounted" ? ["mounted", "limited"] : ["limited"];

describe.each(kinds)("a %s disk", (kind) => {
  it("takes a part of what is written, and later the rest", async () => {
    const { lines, code, stderr } = await onSmallDisk(kind, kind === "mounted" ? 1200 : 600, "audit-full-disk.mjs");
    expect(code, stderr).toBe(0);
    const [full, room] = lines;
    const trouble = full?.trouble as { readonly reason: string; readonly waitingCount: number };
    expect(full).toMatchObject({ step: "full", isInOrder: true, written: full?.settled });
    expect(trouble.reason).toContain(kind === "mounted" ? "ENOSPC" : "EFBIG");
    expect(Number(full?.written) + trouble.waitingCount).toBe(2000);
    expect(full?.written).toBeGreaterThan(500);
    expect(room).toStrictEqual({
      step: "room",
      written: 2000,
      isInOrder: true,
      dropped: 0,
      messages: ["the audit log cannot be written; questions go on without it", "the audit log can be written again"],
    });
  });
});
