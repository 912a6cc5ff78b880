/**
 * The JSON a webhook receives for mail that is forwarded sealed: the same fields as ever, empty but for `raw`, which is the armored
 * age file whose content is the message as it came. Made in slices: it can have 60 MiB.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { WebhookBodySource } from "./webhook-body.ts";

/** A multiple of three, so that base64 of the slices is base64 of the whole. */
const SLICE_BYTES = 3 * 256 * 1024;

export interface SealedBodySource extends Pick<WebhookBodySource, "aliasAddress" | "authentication"> {
  receivedAt: Date;
  /** Armored. */
  raw: Buffer;
}

export async function sealedWebhookBody(source: SealedBodySource): Promise<Buffer> {
  const { aliasAddress: alias, receivedAt, raw, authentication } = source;
  const nothing = { headers: [], messageId: null, from: null, to: [], subject: null, text: null, html: null };
  const data = { alias, sealed: true, envelope: { from: null, to: alias }, ...nothing, attachments: [] };
  const head = { type: "email.received", timestamp: receivedAt.toISOString() };
  const opening = `${openEnded(head)},"data":${openEnded(data)},"raw":"`;
  const closing = `","authentication":${JSON.stringify(authentication)}}}`;
  const json = Buffer.allocUnsafeSlow(opening.length + Math.ceil(raw.length / 3) * 4 + closing.length);
  let at = json.write(opening, "latin1");
  for (let from = 0; from < raw.length; from += SLICE_BYTES) {
    if (from > 0) await nextTurn();
    at += json.write(raw.toString("base64", from, from + SLICE_BYTES), at, "latin1");
  }
  at += json.write(closing, at, "latin1");
  return json.subarray(0, at);
}

/** An object's JSON without its closing brace. */
function openEnded(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}
