// The forms that AAEP §3.2.5 allows for one instant.

export interface InstantForm {
  /** Digits of the fraction of a second. */
  readonly digits: 0 | 3 | 6;
  /** "Z", or an offset such as "+05:30". */
  readonly zone: string;
}

/** The form that most libraries write. */
export const PLAIN_INSTANT: InstantForm = { digits: 3, zone: "Z" };

/** The others. Compared as texts, instants in two of them stand in the wrong order. */
export const OTHER_INSTANTS: readonly InstantForm[] = [
  { digits: 0, zone: "+00:00" },
  { digits: 6, zone: "+13:00" },
  { digits: 3, zone: "-11:00" },
];

/** An instant, ms since 1970, in a form. A fraction that has no digits is cut off. */
export function instantText(instantMs: number, { digits, zone }: InstantForm): string {
  const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offsetMinutes = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  const local = new Date(instantMs + offsetMinutes * 60_000).toISOString();
  const fraction = digits === 0 ? "" : `.${local.slice(20, 23)}${digits === 6 ? "000" : ""}`;
  return `${local.slice(0, 19)}${fraction}${zone}`;
}
