/**
 * `KAUKE_DELIVERY=preview`: nothing is sent; messages land in the local preview inbox as the recipient would get them.
 */
import { unstuff } from "@kauke/mail-rfc";
import type { PreviewInbox } from "../../core/preview/preview-inbox.ts";
import { taken } from "../classify-reply.ts";
import type { MailTransport } from "./transport.ts";

export function createPreviewTransport(inbox: Pick<PreviewInbox, "add">): MailTransport {
  return {
    async send({ envelopeFrom, rcptTo, wireParts }) {
      inbox.add({ envelopeFrom, rcptTo, raw: unstuff(Buffer.concat(wireParts)) });
      return taken;
    },
    close: async () => {},
  };
}
