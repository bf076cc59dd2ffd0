// The report about judged mutants.

/** Counts for each room, then each survivor with its place and its change, and the share of noticed mutants. */
export function reportOf(judged) {
  const rooms = [...new Set(judged.map(({ room }) => room))].sort();
  const row = (name, mutants) => [
    name,
    ...["noticed", "survived", "unreached", "refused"].map((one) => countOf(mutants, one)),
  ];
  const rows = [
    ["room", "noticed", "survived", "unreached", "refused"],
    ...rooms.map((room) =>
      row(
        room,
        judged.filter((mutant) => mutant.room === room),
      ),
    ),
    row("all", judged),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const table = rows.map(([name, ...counts]) =>
    [name.padEnd(width), ...counts.map((one) => String(one).padStart(9))].join(" "),
  );
  const left = judged.filter(({ verdict }) => verdict === "survived" || verdict === "unreached");
  const survivors = left.map(
    ({ path, line, verdict, from, to, after }) =>
      `${path}:${line} ${verdict === "unreached" ? "is reached by no test" : `is noticed by none of ${after} test files`}\n  - ${from}\n  + ${to}`,
  );
  const all = viable(judged);
  return [
    ...table,
    "",
    ...survivors,
    `noticed ${countOf(judged, "noticed")} of ${all} (${percentNoticed(judged)} %)`,
  ].join("\n");
}

/** The percentage of noticed mutants among those that the compiler accepts; 100 if there are none. */
export function percentNoticed(judged) {
  const all = viable(judged);
  return all === 0 ? 100 : Math.round((1000 * countOf(judged, "noticed")) / all) / 10;
}

const viable = (judged) => judged.length - countOf(judged, "refused");
const countOf = (mutants, verdict) => mutants.filter((mutant) => mutant.verdict === verdict).length;
