/**
 * Recognizes what a calendar program writes about whoever answers an invitation: "Anna <anna@example.org> has accepted
 * this invitation.", a line in the list of guests, the subject. Strict on purpose, since recognized text is changed.
 */
import { OWN } from "@kauke/mail-rfc";
import { answerSentences, answerSubjects } from "./quote-words.ts";

/** Maximum characters of a sentence: a name, an address and the words. */
const LENGTH_MAX = 300;
/** An address written twice: `anna@example.org <anna@example.org>`. */
const TWICE = new RegExp(`^"?${OWN}"?\\s[<(](?:mailto:)?${OWN}[>)]`, "u");
const SENTENCE = new RegExp(
  `^(?:["']?[^@<>()\\[\\]:!?${OWN}]{1,100}["']?\\s?[<(]|["'<(]?)${OWN}[>)"']?\\s(?:${answerSentences.join("|")})\\s?[.:!]?$`,
  "iu",
);
const GUEST = new RegExp(
  `^(?:[*•·-]\\s{1,4})?(?:[^@<>()\\[\\]:!?${OWN}]{1,100}\\s[<(])?${OWN}[>)]?,?(?:\\s[-–—]\\s[\\p{L} ]{1,20}|\\s\\([\\p{L} ]{1,20}\\))?$`,
  "u",
);
/** Matches any guest. No two neighbouring parts match the same characters, so that the time is linear. */
const ANY_GUEST = /^(?:[^@:!?]{1,84}|[^@:!?]{0,143}[^\s@:!?]@[^\s@:!?]{1,255}(?:\s[^@.:!?]{0,24})?)$/u;
const SUBJECT = new RegExp(`^([\\p{L}\\p{M}][\\p{L}\\p{M} -]{2,30}?)\\s?[:：][^${OWN}]*\\(${OWN}\\)$`, "u");

/** Whether a text is a sentence about an answer; `OWN` stands for the owner's address. */
export function isAnswerSentence(text: string): boolean {
  if (text.length > LENGTH_MAX) return false;
  return SENTENCE.test(text.normalize("NFC").replace(TWICE, `<${OWN}>`).replace(/\s+/g, " ").trim());
}

/** Whether a subject names the owner as calendar programs do. */
export function isAnswerSubject(text: string): boolean {
  const subject = text.normalize("NFC").replace(/\s+/g, " ").trim();
  if (subject.length > 4 * LENGTH_MAX) return false;
  const [, word] = SUBJECT.exec(subject) ?? [];
  return isAnswerSentence(subject) || (word !== undefined && answerSubjects.has(word.toLowerCase()));
}

/** Whether the line names the owner as one guest, and nothing else. */
export const isOwnGuest = (text: string): boolean => text.length <= LENGTH_MAX && GUEST.test(text);

/** Whether a line may name another guest, so that the list of guests continues over it. */
export const isGuest = (text: string): boolean =>
  text.length <= LENGTH_MAX && (isOwnGuest(text) || ANY_GUEST.test(text));
