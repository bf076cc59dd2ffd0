import { describe, expect, it } from "vitest";
import { addressText, originChoice, serviceChoice } from "../../../src/daemon/config/service-choices.js";

describe("where services listen", () => {
  it.each([
    ["off", { kind: "off" }],
    ["auto", { kind: "auto" }],
    ["127.0.0.1:50051", { kind: "addresses", addresses: [{ kind: "tcp", host: "127.0.0.1", port: 50_051 }] }],
    [
      "unix:/run/a b.sock, [::1]:0",
      {
        kind: "addresses",
        addresses: [
          { kind: "unix", path: "/run/a b.sock" },
          { kind: "tcp", host: "::1", port: 0 },
        ],
      },
    ],
    ["unix:///run/x", { kind: "addresses", addresses: [{ kind: "unix", path: "/run/x" }] }],
  ])("reads %s", (text, value) => {
    expect(serviceChoice.fromText(text)).toEqual({ kind: "value", value });
  });

  it.each([
    "",
    "on",
    "50051",
    ":50051",
    "127.0.0.1",
    "127.0.0.1:65536",
    "::1:5",
    "unix:",
    "unix:a\0b",
    "unix:~other/x.sock",
    "127.0.0.1:1,",
    "a b:1",
  ])("refuses %j, and says what is wanted", (text) => {
    expect(serviceChoice.fromText(text)).toEqual({
      kind: "refused",
      wanted: expect.stringContaining("127.0.0.1:50051"),
    });
  });

  it("refuses more addresses than anybody means", () => {
    const nine = Array.from({ length: 9 }, (_, index) => `127.0.0.1:${index}`).join(",");
    expect(serviceChoice.fromText(nine).kind).toBe("refused");
  });

  it("writes what it has read", () => {
    for (const text of ["auto", "off", "unix:/run/x,127.0.0.1:0,[::1]:7"]) {
      const read = serviceChoice.fromText(text);
      expect(read.kind === "value" && serviceChoice.toText(read.value)).toBe(text);
    }
    expect(addressText({ kind: "tcp", host: "localhost", port: 1 })).toBe("localhost:1");
  });
});

describe("pages that may call", () => {
  it("reads origins as a browser sends them", () => {
    expect(originChoice.fromText("none")).toEqual({ kind: "value", value: [] });
    expect(originChoice.fromText("https://a.example, http://localhost:5173")).toEqual({
      kind: "value",
      value: ["https://a.example", "http://localhost:5173"],
    });
    expect(originChoice.toText([])).toBe("none");
    expect(originChoice.toText(["https://a.example"])).toBe("https://a.example");
  });

  it.each(["*", "a.example", "https://a.example/", "https://a.example/x", "", "null"])("refuses %j", (text) => {
    expect(originChoice.fromText(text).kind).toBe("refused");
  });
});
