import { expect, test } from "vitest";
import { webhookHeaders } from "./webhook-signature.ts";

// The worked example of the Standard Webhooks specification, verified with `openssl dgst -sha256 -mac HMAC`.
test("signing the published example gives the published signature", () => {
  const headers = webhookHeaders({
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    secret: Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64"),
    body: Buffer.from('{"test": 2432232314}'),
    sentAt: new Date(1614265330 * 1000 + 999),
  });
  expect(headers).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});
