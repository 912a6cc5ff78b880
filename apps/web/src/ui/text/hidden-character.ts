/** Names the characters in a field's text that nobody can see, and because of which it is refused. Pure. */

/** Unicode names of the hidden characters that come along when an address is copied from a page or a message. */
const names: Readonly<Record<string, string>> = {
  "\t": "tab",
  "\u00A0": "no-break space",
  "\u00AD": "soft hyphen",
  "\u200B": "zero-width space",
  "\u200C": "zero-width non-joiner",
  "\u200D": "zero-width joiner",
  "\u200E": "left-to-right mark",
  "\u200F": "right-to-left mark",
  "\u202F": "narrow no-break space",
  "\u2060": "word joiner",
  "\u3000": "ideographic space",
  "\uFEFF": "byte order mark",
};

/** Controls, format characters, separators and spaces other than the ordinary one, and blank Hangul letters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\u115F\u1160\u3164\uFFA0]/u;

/**
 * Adds to a field's error which hidden character its text contains, if any.
 * @example withHidden("Invalid alias format", "shop\u200B")
 * // "Invalid alias format. There is an invisible character after “shop”: zero-width space (U+200B)."
 */
export function withHidden(error: string | undefined, text: string): string | undefined {
  const [found] = text.match(HIDDEN) ?? [];
  if (error === undefined || found === undefined) return error;
  const before = text.slice(0, text.indexOf(found)).trim();
  const place = before === "" ? "at the beginning" : `after “${before}”`;
  return `${error.replace(/\.$/, "")}. There is an invisible character ${place}: ${named(found)}.`;
}

function named(character: string): string {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  const name = names[character];
  return name === undefined ? code : `${name} (${code})`;
}
