import { describe, expect, it } from "vitest";
import { assertPathFits, type IpcPlace, ipcPath } from "../../../transports/ipc/paths.js";
import { faultOf } from "../../support/fault-of.js";

const linux: IpcPlace = { platform: "linux", environment: { XDG_RUNTIME_DIR: "/run/user/7" }, userId: 7 };
const mac: IpcPlace = { platform: "darwin", environment: { HOME: "/Users/ada" }, userId: 501 };
const windows: IpcPlace = { platform: "win32", environment: {}, userId: undefined };

describe("AAEP appendix B: where a producer is found", () => {
  it.each([
    [linux, "/run/user/7/aaep/agent.sock"],
    [mac, "/Users/ada/Library/Application Support/AAEP/agent.sock"],
    [windows, "\\\\.\\pipe\\aaep\\agent"],
    [{ ...linux, environment: {} }, "/tmp/aaep-7/agent.sock"],
    [{ ...linux, environment: { XDG_RUNTIME_DIR: "relative" } }, "/tmp/aaep-7/agent.sock"],
  ] as const)("%j", (place, path) => {
    expect(ipcPath(place, "agent")).toBe(path);
  });

  it("numbers further instances", () => {
    expect(ipcPath(linux, "agent", 2)).toBe("/run/user/7/aaep/agent-2.sock");
    expect(ipcPath(windows, "agent", 3)).toBe("\\\\.\\pipe\\aaep\\agent-3");
  });

  it("makes a file name of any id", () => {
    expect(ipcPath(linux, "../a b/c:d")).toBe("/run/user/7/aaep/__a_b_c_d.sock");
    expect(ipcPath(linux, "")).toBe("/run/user/7/aaep/_.sock");
  });

  it("takes the short folder where the platform's makes the path too long", () => {
    const place = { ...mac, environment: { HOME: `/Users/${"a".repeat(60)}` } };
    expect(ipcPath(place, "agent")).toBe("/tmp/aaep-501/agent.sock");
  });
});

describe("the length of a path", () => {
  it.each([
    [linux, 107],
    [mac, 103],
  ] as const)("%j", (place, limit) => {
    const directory = `/x/${"d".repeat(50)}/`;
    const fitting = `${directory}${"a".repeat(limit - directory.length)}`;
    expect(() => assertPathFits(fitting, place)).not.toThrow();
    const fault = faultOf(() => assertPathFits(`${fitting}b`, place));
    expect(fault.code).toBe("address_invalid");
    expect(fault.sentence).toContain(`${fitting}b`);
    expect(fault.sentence).toContain(`${limit + 1} bytes`);
    expect(fault.sentence).toContain(` ${limit} here`);
    const suggested = /for instance (\S+)\.$/.exec(fault.sentence)?.[1] ?? "";
    expect(suggested).toMatch(/^\/tmp\/aaep-/);
    expect(() => assertPathFits(suggested, place)).not.toThrow();
  });

  it("counts bytes, not characters", () => {
    expect(() => assertPathFits(`/${"é".repeat(60)}`, linux)).toThrow(/121 bytes/);
  });

  it("refuses no path at all, and one with a zero in it", () => {
    expect(() => assertPathFits("", linux)).toThrow(/empty/);
    expect(() => assertPathFits("/a\0b", linux)).toThrow(/zero/);
  });

  it("knows no limit for pipes", () => {
    expect(() => assertPathFits(`\\\\.\\pipe\\${"a".repeat(200)}`, windows)).not.toThrow();
  });
});
