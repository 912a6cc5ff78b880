import { OWN } from "@kauke/mail-rfc";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAnswerSentence, isAnswerSubject, isOwnGuest } from "./calendar-answer.ts";

const withOwn = (text: string) => text.replaceAll("%", OWN);

/** Sentences by program; "%" is the owner's address. */
const sentences = [
  "% has accepted this invitation.", // Google
  "% has declined this invitation with this note:",
  "% has replied “Maybe” to this invitation.",
  "Anna Real <%> has accepted your event invitation.", // Thunderbird, SOGo
  "% <%> has declined your event invitation.",
  "% has accepted the invitation to the event", // Apple
  "% has accepted the meeting invitation.", // Outlook
  "% hat diese Einladung angenommen.",
  "Anna Real <%> hat Ihre Termineinladung abgelehnt.",
  "% a accepté cette invitation.",
  "% ha aceptado esta invitación.",
  "% ha accettato questo invito.",
  "% aceitou este convite.",
  "% heeft deze uitnodiging geaccepteerd.",
];

describe("a sentence of a calendar program", () => {
  test.each(sentences)("is recognized: %s", (sentence) => {
    expect(isAnswerSentence(withOwn(sentence))).toBe(true);
    expect(isAnswerSubject(withOwn(sentence))).toBe(true);
  });

  test("is none with any word before it or after it", () => {
    const word = fc.stringMatching(/^[A-Za-z0-9]{1,12}$/);
    fc.assert(
      fc.property(fc.constantFrom(...sentences), word, fc.boolean(), (sentence, added, isBefore) => {
        const said = withOwn(isBefore && sentence.startsWith("%") ? `${added} ${sentence}` : `${sentence} ${added}`);
        expect(isAnswerSentence(said)).toBe(false);
      }),
    );
  });

  test.each([
    "% has accepted this invitation. Write to %",
    "% and bob@sender.example has accepted this invitation.",
    "has accepted this invitation %",
    "% has accepted",
    "% accepted my money",
    "",
  ])("is not %j", (text) => {
    expect(isAnswerSentence(withOwn(text))).toBe(false);
  });
});

test.each([
  ["Accepted: plans @ Tue Dec 1, 2026 (%)", true],
  ["Zugesagt: Pläne (%)", true],
  ["Re: plans (%)", false],
  ["Accepted: % plans", false],
  ["Accepted: % (%)", false],
  ["Accepted: plans (%) again", false],
])("the subject %j is a program's: %s", (subject, isProgram) => {
  expect(isAnswerSubject(withOwn(subject))).toBe(isProgram);
});

test.each([
  ["%", true],
  ["* % - organizer", true],
  ["Anna Real <%>", true],
  ["% is my address", false],
  ["write to %", false],
])("the line %j names one guest: %s", (line, isGuest) => {
  expect(isOwnGuest(withOwn(line))).toBe(isGuest);
});
