import { product } from "@kauke/contract";
import { ownMessage, type QueueDeps, queueOwnMessage } from "../own-mail.ts";
import type { MailProbe } from "./probe.ts";

/** Mail programs repeat it in the subject of an answer. ASCII, so that it stays as it is. */
export const answerSubject = `${product.name} got your message`;

/** Enqueues our answer to the message that came to a probe. @param to the mailbox that proved to have sent it */
export async function answerProbe(deps: QueueDeps, { address, answerId }: MailProbe, to: string): Promise<void> {
  const domain = address.slice(address.indexOf("@") + 1);
  await queueOwnMessage(
    deps,
    { domain },
    {
      userId: null,
      address: to,
      purpose: "probe",
      from: address,
      messageId: answerId,
      write: (head) => ownMessage(head, { subject: answerSubject, blocks }),
    },
  );
}

const blocks = [
  "Your message arrived, so this server gets mail. Reply to this one to prove the way back.",
  "The header of this message says how your mail host judged it. Best reply with this message attached (Forward as attachment, to the address it came from): then the server reads the header by itself.",
  [
    "If you can't attach it, open its source (Show original, View source, Internet headers), and copy the header.",
    "Paste it into your reply or on the admin page, or save it as a file for: kauke probe --headers FILE",
    "If this message was in the spam folder, say so on the admin page, or with: kauke probe --spam yes",
    "A program wrote this message, because somebody wrote to its address from your mailbox.",
  ],
];
