/**
 * The leak guard for composed mail: whether the typed text reveals a mailbox that the alias forwards to. The recipient
 * is not checked, since the owner may write to their own mailbox. Short texts without encoded data, nearly all, are
 * searched here; others in the guard's process.
 */
import { emailJobMessages } from "@kauke/contract";
import { findLeak, holdsEncodedData } from "@kauke/mail-rfc";
import type { LeakAnswer, LeakGuard } from "../leak-guard/leak-guard.ts";

export interface TypedWords {
  subject: string;
  body: string;
}

export interface TypedLeak {
  field: keyof TypedWords;
  message: string;
}

export interface TypedLeakDeps {
  userId: string;
  mailboxes: readonly string[];
  leakGuard: LeakGuard;
}

/** Maximum characters of a text that is searched on the event loop, which takes about a millisecond. */
const EVENT_LOOP_TEXT_MAX = 16_384;

/**
 * Searches subject and body for mailbox addresses.
 * @returns the field that contains one, the body before the subject; `null` if neither does
 * @throws AppError `busy`, `unavailable`
 */
export async function findTypedLeak({ subject, body }: TypedWords, deps: TypedLeakDeps): Promise<TypedLeak | null> {
  const { mailboxes } = deps;
  const isShort = body.length <= EVENT_LOOP_TEXT_MAX;
  if (isShort && findLeak({ text: body }, mailboxes) !== null) {
    return { field: "body", message: emailJobMessages.bodyLeaks };
  }
  if (!isShort || holdsEncodedData(body, mailboxes)) {
    const answer = await deps.leakGuard.search({ ...deps, content: { kind: "text", text: body } });
    if (answer !== null) return { field: "body", message: messageFor(answer) };
  }
  const isInSubject = findLeak({ headers: subject }, mailboxes) !== null;
  return isInSubject ? { field: "subject", message: emailJobMessages.subjectLeaks } : null;
}

function messageFor({ leak, place }: LeakAnswer): string {
  if (leak !== "address") return emailJobMessages.bodyUnsearched;
  return place.line === null ? emailJobMessages.bodyLeaksEncoded : emailJobMessages.bodyLeaks;
}
