import { withAliasInAnswer } from "./alias-in-quotes.ts";
import { isAnswerSentence, isAnswerSubject } from "./calendar-answer.ts";

export { withAliasInQuotes } from "./alias-in-quotes.ts";

/** Words of answers to invitations, for `@kauke/invitations`. */
export const answerWording = {
  isSentence: isAnswerSentence,
  isSubject: isAnswerSubject,
  inBody: withAliasInAnswer,
};
