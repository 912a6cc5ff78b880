/** Takes a test message to an alias as mail from another host, so that everything which happens to mail happens to it. */
import { parseAddress, stuff } from "@kauke/mail-rfc";
import type { SendTestMail } from "../../core/first-steps.ts";
import { replyFor } from "../reply.ts";
import type { MxHandlers } from "../smtp/session-handlers.ts";

const LOOPBACK = "127.0.0.1";
const ACCEPTED = /^Ok ([0-9a-f-]{36})$/;

export function testMailTaker({ inbound, mailHost }: { inbound: MxHandlers; mailHost: string }): SendTestMail {
  return async ({ from, to, raw }) => {
    const recipient = await inbound.resolve(parseAddress(to), false);
    if (recipient.verdict === "discard") return { kind: "paused" };
    if (recipient.verdict !== "accept") return { kind: "refused", text: replyFor(recipient.code).text };
    if (recipient.value.kind === "paused") return { kind: "paused" };
    const reply = await inbound.receive({
      mailFrom: { envelopeFrom: from, sizeBytes: raw.length, eightBit: false, smtpUtf8: false },
      recipients: [recipient.value],
      wire: stuff(raw),
      helo: mailHost,
      esmtp: true,
      secure: true,
      clientAddress: LOOPBACK,
      isOurs: true,
    });
    const [, messageId] = ACCEPTED.exec(reply.text) ?? [];
    return messageId === undefined ? { kind: "refused", text: reply.text } : { kind: "accepted", messageId };
  };
}
