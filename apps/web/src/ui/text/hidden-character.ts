/** Names of invisible characters that come along when an address is copied. */
const names: Readonly<Record<string, string>> = {
  "\t": "tab",
  "\u00A0": "no-break space",
  "\u00AD": "soft hyphen",
  "\u034F": "combining grapheme joiner",
  "\u061C": "Arabic letter mark",
  "\u200B": "zero-width space",
  "\u200C": "zero-width non-joiner",
  "\u200D": "zero-width joiner",
  "\u200E": "left-to-right mark",
  "\u200F": "right-to-left mark",
  "\u202A": "left-to-right embedding",
  "\u202B": "right-to-left embedding",
  "\u202C": "end of embedding",
  "\u202D": "left-to-right override",
  "\u202E": "right-to-left override",
  "\u202F": "narrow no-break space",
  "\u2060": "word joiner",
  "\u2066": "left-to-right isolate",
  "\u2067": "right-to-left isolate",
  "\u2068": "first strong isolate",
  "\u2069": "end of isolate",
  "\u2800": "Braille blank",
  "\u3000": "ideographic space",
  "\u3164": "Hangul filler",
  "\uFE0F": "variation selector",
  "\uFEFF": "byte order mark",
};

/** Characters that Unicode shows as nothing, except joiners and selectors after an emoji. */
const HIDDEN =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}](?:\u200D|\uFE0F)+|([\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00A0\u1680\u2000-\u200A\u202F\u205F\u2800\u3000])/gu;

/** Maximum characters quoted before the hidden one. */
const QUOTED_MAX = 20;

/**
 * @param isSecret the error quotes nothing of the text
 * @example withHidden("Invalid alias format", "shop\u200B") // "Invalid alias format. There is an invisible character
 * after “shop”: zero-width space (U+200B)."
 */
export function withHidden(error: string, text: string, isSecret = false): string {
  const found = [...text.matchAll(HIDDEN)].find(([, hidden]) => hidden !== undefined);
  if (found?.[1] === undefined) return error;
  const place = isSecret ? "in it" : placeAfter(text.slice(0, found.index).trim());
  return `${error.replace(/\.$/, "")}. There is an invisible character ${place}: ${named(found[1])}.`;
}

function placeAfter(before: string): string {
  if (before === "") return "at the beginning";
  const characters = [...before];
  const isLong = characters.length > QUOTED_MAX;
  return `after “${isLong ? "…" : ""}${characters.slice(-QUOTED_MAX).join("")}”`;
}

function named(character: string): string {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  const name = names[character];
  return name === undefined ? code : `${name} (${code})`;
}
