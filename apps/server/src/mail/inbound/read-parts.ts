/** What a message says, decoded, for the leak guard: read off the event loop, by the thread that reads for webhooks. */
import type { WebhookBodyMaker } from "../outbound/webhook-body-maker.ts";

export interface MessageParts {
  text: string;
  html: string;
  calendar: string;
  /** File names of attachments. */
  names: string;
}

export type ReadParts = (raw: Buffer) => Promise<MessageParts>;

interface ReadBody {
  data: {
    text: string | null;
    html: string | null;
    attachments: { filename: string | null; contentType: string | null; content: string }[];
  };
}

/** A message that can't be read in time gives nothing; its raw bytes are looked through all the same. */
export function partsReader(maker: Pick<WebhookBodyMaker, "make">): ReadParts {
  return async (raw) => {
    const nobody = {
      envelopeFrom: "",
      helo: "",
      clientAddress: "",
      protocol: "SMTP" as const,
      receivedAt: new Date(0),
    };
    const source = {
      aliasAddress: "",
      envelope: { ...nobody, eightBit: true, smtpUtf8: true },
      raw,
      authentication: { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const,
    };
    const json = await maker.make(source, raw.length * 3 + 4096);
    const { data } = JSON.parse(json.toString("utf8")) as ReadBody;
    const calendars = data.attachments.filter((it) => /calendar|text\//i.test(it.contentType ?? ""));
    return {
      text: data.text ?? "",
      html: data.html ?? "",
      calendar: calendars.map((it) => Buffer.from(it.content, "base64").toString("utf8")).join("\n"),
      names: data.attachments.map((it) => it.filename ?? "").join("\n"),
    };
  };
}
