/** Reply and Reply all in the preview inbox: writes the reply and submits it to the mail path through a port. */
import { AppError } from "../app-error.ts";
import type { Clock, Random } from "../ports.ts";
import type { PreviewInbox } from "./preview-inbox.ts";
import { type PreviewReply, writePreviewReply } from "./preview-reply.ts";

/**
 * Submits a reply as authenticated mail from its mailbox.
 * @returns `null` when accepted, otherwise the text of the rejection
 */
export type SendPreviewReply = (reply: PreviewReply) => Promise<string | null>;

export interface AnswerPreviewDeps {
  inbox: PreviewInbox;
  /** Submits the reply to the mail path; `null` when this process runs no mail path. */
  send: SendPreviewReply | null;
  clock: Clock;
  random: Random;
}

export interface PreviewAnswer {
  id: string;
  text: string;
  all: boolean;
}

/**
 * Writes and submits a reply to a message of the preview inbox.
 * @throws AppError `not_found` for an unknown message, `invalid` with the text of the rejection, `unavailable` when
 * this process runs no mail path
 */
export async function answerPreview({ id, text, all }: PreviewAnswer, deps: AnswerPreviewDeps): Promise<void> {
  const { inbox, send, clock, random } = deps;
  const arrival = inbox.arrival(id);
  if (arrival === null) throw new AppError("not_found");
  if (send === null) throw new AppError("unavailable");
  const reply = writePreviewReply(arrival, { text, all, at: clock.now(), random: random.bytes(16) });
  if (reply === null) throw new AppError("invalid", { message: "This message has nobody to reply to." });
  const refusal = await send(reply);
  if (refusal !== null) throw new AppError("invalid", { message: `Refused: ${refusal}.` });
}
