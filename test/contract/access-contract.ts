// An access that forbids one operation (R36): every way to the handlers refuses that operation, says so, and refuses no other.
import { describe, expect, it } from "vitest";
import type { AccessPolicy, Operation } from "../../src/contracts/access.js";

export interface AccessSubject {
  readonly name: string;
  /** The operations that exist on this way. */
  readonly operations: readonly Operation[];
  /** Opens a stage under a policy. Answers an attempt at an operation, which resolves with the code of its refusal, or with anything else. */
  readonly open: (access: AccessPolicy) => (operation: Operation) => Promise<unknown>;
}

/** The code of each operation's refusal, where it is not that of the fault: a request is rejected (AAEP §5.6), and a reply has not counted (R19). */
const REFUSALS: Readonly<Partial<Record<Operation, string>>> = {
  subscribe: "authorization_denied",
  reply: "not_entitled",
};

const refusalOf = (operation: Operation): string => REFUSALS[operation] ?? "permission_denied";

export function accessContract({ name, operations, open }: AccessSubject): void {
  describe(`R36, access: ${name}`, () => {
    it.each(operations)("%s, forbidden, is refused, and nothing else is", async (forbidden) => {
      const attempt = open({ of: () => ({ may: (operation) => operation !== forbidden }) });
      // Without a subscription nothing can be asked of one.
      const others = forbidden === "subscribe" ? [] : operations.filter((one) => one !== forbidden);
      for (const other of others) expect([other, await attempt(other)]).not.toEqual([other, refusalOf(other)]);
      expect(await attempt(forbidden)).toBe(refusalOf(forbidden));
    });
  });
}
