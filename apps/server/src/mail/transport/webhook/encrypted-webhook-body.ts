/**
 * The JSON that a webhook gets for encrypted mail: the usual fields, those about the content empty, and in `raw` the
 * armored age file with the message as received. Written in slices with turns of the event loop between, since it can
 * have 60 MiB.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { WebhookBodySource } from "./webhook-body.ts";

/** Bytes per slice: a multiple of three, so that the base64 of the slices joins to the base64 of the whole. */
const SLICE_BYTES = 3 * 256 * 1024;

export interface EncryptedBodySource extends Pick<WebhookBodySource, "aliasAddress" | "authentication"> {
  receivedAt: Date;
  /** The armored age file. */
  raw: Buffer;
}

export async function encryptedWebhookBody(source: EncryptedBodySource): Promise<Buffer> {
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
