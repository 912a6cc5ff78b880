/** Accepts a message written in the preview inbox as authenticated mail of the mailbox' provider; nothing is sent. */
import { isAscii } from "node:buffer";
import { parseAddress, stuff } from "@kauke/mail-rfc";
import type { MailDomains } from "../../core/domain/mail-domains.ts";
import type { PreviewInbox } from "../../core/preview/preview-inbox.ts";
import type { PreviewReply, SendPreviewReply } from "../../core/preview/preview-reply.ts";
import { replyFor } from "../reply.ts";
import type { MxHandlers } from "../smtp/session-handlers.ts";
import type { ResolvedRecipient } from "../transaction.ts";

export interface PreviewReplyParts {
  inbound: MxHandlers;
  inbox: Pick<PreviewInbox, "add">;
  domains: Pick<MailDomains, "has">;
  mailHost: string;
}

const LOOPBACK = "127.0.0.1";

export function previewReplyTaker(parts: PreviewReplyParts): SendPreviewReply {
  return async (message) => {
    const paths = message.recipients.map(parseAddress);
    const resolved: ResolvedRecipient[] = [];
    for (const path of paths.filter((it) => parts.domains.has(it.domain))) {
      const verdict = await parts.inbound.resolve(path, false);
      if (verdict.verdict === "discard") continue;
      if (verdict.verdict !== "accept") return replyFor(verdict.code).text;
      resolved.push(verdict.value);
    }
    const refusal = resolved.length === 0 ? null : await receive(message, resolved, parts);
    if (refusal !== null) return refusal;
    for (const { domain, canonical } of paths) {
      if (parts.domains.has(domain)) continue;
      parts.inbox.add({ envelopeFrom: message.from, rcptTo: canonical, raw: message.raw });
    }
    return null;
  };
}

async function receive(
  { from, raw }: PreviewReply,
  recipients: readonly ResolvedRecipient[],
  { inbound, mailHost }: PreviewReplyParts,
): Promise<string | null> {
  const wire = stuff(raw);
  const smtpUtf8 = !isAscii(raw);
  const answer = await inbound.receive({
    mailFrom: { envelopeFrom: from, sizeBytes: raw.length, eightBit: smtpUtf8, smtpUtf8 },
    recipients,
    wire,
    helo: mailHost,
    esmtp: true,
    secure: true,
    clientAddress: LOOPBACK,
    isProven: true,
  });
  return answer.code < 300 ? null : answer.text;
}
