// A word with a title behind it, where there is one.

export function titled(word: string, title: string): string {
  return title === "" ? word : `${word} ${title}`;
}
