// The report about judged mutants.

/** Counts for each room, then each mutant that no test noticed, and the share of noticed mutants. */
export function reportOf(judged) {
  const rooms = roomsOf(judged).sort(([{ room: one }], [{ room: other }]) => (one < other ? -1 : 1));
  const rows = [
    ["room", "noticed", "survived", "unreached"],
    ...rooms.map((mutants) => [mutants[0].room, ...countsOf(mutants)]),
    ["all", ...countsOf(judged)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const table = rows.map(([name, ...counts]) =>
    [name.padEnd(width), ...counts.map((one) => String(one).padStart(9))].join(" "),
  );
  const [noticed] = countsOf(judged);
  const summary = `noticed ${noticed} of ${judged.length} (${percentNoticed(judged)} %)`;
  return [...table, "", ...judged.filter(isLeft).map(leftOf), summary].join("\n");
}

/** Whether so many percent are noticed; of a room with 20 mutants or more, 7 percent less will do. */
export function isEnough(judged, atLeast) {
  const large = roomsOf(judged).filter(({ length }) => length >= 20);
  return percentNoticed(judged) >= atLeast && large.every((mutants) => percentNoticed(mutants) >= atLeast - 7);
}

const roomsOf = (judged) =>
  [...new Set(judged.map(({ room }) => room))].map((name) => judged.filter(({ room }) => room === name));

const countsOf = (judged) =>
  ["noticed", "survived", "unreached"].map((one) => judged.filter(({ verdict }) => verdict === one).length);

export const isLeft = ({ verdict }) => verdict !== "noticed";

/** A mutant that no test noticed, with its place and its change. */
export function leftOf({ path, line, verdict, from, to, after }) {
  const isUnreached = verdict === "unreached";
  return `${path}:${line} is ${isUnreached ? "reached" : "noticed"} by none of ${after} test files\n  - ${from}\n  + ${to}`;
}

/** 100 if there are no mutants. */
function percentNoticed(judged) {
  const [noticed] = countsOf(judged);
  return judged.length === 0 ? 100 : Math.round((1000 * noticed) / judged.length) / 10;
}
