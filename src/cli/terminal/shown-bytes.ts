const UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

/** "812 bytes", "1.5 MiB". */
export function shownBytes(bytes: number): string {
  let value = bytes;
  let shown: string | undefined;
  for (const unit of UNITS) {
    if (value < 1024) break;
    value /= 1024;
    shown = unit;
  }
  return shown === undefined ? `${bytes} bytes` : `${value.toFixed(1)} ${shown}`;
}
