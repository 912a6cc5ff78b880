/**
 * The leak guard on composed mail (DESIGN, "Replies"): whether what a person typed tells a mailbox that their alias forwards to.
 * The recipient is not looked at: whoever writes to their own mailbox tells nobody. Pure.
 */
import { findLeak } from "@kauke/mail-rfc";
import type { Destination } from "../alias/alias.ts";

export interface TypedWords {
  subject: string;
  body: string;
}

/** @returns the field that leaks, the message first; `null` when neither does */
export function findTypedLeak(
  { subject, body }: TypedWords,
  destinations: readonly Destination[],
): keyof TypedWords | null {
  const mailboxes = destinations.flatMap((it) => (it.kind === "mailbox" ? [it.address] : []));
  if (findLeak({ text: body }, mailboxes) !== null) return "body";
  return findLeak({ headers: subject }, mailboxes) === null ? null : "subject";
}
