// HTML in running text: tags of looks are silent, links, images and code are read as Markdown's, comments say that they are some, and every other tag
// is said as it stands.
import type { StateInline } from "markdown-it";
import { nextPlace } from "./next-place.js";

/** Attributes have to do with looks alone: a title is a text. */
// Linear: an attribute begins behind blanks, and a name or a sign follows them.
const LOOKS =
  /<(\/?)(b|i|em|strong|u|span|div|p|br|hr|small|big|mark|details|summary|kbd|center|ul|ol|li|pre|sub|sup|font|samp|var|tt|ins|table|thead|tbody|tr|td|th|dl|dt|dd|figure|figcaption)((?:\s+(?:align|border|class|color|dir|height|id|lang|open|size|style|valign|width)(?:="[^"<>]{0,200}"|='[^'<>]{0,200}'|=[\w%#.-]{1,40})?)*)\s*\/?>/iy;
/** Tags of blocks. Between words such a tag is a blank. */
const BLOCK =
  /^(?:br|hr|p|div|li|ul|ol|pre|table|thead|tbody|tr|td|th|dl|dt|dd|summary|details|center|figure|figcaption)$/i;
/** Names of the tags that were opened, in their number. */
const openedIn = new WeakMap<StateInline, Map<string, number>>();
// Linear: as above.
const WITH_VALUES = /<(a|img|code)((?:\s+[a-z-]+(?:="[^"<>]*"|='[^'<>]*'|=[^\s"'=<>`]+)?)*)\s*\/?>/iy;
const ATTRIBUTE = /([a-z-]+)(?:="([^"]*)"|='([^']*)'|=([^\s"'=<>`]+))?/gi;

export function html(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x3c) return false;
  return looks(state, silent) || valued(state, silent) || comment(state, silent);
}

function looks(state: StateInline, silent: boolean): boolean {
  LOOKS.lastIndex = state.pos;
  const [found, slash, name = "", attributes] = LOOKS.exec(state.src) ?? [];
  if (found === undefined || state.pos + found.length > state.posMax) return false;
  if (attributes === "" && !/^br$/i.test(name) && !isPaired(state, found, slash === "/", name, silent)) return false;
  if (!silent) state.push("tag", "", 0).content = wordsOf(found, name, state);
  state.pos += found.length;
  return true;
}

/**
 * `<table>` may stand for something to fill in. A tag has a partner, or stands at the end of a line if it is one of a block. Nothing is counted while
 * text is only looked through: it is read again.
 */
function isPaired(state: StateInline, tag: string, isClosing: boolean, name: string, silent: boolean): boolean {
  const { src, pos } = state;
  const end = pos + tag.length;
  const isAtEdge = BLOCK.test(name) && (/^$|\n/.test(src.charAt(pos - 1)) || /^$|\n/.test(src.charAt(end)));
  const opened = openedIn.get(state) ?? new Map<string, number>();
  openedIn.set(state, opened);
  const count = opened.get(name) ?? 0;
  if (isClosing) {
    if (count === 0) return isAtEdge;
    if (!silent) opened.set(name, count - 1);
    return true;
  }
  if (nextPlace(state, `</${name}>`, end) < 0) return isAtEdge;
  if (!silent) opened.set(name, count + 1);
  return true;
}

/** Powers are raised numbers behind one letter, a number or a bracket; behind a word they count its footnotes. */
function wordsOf(tag: string, name: string, { src, pos }: StateInline): string {
  if (BLOCK.test(name)) return " ";
  if (!/^<sup/i.test(tag) || !/\d/.test(src.charAt(pos + tag.length))) return "";
  return /(?:^|[^\p{L}])[\p{L}\d)]$/u.test(src.slice(Math.max(0, pos - 2), pos)) ? "^" : " ";
}

function valued(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  WITH_VALUES.lastIndex = pos;
  const [tag = "", name = "", attributes = ""] = WITH_VALUES.exec(src) ?? [];
  const from = pos + tag.length;
  if (tag === "" || from > posMax) return false;
  const value = (wanted: string): string => {
    for (const [, attribute = "", double, single, bare] of attributes.matchAll(ATTRIBUTE))
      if (attribute.toLowerCase() === wanted) return double ?? single ?? bare ?? "";
    return "";
  };
  if (/^img$/i.test(name)) {
    if (!silent) {
      const image = state.push("image", "img", 0);
      image.content = value("alt");
      image.attrs = [["src", value("src")]];
    }
    state.pos = from;
    return true;
  }
  const isLink = /^a$/i.test(name);
  if (isLink && (state.linkLevel > 0 || value("href") === "")) return false;
  const closing = `</${name}>`;
  const to = nextPlace(state, closing, from);
  if (to < 0) return false;
  if (!silent && !isLink) state.push("code_inline", "code", 0).content = src.slice(from, to);
  else if (!silent) link(state, from, to, value("href"));
  state.pos = to + closing.length;
  state.posMax = posMax;
  return true;
}

function link(state: StateInline, from: number, to: number, address: string): void {
  state.pos = from;
  state.posMax = to;
  state.push("link_open", "a", 1).attrs = [["href", address]];
  state.linkLevel += 1;
  state.md.inline.tokenize(state);
  state.linkLevel -= 1;
  state.push("link_close", "a", -1);
}

function comment(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (!src.startsWith("<!--", pos)) return false;
  const to = nextPlace(state, "-->", pos + 4);
  if (to < 0) return false;
  if (!silent) state.push("comment", "", 0).content = src.slice(pos + 4, to).trim();
  state.pos = to + 3;
  return true;
}
