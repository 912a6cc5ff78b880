/**
 * `KAUKE_DELIVERY=preview`: nothing is sent; messages land in the local preview inbox as the recipient would get them.
 */
import { unstuff } from "@kauke/mail-rfc";
import type { PreviewArrival } from "../../core/preview/preview-inbox.ts";
import { taken } from "../classify-reply.ts";
import type { MailTransport } from "./transport.ts";

/** Where messages arrive in preview mode: the preview inbox or, in a mail worker, calls to the process that has it. */
export interface PreviewPort {
  add(arrival: PreviewArrival): void | Promise<void>;
}

export function createPreviewTransport(inbox: PreviewPort): MailTransport {
  return {
    async send({ envelopeFrom, rcptTo, wireParts }) {
      await inbox.add({ envelopeFrom, rcptTo, raw: unstuff(Buffer.concat(wireParts)) });
      return taken;
    },
    close: async () => {},
  };
}
