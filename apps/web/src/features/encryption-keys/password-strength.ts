/** Strength is a hint only. A guess costs half a second and 256 MiB, so 40 bits are some 17,000 years of a core. */
import { t } from "../../texts/texts.ts";

export type PasswordStrength = "empty" | "weak" | "fair" | "strong";

const FAIR_BITS = 40;
const STRONG_BITS = 60;
/** Bits of a word, which is one of eight thousand. */
const WORD_BITS = 13;

/** Passwords that guessing programs try first. */
const tried =
  /pass(?:word|wort)?|p[a@]ssw[o0]rd|slaptazodis|qwert[yz]?(?:uiop)?|asdf(?:gh)?(?:jkl)?|letmein|welcome|admin|iloveyou|monkey|dragon|master|secret|kauke|(?:19|20)\d\d|abc(?:def?)?|1234?5?6?7?8?9?0?|1q2w3e(?:4r)?/giu;

/** @example passwordStrength("correct horse battery staple") // "fair" */
export function passwordStrength(password: string): PasswordStrength {
  if (password === "") return "empty";
  const bits = passwordBits(password);
  return bits < FAIR_BITS ? "weak" : bits < STRONG_BITS ? "fair" : "strong";
}

/** Bits of a password: a distinct word counts once, other characters by class, repeated ones hardly. */
function passwordBits(password: string): number {
  let bits = 0;
  const rest = password.replace(tried, () => {
    bits += 3;
    return "\n";
  });
  const words = new Set<string>();
  const others = rest.replace(/\p{L}{3,}/gu, (word) => {
    if (isWord(word)) words.add(word.toLowerCase());
    else bits += looseBits(word);
    return " ";
  });
  for (const word of words) bits += Math.min(WORD_BITS, 4.7 * new Set(word).size);
  return bits + looseBits(others.replace(/[\s-]+/g, ""));
}

/** Whether a text is a word in lower case, capitalized, or in all capitals. */
function isWord(text: string): boolean {
  return /^\p{L}\p{Ll}*$/u.test(text) || /^\p{Lu}+$/u.test(text);
}

function looseBits(text: string): number {
  const characters = [...text];
  const sameAgain = characters.filter((character, at) => character === characters[at - 1]).length;
  return (characters.length - sameAgain) * Math.log2(alphabetOf(text)) + sameAgain * 0.5;
}

function alphabetOf(text: string): number {
  const kinds: [RegExp, number][] = [
    [/\d/, 10],
    [/\p{Ll}/u, 26],
    [/\p{Lu}/u, 26],
    [/[^\p{L}\d\s]/u, 32],
  ];
  return Math.max(
    2,
    kinds.reduce((size, [kind, count]) => size + (kind.test(text) ? count : 0), 0),
  );
}

export const strengthTexts: Readonly<Record<PasswordStrength, string>> = {
  empty: t("Five random words are easy to keep and hard to guess."),
  weak: t("Weak: easy to guess for a computer. Add random words."),
  fair: t("Fair. One or two more random words make it strong."),
  strong: t("Strong."),
};
