// The members of a view that wait for its next unit: each is woken once for each time that it asks for that (R34).
import { expect, test } from "vitest";
import { SharedView, type ViewMember } from "../../../src/engine/hub/shared-view.js";
import type { View } from "../../../src/engine/views/view.js";

/** A view without events, and members that write their names when they are woken. */
function stage(names: string) {
  const woken: string[] = [];
  const shared = new SharedView(() => ({}) as View);
  const appended = (isCritical: boolean): void => shared.appended(isCritical);
  const made = [...names].map((name): ViewMember & { onWake: () => void } => {
    const member = {
      onWake: () => {},
      outlet: {
        wake: () => {
          woken.push(name);
          member.onWake();
        },
      },
      placeIn: () => undefined,
      end: () => {},
    };
    return member;
  });
  for (const member of made) {
    shared.members.add(member);
    shared.ready.add(member);
  }
  const wokenBy = (critical = false): string => {
    appended(critical);
    return woken.splice(0).join("");
  };
  return { shared, made, wokenBy };
}

test("R34: a member that asks again does not wake the members that still have to take", () => {
  const { shared, made, wokenBy } = stage("abc");
  expect([wokenBy(), wokenBy()]).toEqual(["abc", ""]);
  const [first] = made;
  if (first !== undefined) shared.ready.add(first);
  expect(wokenBy()).toBe("a");
});

test("R4: a member that sleeps is woken by what is critical alone", () => {
  const { shared, made, wokenBy } = stage("ab");
  const [first] = made;
  if (first !== undefined) shared.ready.delete(first);
  expect([wokenBy(), wokenBy(true)]).toEqual(["b", "ab"]);
});

test("a member that takes while it is woken waits for the next unit", () => {
  const { shared, made, wokenBy } = stage("ab");
  for (const member of made) member.onWake = () => shared.ready.add(member);
  expect([wokenBy(), wokenBy()]).toEqual(["ab", "ab"]);
});
