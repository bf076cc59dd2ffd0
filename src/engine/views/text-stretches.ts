// Neighbouring texts of a view joined into one, for all subscriptions that held them back equally long: ten thousand with the same budget then
// cost a few hundred joins and encodings a second, and not one of each for every subscription (AAEP §5.9, R10, R14).
import { joinText } from "./join-text.js";
import type { TextUnit, Unit } from "./unit.js";
import type { ViewLog } from "./view-log.js";

export interface TextStretch {
  readonly unit: TextUnit;
  /** The number of the first unit that is not in it. */
  readonly next: number;
  /** More of the same text follows and does not join it: too long together, in another language or the like, or to be left as it is (R10). */
  readonly isCutOff: boolean;
}

export interface TextStretches {
  /** What a subscription with an empty queue makes of the texts from `index` to the newest; undefined where no text stands there. */
  readonly from: (index: number) => TextStretch | undefined;
}

/** Subscriptions of one rate ask for the same beginning one after the other; so many rates and phases are remembered. */
const STRETCHES_KEPT = 64;

export function createTextStretches(log: Pick<ViewLog, "at" | "end">, maxChars: number): TextStretches {
  const known = new Map<number, TextStretch>();

  const begin = (index: number): TextStretch | undefined => {
    const unit = log.at(index);
    return unit?.kind === "text" ? { unit, next: index + 1, isCutOff: false } : undefined;
  };

  return {
    from: (index) => {
      let stretch = known.get(index) ?? begin(index);
      if (stretch === undefined) return undefined;
      for (;;) {
        const last = log.at(stretch.next);
        const joined: TextUnit | undefined = last?.kind === "text" ? joinText(stretch.unit, last, maxChars) : undefined;
        if (joined === undefined) {
          stretch = { ...stretch, isCutOff: isMoreOf(stretch.unit, last) };
          break;
        }
        stretch = { unit: joined, next: stretch.next + 1, isCutOff: false };
      }
      // Last asked for, last forgotten.
      known.delete(index);
      known.set(index, stretch);
      const [oldest] = known.keys();
      if (known.size > STRETCHES_KEPT && oldest !== undefined) known.delete(oldest);
      return stretch;
    },
  };
}

function isMoreOf({ output, complete }: TextUnit, next: Unit | undefined): boolean {
  return next?.kind === "text" && next.output === output && !complete;
}
