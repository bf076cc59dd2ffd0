// A link or an image in words: its text and where it leads.
import { spoken } from "../words/spoken.js";
import type { Vocabulary } from "../words/vocabulary.js";

export interface Words {
  readonly speech: string;
  readonly braille: string;
}

export interface InlineContext {
  readonly vocabulary: Vocabulary;
  readonly links: "text" | "host" | "full";
  readonly emoji: "name" | "drop";
}

const WEB = /^(?:https?|ftp|wss?|file):/i;
/** Characters of an address that is none of the web. */
const LONGEST_OTHER = 60;

/** `isBare` is a link whose text is its address. */
export function linkWords(label: Words, address: string, isBare: boolean, context: InlineContext): Words {
  const { vocabulary, links } = context;
  const isAlone = isBare || label.speech.trim() === "";
  const target = links === "full" ? address.replace(/^mailto:/i, "") : targetOf(address, isAlone);
  const said = links === "full" ? spoken(target, vocabulary) : target;
  if (isAlone) return { speech: vocabulary.say("bareLink", { target: said }), braille: address };
  if (links === "text" || target === "") return { ...label, speech: vocabulary.say("link", { text: label.speech }) };
  return {
    speech: vocabulary.say("linkTo", { text: label.speech, target: said }),
    braille: `${label.braille} (${target})`,
  };
}

/**
 * The host with its port, and of a link without a text the last part of its path too; the last part alone where there is no host; nothing for a place
 * in the same page that has a text.
 */
function targetOf(given: string, withPath: boolean): string {
  const mail = /^mailto:([^?]+)/i.exec(given)?.[1];
  if (mail !== undefined) return mail;
  // A script or data, say, lead to no host, whatever they have in them.
  if (/^[a-z][a-z0-9+.-]*:/i.test(given) && !WEB.test(given)) return given.slice(0, LONGEST_OTHER);
  // Browsers take one for the other.
  const address = given.replaceAll("\\", "/");
  const [, authority = "", path = ""] = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)([^?#]*)/i.exec(address) ?? [];
  // A name in front of an @ is no host, even if it looks like one.
  const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/^www\./i, "");
  const whole = host === "" ? (/^[^?#]*/.exec(address)?.[0] ?? "") : path;
  const last = whole.split("/").findLast((part) => part !== "") ?? "";
  if (host === "") return last === "" && withPath ? address : last;
  return withPath && last !== "" ? `${host}, ${last}` : host;
}

/** An image by its text, else by the name of its file. */
export function imageWords(alt: Words, source: string, vocabulary: Vocabulary): Words {
  const file = source.split(/[?#]/, 1)[0]?.split("/").at(-1) ?? "";
  const name = alt.speech.trim() === "" ? spoken(file, vocabulary) : alt.speech;
  const text = alt.braille.trim() === "" ? file : alt.braille;
  return { speech: vocabulary.say("image", { text: name }), braille: vocabulary.say("image", { text }) };
}
