/**
 * The leak guard on composed mail (DESIGN, "Replies"): whether what a person typed tells a mailbox that their alias forwards to.
 * The recipient is not looked at: whoever writes to their own mailbox tells nobody. Short texts without encoded data, which is
 * nearly all, are searched here; the rest by the guard's process.
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

/** Characters that are searched on the event loop, in a millisecond or so. */
const SHORT = 16_384;

/** @returns the field that leaks, the message first @throws AppError `busy`, `unavailable` */
export async function findTypedLeak({ subject, body }: TypedWords, deps: TypedLeakDeps): Promise<TypedLeak | null> {
  const { mailboxes } = deps;
  const isShort = body.length <= SHORT;
  if (isShort && findLeak({ text: body }, mailboxes) !== null) {
    return { field: "body", message: emailJobMessages.bodyLeaks };
  }
  if (!isShort || holdsEncodedData(body)) {
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
