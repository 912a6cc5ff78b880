/** `KAUKE_DELIVERY=preview`: messages land in the local preview inbox as the recipient would get them. */
import { unstuff } from "@kauke/mail-rfc";
import type { PreviewInbox } from "../../core/preview/preview-inbox.ts";
import { classifyLoss, taken } from "../classify-reply.ts";
import { type MailTransport, outcomeOnly } from "./transport.ts";

export function createPreviewTransport(inbox: Pick<PreviewInbox, "add">): MailTransport {
  return {
    async send({ envelopeFrom, rcptTo, wire }) {
      const parts = wire();
      if (parts === null) return outcomeOnly(classifyLoss("aborted"));
      inbox.add({ envelopeFrom, rcptTo, raw: unstuff(Buffer.concat(parts)) });
      return outcomeOnly(taken);
    },
    close: async () => {},
  };
}
