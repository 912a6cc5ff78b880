/**
 * Counts the people to whom an owner's message is sent against what its account may send in a day, before it is
 * written. A message that is deferred afterwards is not counted, because its sender repeats it.
 */
import { AppError } from "../../core/app-error.ts";
import { reply, replyForThrow, type SmtpReply } from "../reply.ts";
import type { PreparedMessage } from "./prepared-message.ts";

export type SendingLimit = "submission" | "automatic_answer";

export interface SendingLimits {
  /** Counts all recipients or, beyond the limit, none. @throws AppError `rate_limited` */
  take(limit: SendingLimit, recipients: AccountRecipients): Promise<void>;
  giveBack(limit: SendingLimit, recipients: AccountRecipients): Promise<void>;
}

export interface AccountRecipients {
  userId: string;
  weight: number;
}

type Prepared = PreparedMessage | { refusal: SmtpReply };

const overLimit = reply(
  451,
  "4.7.1",
  "With this message you would have written to more people than your account may write to in a day. " +
    "It was sent to nobody. Please write to fewer people, or try again later",
);

/** @param write not called when the recipients exceed the limit */
export async function writeWithinLimit(
  limits: SendingLimits,
  { limit, ...recipients }: AccountRecipients & { limit: SendingLimit },
  write: () => Promise<Prepared>,
): Promise<Prepared> {
  const giveBack = (weight = recipients.weight) =>
    weight === 0 ? Promise.resolve() : limits.giveBack(limit, { ...recipients, weight }).catch(() => {});
  try {
    await limits.take(limit, recipients);
  } catch (thrown) {
    const isOver = thrown instanceof AppError && thrown.code === "rate_limited";
    return { refusal: isOver ? overLimit : replyForThrow(thrown) };
  }
  try {
    const prepared = await write();
    // A refused message reached nobody; it counts once, because writing and searching it cost something.
    if ("refusal" in prepared)
      await giveBack(isTemporary(prepared.refusal) ? recipients.weight : recipients.weight - 1);
    return "refusal" in prepared ? prepared : givenBackUnlessQueued(prepared, giveBack);
  } catch (thrown) {
    await giveBack();
    throw thrown;
  }
}

function givenBackUnlessQueued(prepared: PreparedMessage, giveBack: () => Promise<void>): PreparedMessage {
  return {
    enqueue: async () => {
      const deferral = await prepared.enqueue();
      if (deferral !== null) await giveBack();
      return deferral;
    },
    discard: async () => {
      await prepared.discard();
      await giveBack();
    },
  };
}

const isTemporary = ({ code }: SmtpReply): boolean => code < 500;
