// The report about judged mutants.

/** Counts for each room, then each mutant that no test noticed, and the share of noticed mutants. */
export function reportOf(judged) {
  const rooms = [...new Set(judged.map(({ room }) => room))].sort();
  const rows = [
    ["room", "noticed", "survived", "unreached"],
    ...rooms.map((room) => [room, ...countsOf(judged.filter((mutant) => mutant.room === room))]),
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

const countsOf = (judged) =>
  ["noticed", "survived", "unreached"].map((one) => judged.filter(({ verdict }) => verdict === one).length);

export const isLeft = ({ verdict }) => verdict !== "noticed";

/** A mutant that no test noticed, with its place and its change. */
export function leftOf({ path, line, verdict, from, to, after }) {
  const isUnreached = verdict === "unreached";
  return `${path}:${line} is ${isUnreached ? "reached" : "noticed"} by none of ${after} test files\n  - ${from}\n  + ${to}`;
}

/** 100 if there are no mutants. */
export function percentNoticed(judged) {
  const [noticed] = countsOf(judged);
  return judged.length === 0 ? 100 : Math.round((1000 * noticed) / judged.length) / 10;
}
