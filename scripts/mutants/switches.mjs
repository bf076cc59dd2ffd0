// All mutants of a source in one text: at each of their places the change stands beside the original, and a number decides which of them runs.

/** The source with the change of `mutant` alone. */
export const withChange = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end);

/**
 * The source with all `mutants` of it, each `{ number, start, end, text, form }`. Outside its own place a mutant is the original. `switchPath` is the
 * module that says whether a mutant runs.
 */
export function withSwitches(source, mutants, switchPath) {
  const places = new Map();
  for (const mutant of mutants) {
    const key = `${mutant.start} ${mutant.end} ${mutant.form}`;
    if (!places.has(key)) places.set(key, []);
    places.get(key).push(mutant);
  }
  // Outer places before inner ones.
  const outerFirst = ([one], [other]) =>
    one.start - other.start || other.end - one.end || (one.form === "statement" ? -1 : 1);
  const waiting = [...places.values()].sort(outerFirst);

  function rendered(start, end) {
    let text = "";
    let from = start;
    while (waiting.length > 0 && waiting[0][0].start < end) {
      const place = waiting.shift();
      const { start: placeStart, end: placeEnd } = place[0];
      text += source.slice(from, placeStart) + switched(place, rendered(placeStart, placeEnd));
      from = placeEnd;
    }
    return text + source.slice(from, end);
  }
  return `${rendered(0, source.length)}\nimport { isMutant } from ${JSON.stringify(switchPath)};\n`;
}

function switched(place, original) {
  const choice = (textOf, otherwise) =>
    place.reduceRight((rest, mutant) => `isMutant(${mutant.number}) ? ${textOf(mutant.text)} : ${rest}`, otherwise);
  switch (place[0].form) {
    case "statement":
      return `{ if (!isMutant(${place[0].number})) ${original} }`;
    case "method": {
      const [, dot, name] = /^(\??)\.\s*(\w+)$/.exec(original);
      return `${dot === "" ? "" : "?."}[${choice((text) => JSON.stringify(text.replace(/^\??\./, "")), JSON.stringify(name))}]`;
    }
    default:
      return `(${choice((text) => `(${text})`, original)})`;
  }
}
