import { describe, expect, it } from "vitest";
import { Fault } from "../../src/base/errors.js";
import { faultFromNodeError, nodeErrorCode } from "../../transports/node-errors.js";

function nodeError(code: string): Error {
  return Object.assign(new Error(`${code}: a text nobody should read`), { code });
}

describe("faultFromNodeError", () => {
  it.each([
    ["ECONNRESET", "peer_gone", "peer"],
    ["EPIPE", "peer_gone", "peer"],
    ["ECONNABORTED", "peer_gone", "peer"],
    ["ERR_STREAM_DESTROYED", "peer_gone", "peer"],
    ["ERR_STREAM_PREMATURE_CLOSE", "peer_gone", "peer"],
    ["ERR_STREAM_WRITE_AFTER_END", "peer_gone", "peer"],
    ["ENOTCONN", "peer_gone", "peer"],
    ["ESHUTDOWN", "peer_gone", "peer"],
    ["EIO", "peer_gone", "peer"],
    ["EOF", "peer_gone", "peer"],
    ["ECONNREFUSED", "not_found", "local"],
    ["ENOENT", "not_found", "local"],
    ["EADDRINUSE", "address_in_use", "local"],
    ["EEXIST", "address_in_use", "local"],
    ["EACCES", "permission_denied", "local"],
    ["EPERM", "permission_denied", "local"],
    ["EROFS", "permission_denied", "local"],
    ["ENAMETOOLONG", "address_invalid", "local"],
    ["ENOTDIR", "address_invalid", "local"],
    ["EINVAL", "address_invalid", "local"],
    ["EADDRNOTAVAIL", "address_invalid", "local"],
    ["ENOTSOCK", "address_invalid", "local"],
    ["ELOOP", "address_invalid", "local"],
    ["ETIMEDOUT", "timed_out", "peer"],
    ["EMFILE", "storage_unavailable", "local"],
    ["ENFILE", "storage_unavailable", "local"],
    ["ENOSPC", "storage_unavailable", "local"],
    ["EDQUOT", "storage_unavailable", "local"],
    ["ENOMEM", "storage_unavailable", "local"],
    ["ENOBUFS", "storage_unavailable", "local"],
    ["constructor", "internal", "local"],
    ["EUNHEARDOF", "internal", "local"],
  ] as const)("%s is %s", (nodeCode, code, origin) => {
    const caught = nodeError(nodeCode);
    const fault = faultFromNodeError(caught, "/run/x.sock");
    expect([fault.code, fault.origin, fault.cause]).toEqual([code, origin, caught]);
    expect(fault.sentence).toContain("/run/x.sock");
    expect(fault.sentence).toContain(nodeCode);
  });

  it("leaves a Fault as it is, and takes anything that can be thrown", () => {
    const fault = new Fault("rate_limit", "Wait.");
    expect(faultFromNodeError(fault, "x")).toBe(fault);
    expect(faultFromNodeError("thrown", "x").code).toBe("internal");
    expect([nodeErrorCode("thrown"), nodeErrorCode(Object.assign(new Error("x"), { code: 5 }))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
