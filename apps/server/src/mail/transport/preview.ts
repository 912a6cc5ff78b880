/** `KAUKE_DELIVERY=preview`: delivers to the local preview inbox what the recipient would get. */
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
