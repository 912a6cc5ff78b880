/** Marks by which a signed message of an owner is known when it is sent to the same address again. */
import type { AnswerMark } from "../../core/reply-path.ts";
import type { ReplyRecipient, Transaction } from "../transaction.ts";

/** Keyed hash of a text in hex, the same in all processes. */
export type HashMark = (text: string) => string;

/** `sent`: the answer was queued. `refused`: its owner was told why it was not sent. */
type MarkKind = "sent" | "refused";

/** @returns a mark for every signature by which the message could be proven again */
export function answerMarks(
  { instruction }: Pick<Transaction, "instruction">,
  hash: HashMark,
): (kind: MarkKind, recipient: Pick<ReplyRecipient, "address">) => AnswerMark[] {
  const signatures = [...(instruction?.signatures ?? []), ...(instruction?.unread ?? [])];
  return (kind, { address }) =>
    signatures.map(({ id, endsAt }) => ({ key: hash(`${kind} answer\0${id}\0${address.toLowerCase()}`), endsAt }));
}
