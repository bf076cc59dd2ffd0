/**
 * Drops what `lmdb` prints of a failed batch, with its stack, before it rejects with the same error: among the lines of the log it would be no line
 * of it. Only for commands whose process belongs to aaepd alone, because it changes `console.error` for good. Call it once.
 */
export function dropLibraryEchoes(): void {
  const { error } = console;
  console.error = (...parts: readonly unknown[]): void => {
    const [first] = parts;
    const isEcho = first instanceof Error && /[\\/](?:node_modules|dist)[\\/]lmdb[\\/]/.test(first.stack ?? "");
    if (!isEcho) error.apply(console, [...parts]);
  };
}
