/**
 * Recognizes what a calendar program writes in an answer to an invitation about whoever answers: the sentence "Anna
 * <anna@example.org> has accepted this invitation.", a line of the list of guests, and the subject. Strict on purpose,
 * since recognized text is changed: a sentence must be complete, in words of a program, and a guest a line of its own.
 */
import { OWN } from "@kauke/mail-rfc";
import { answerSentences, answerSubjects } from "./answer-words.ts";

/** Maximum UTF-16 units of a sentence or subject: a name, an address and the words. */
const LENGTH_MAX = 300;
/** Matches an address written twice: `anna@example.org <anna@example.org>`. */
const TWICE = new RegExp(`^"?${OWN}"?\\s[<(](?:mailto:)?${OWN}[>)]`, "u");
const SENTENCE = new RegExp(
  `^(?:["']?[^@<>()\\[\\]:!?${OWN}]{1,100}["']?\\s?[<(]|["'<(]?)${OWN}[>)"']?\\s(?:${answerSentences.join("|")})\\s?[.:!]?$`,
  "iu",
);
const GUEST = new RegExp(
  `^(?:[*•·-]\\s{1,4})?(?:[^@<>()\\[\\]:!?${OWN}]{1,100}\\s[<(])?${OWN}[>)]?,?(?:\\s[-–—]\\s[\\p{L} ]{1,20}|\\s\\([\\p{L} ]{1,20}\\))?$`,
  "u",
);
/**
 * Matches the line of any guest: a name, an address or both, without a sentence. No two parts that follow each other
 * match the same characters, so that the time is linear.
 */
const ANY_GUEST = /^(?:[^@:!?]{1,84}|[^@:!?]{0,143}[^\s@:!?]@[^\s@:!?]{1,255}(?:\s[^@.:!?]{0,24})?)$/u;
const SUBJECT = new RegExp(`^([\\p{L}\\p{M}][\\p{L}\\p{M} -]{2,30}?)\\s?[:：][^${OWN}]*\\(${OWN}\\)$`, "u");

/** Whether a text with the owner's address replaced by `OWN` is a program's sentence about the owner's answer. */
export function isAnswerSentence(text: string): boolean {
  if (text.length > LENGTH_MAX) return false;
  return SENTENCE.test(text.normalize("NFC").replace(TWICE, `<${OWN}>`).replace(/\s+/g, " ").trim());
}

/** Whether the subject of an answer to an invitation is a program's, with the owner named as the calendar. */
export function isAnswerSubject(text: string): boolean {
  const subject = text.normalize("NFC").replace(/\s+/g, " ").trim();
  if (subject.length > 4 * LENGTH_MAX) return false;
  const [, word] = SUBJECT.exec(subject) ?? [];
  return isAnswerSentence(subject) || (word !== undefined && answerSubjects.has(word.toLowerCase()));
}

/** Whether a line names the owner as one guest, and nothing else. */
export const isOwnGuest = (text: string): boolean => text.length <= LENGTH_MAX && GUEST.test(text);

/** Whether a line may name another guest, so that a list of guests continues over it. */
export const isGuest = (text: string): boolean =>
  text.length <= LENGTH_MAX && (isOwnGuest(text) || ANY_GUEST.test(text));
