// The members of a view that wait for its next unit: each is woken once for each time it is added (R34).
import { expect, test } from "vitest";
import { createReadyMembers, type ViewMember } from "../../../src/engine/hub/shared-view.js";

/** Members that write their names when they are woken. */
function members(names: string) {
  const woken: string[] = [];
  const made = [...names].map((name): ViewMember & { onWake: () => void } => ({
    onWake: () => {},
    wake() {
      woken.push(name);
      this.onWake();
    },
    sendCritical: () => {},
    cursorIn: () => undefined,
    end: () => {},
  }));
  const wokenSince = (): string => woken.splice(0).join("");
  return { made, wokenSince };
}

test("R34: a member that is added again does not wake the members that still wait to take", () => {
  const ready = createReadyMembers();
  const { made, wokenSince } = members("abc");
  for (const member of made) ready.add(member);
  ready.wake();
  expect(wokenSince()).toBe("abc");
  ready.wake();
  expect(wokenSince()).toBe("");
  const [first] = made;
  if (first !== undefined) ready.add(first);
  ready.wake();
  expect(wokenSince()).toBe("a");
});

test("a member that is taken out is not woken", () => {
  const ready = createReadyMembers();
  const { made, wokenSince } = members("ab");
  for (const member of made) ready.add(member);
  const [first] = made;
  if (first !== undefined) ready.delete(first);
  ready.wake();
  expect(wokenSince()).toBe("b");
});

test("a member that takes while it is woken waits for the next unit", () => {
  const ready = createReadyMembers();
  const { made, wokenSince } = members("ab");
  for (const member of made) {
    member.onWake = () => ready.add(member);
    ready.add(member);
  }
  ready.wake();
  expect(wokenSince()).toBe("ab");
  ready.wake();
  expect(wokenSince()).toBe("ab");
});
