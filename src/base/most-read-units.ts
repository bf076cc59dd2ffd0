/** Most text that one read of a journal parses, beside the event that exceeds it, in UTF-16 units: some milliseconds (R34). */
export const MOST_READ_UNITS = 256 * 1024;
