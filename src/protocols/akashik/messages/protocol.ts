// The name of Akashik, by which a first message is one of it (R23), and its version. Loaded with every daemon, so it is alone in its file.

export const PROTOCOL = "akashik";

/** The version that the daemon speaks. */
export const AKASHIK_VERSION = "0.1.0";

/** Whether a first message with these members is one of Akashik. */
export function isAkashik({ protocol }: Readonly<Record<string, unknown>>): boolean {
  return protocol === PROTOCOL;
}
