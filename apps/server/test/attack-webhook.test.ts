/**
 * Messages built to be expensive to parse: the webhook still receives them, and the process goes on serving everybody
 * else.
 */
import { webhookBodyMaker, webhookBodyWorker } from "@kauke/server/mail/transport/webhook/webhook-body-maker";
import { afterAll, expect, test } from "vitest";

const maker = webhookBodyMaker(webhookBodyWorker());
afterAll(() => maker.close());

const authentication = { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const;
const envelope = { envelopeFrom: "ann@example.org", receivedAt: new Date("2026-11-21T09:00:00Z") };

let accounts = 0;

async function make(raw: Buffer, maxBytes = raw.length * 3 + 4096) {
  let blockedMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    blockedMs = Math.max(blockedMs, performance.now() - last);
    last = performance.now();
  }, 5);
  const source = { aliasAddress: "shop@kauke.test", envelope, raw, authentication };
  const body = await maker.make(source, maxBytes, { party: `account ${accounts++}`, isWanted: () => true });
  clearInterval(timer);
  if (body === null) throw new Error("no body was made");
  const { data } = JSON.parse(body.toString()) as {
    data: { subject: string | null; text: string | null; raw: string };
  };
  return { blockedMs, body, data };
}

const SIZE_BYTES = 2 * 1024 * 1024;
const filled = (head: string, unit: string) => Buffer.from(head + unit.repeat(Math.ceil(SIZE_BYTES / unit.length)));

const hostile = {
  "blank lines": filled("Subject: x\r\n\r\n", "\n"),
  "nothing but empty parts": filled("Content-Type: multipart/mixed; boundary=b\r\n\r\n", "--b\r\n\r\n"),
  "flowed lines": filled("Content-Type: text/plain; format=flowed\r\n\r\n", "a \r\n"),
  "lines that look like boundaries": filled("Content-Type: multipart/mixed; boundary=b\r\n\r\n", "--c\r\n"),
  "an address list of commas": Buffer.from(`To: ${"a,".repeat(200_000)}\r\n\r\nx\r\n`),
};

for (const [name, raw] of Object.entries(hostile))
  test(`${name} reach the webhook without blocking the process`, async () => {
    const { blockedMs, body, data } = await make(raw);
    expect(Buffer.from(data.raw, "base64").equals(raw)).toBe(true);
    expect(body.length).toBeLessThanOrEqual(raw.length * 3 + 4096);
    expect(blockedMs).toBeLessThan(1000);
  });

test("after a message that took too long to parse the next one is parsed as usual", async () => {
  await make(filled("Content-Type: multipart/mixed; boundary=b\r\n\r\n", "--b\r\n\r\n"));
  const { data } = await make(Buffer.from("Subject: hi\r\n\r\nbody\r\n"));
  expect(data).toMatchObject({ subject: "hi", text: "body\n" });
});

test("of many concurrent messages each gets the body made from it", async () => {
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, index) => make(Buffer.from(`Subject: ${index}\r\n\r\nx\r\n`))),
  );
  expect(made.map((it) => it.data.subject)).toEqual(made.map((_, index) => String(index)));
});
