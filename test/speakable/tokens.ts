/** Pieces as models send them: a blank and the beginning of a word, the rest of it, marks by themselves or with what is beside them. */
export function tokensOf(text: string): readonly string[] {
  return text.match(/\s?[\p{L}\p{N}]{1,5}|[^\p{L}\p{N}\s]{1,2}\n?|\s+/gu) ?? [];
}
