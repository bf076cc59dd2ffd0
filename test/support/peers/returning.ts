// How a listener of a test comes back to where a daemon's close left it: the one place that knows what a close gives for that.
import { type LineListener, listenInLines } from "./line-listener.js";

/** The place that a `subscription.close` gives to come back to; undefined where it gives none. */
function placeOf({ extensions }: Readonly<Record<string, unknown>>): string | undefined {
  const place = (extensions as { readonly aaepd?: { readonly cursor?: unknown } } | undefined)?.aaepd?.cursor;
  return typeof place === "string" ? place : undefined;
}

/** The same in the last line that a listener got. */
export function placeIn({ lines }: LineListener): string | undefined {
  return placeOf(JSON.parse(lines.at(-1) ?? "{}"));
}

/** Subscribes at `path`, from `place` on where there is one, and waits for the acceptance. */
export async function returnTo(
  path: string,
  subscriberId: string,
  capabilities: object,
  place?: string,
): Promise<LineListener> {
  const listener = await listenInLines(path);
  listener.say({
    type: "subscription.request",
    aaep_version: "1.0.0",
    subscriber_id: subscriberId,
    capabilities,
    ...(place === undefined ? {} : { extensions: { aaepd: { resume_after: place } } }),
  });
  await listener.line((line) => line.includes('"subscription.accepted"'));
  return listener;
}

/** The text of an output's chunks by their positions; what was sent twice has to be the same. */
export function joinedByPosition(events: readonly Readonly<Record<string, unknown>>[]): string {
  const points: string[] = [];
  for (const { chunk, position } of events) {
    if (typeof chunk !== "string" || typeof position !== "number") continue;
    if (position > points.length) throw new Error(`Text is missing between ${points.length} and ${position}.`);
    for (const [offset, point] of [...chunk].entries()) {
      const known = points[position + offset];
      if (known !== undefined && known !== point) throw new Error(`Two texts stand at ${position + offset}.`);
      points[position + offset] = point;
    }
  }
  return points.join("");
}
