// Characters that are not what they look like.

/**
 * Characters that are not seen, that reorder others, that look like a space and are none, or that no font knows. Emoji may join pictures and choose
 * their colours.
 */
export const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\p{Cn}\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\ufeff\ufff9-\ufffb\u{13430}-\u{1343f}\u{1d159}]/u;
