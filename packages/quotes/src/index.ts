import { withAliasInAnswer } from "./alias-in-quotes.ts";
import { isAnswerSentence, isAnswerSubject } from "./calendar-answer.ts";

export { withAliasInQuotes } from "./alias-in-quotes.ts";

/** What `@kauke/invitations` needs to know of answers to invitations. */
export const answerWording = {
  isSentence: isAnswerSentence,
  isSubject: isAnswerSubject,
  inBody: withAliasInAnswer,
};
