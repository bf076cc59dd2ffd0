import { describe, expect, it } from "vitest";
import { admitEverybody, admitTokenHolders } from "../../src/security/admission.js";

const TOKEN = "0123456789abcdef0123456789abcdef";
const HEAD = { host: "127.0.0.1:50051", authorization: `Bearer ${TOKEN}`, path: "/aaep.v1.SubscriberService/Listen" };

describe("who may call over TCP", () => {
  const admit = admitTokenHolders(() => TOKEN, new Set(["/healthz"]), "127.0.0.1");

  it("admits the holder of the token under a name of loopback", () => {
    for (const host of ["127.0.0.1:50051", "localhost:1", "LOCALHOST", "127.0.0.1", "[::1]:50051"])
      expect(admit({ ...HEAD, host })).toBeUndefined();
    expect(admit({ ...HEAD, authorization: `bearer  ${TOKEN} ` })).toBeUndefined();
  });

  it("refuses other hosts before it looks at anything else", () => {
    for (const host of [
      undefined,
      "",
      "evil.example",
      "evil.example:50051",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "127.0.0.2",
      "127.0.0.2:50051",
      "127.0.0.256",
      "0.0.0.0",
      "[::]",
      "[::1",
      "localhost:123456",
      "user@localhost",
      "127.0.0.1:80:80",
    ]) {
      expect(admit({ ...HEAD, host }), String(host)).toMatchObject({ code: "permission_denied" });
      expect(admit({ ...HEAD, host, path: "/healthz" }), String(host)).toMatchObject({ code: "permission_denied" });
    }
  });

  it("admits besides the documented three hosts only the address that was configured", () => {
    const { host: _, ...head } = HEAD;
    const elsewhere = admitTokenHolders(() => TOKEN, new Set(), "127.0.0.2");
    for (const host of ["127.0.0.2:50051", "127.0.0.2", "127.0.0.1", "localhost", "[::1]"])
      expect(elsewhere({ ...head, host }), host).toBeUndefined();
    expect(elsewhere({ ...head, host: "127.0.0.3" })?.sentence).toContain("[::1] or 127.0.0.2 by that name");
    expect(admitTokenHolders(() => TOKEN, new Set(), "::1")({ ...head, host: "[::1]:1" })).toBeUndefined();
  });

  it("refuses a missing, a wrong and a misspelt token, and says what to do", () => {
    expect(admit({ ...HEAD, authorization: undefined })?.sentence).toContain("authorization: Bearer TOKEN");
    expect(admit({ ...HEAD, authorization: `Basic ${TOKEN}` })).toMatchObject({ code: "unauthenticated" });
    expect(admit({ ...HEAD, authorization: `Bearer ${TOKEN}0` })?.sentence).toContain("Read its file again");
    expect(admit({ ...HEAD, authorization: `Bearer ${TOKEN} ${TOKEN}` })).toMatchObject({ code: "unauthenticated" });
    expect(admit({ ...HEAD, authorization: undefined, path: "/healthz" })).toBeUndefined();
  });

  it("admits everybody where the socket's mode has decided already", () => {
    expect(admitEverybody({ host: "%2Frun%2Fx", authorization: undefined, path: "" })).toBeUndefined();
  });
});
