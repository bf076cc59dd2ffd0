/** The first subtag of a language tag, in lower case. */
export function primarySubtag(tag: string): string {
  return tag.split(/[-_]/, 1)[0]?.toLowerCase() ?? "";
}
