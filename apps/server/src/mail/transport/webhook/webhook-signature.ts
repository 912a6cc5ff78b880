/** Headers of Standard Webhooks 1.0: a symmetric signature over id, timestamp and the exact bytes of the body. */
import { createHmac } from "node:crypto";

export interface SignedCall {
  id: string;
  secret: Buffer;
  body: Buffer;
  sentAt: Date;
}

/** @returns id, timestamp in seconds, and e.g. `webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=` */
export function webhookHeaders({ id, secret, body, sentAt }: SignedCall) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
