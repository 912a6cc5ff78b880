/**
 * Words that this repository once used and has replaced by the terms of the field, each with the word to use instead.
 * `check-words.ts` reports each of them in names, comments and texts of our own code. A name is added here once it
 * occurs nowhere any more; a common English word is not, since it also has uses that are right.
 */
export interface ReplacedWord {
  /** The exact text. A single word matches in this case only, several words in any case. */
  word: string;
  instead: string;
}

export const replacedWords: readonly ReplacedWord[] = [
  { word: "ClosingBell", instead: "ShutdownSignal" },
  { word: "closing bell", instead: "shutdown signal" },
  { word: "isRung", instead: "isShuttingDown" },
  { word: "onRing", instead: "onShutdown" },
  { word: "untilRungOr", instead: "a wait that the shutdown signal ends" },
  { word: "MxServer", instead: "SmtpServer" },
  { word: "MxServerOptions", instead: "SmtpServerOptions" },
  { word: "SenderDeps", instead: "DeliveryWorkerDeps" },
  { word: "SenderParts", instead: "the delivery worker's dependencies" },
  { word: "wireSender", instead: "the delivery worker's wiring" },
  { word: "UnderwayMessage", instead: "InFlightMessage" },
  { word: "UnderwayMessages", instead: "InFlightMessages" },
  { word: "UnderwayFiles", instead: "InFlightFiles" },
  { word: "UnderwayParts", instead: "InFlightParts" },
  { word: "RunningUnderway", instead: "a message in flight" },
  { word: "keepUnderway", instead: "enqueue, or a message in flight" },
  { word: "endUnderway", instead: "the end of a message in flight" },
  { word: "recoverUnderway", instead: "recoverInFlight" },
  { word: "outlivingLeaseMs", instead: "the lease of a background attempt" },
  { word: "ErrorAnswerer", instead: "ErrorResponder" },
  { word: "errorAnswerer", instead: "errorResponder" },
  { word: "answerError", instead: "respondToError" },
  { word: "answerBrokenRequest", instead: "respondToBrokenRequest" },
  { word: "problemAnswer", instead: "problemResponse" },
  { word: "bulkAnswerToWire", instead: "bulkResponseToWire" },
  { word: "PreviewAnswer", instead: "PreviewReplyRequest" },
  { word: "answerPreview", instead: "replyToPreview" },
  { word: "answerLink", instead: "decideByLink" },
  { word: "confirmationAnswer", instead: "confirmationDecision" },
  { word: "hears out", instead: "waits for, or reads to the end" },
  { word: "stands in line", instead: "waits in the queue" },
  { word: "foreign errand", instead: "cross-site request" },
  { word: "sealed forwarding", instead: "encrypted forwarding" },
  { word: "bounce e-mail", instead: "bounce" },
  { word: "bounce email", instead: "bounce" },
  { word: "e-mail mask", instead: "alias" },
  { word: "email mask", instead: "alias" },
];
